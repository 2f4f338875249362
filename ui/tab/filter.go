package tab

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tonne/model/attribute"
	"tonne/model/filter"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// Filter is an input line that filters a list with an expression of package filter. Create one with NewFilter.
type Filter struct {
	Entry
	list          Mover
	moved, narrow func() effect.Effect
	holds         filter.Filter
	query         string
	problem       error
}

// NewFilter returns an empty line for a list. It calls moved after it has moved the cursor of the list, and
// narrow whenever the text changes.
func NewFilter(list Mover, moved, narrow func() effect.Effect) Filter {
	return Filter{Entry: NewEntry(), list: list, moved: moved, narrow: narrow}
}

// Input filters the list during typing. ↵ keeps the filter, Esc clears it, and the arrow keys move in the list.
// A paste gives the focus to the line. ↵ keeps the focus while the text is not a valid filter.
func (f *Filter) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.Focus()
	case tea.KeyPressMsg:
		switch msg.Keystroke() {
		case "enter":
			if f.problem == nil {
				f.Blur()
			}
			return nil
		case "esc":
			return f.Clear()
		case "up":
			f.list.Move(-1)
			return f.moved()
		case "down":
			f.list.Move(1)
			return f.moved()
		}
	}
	told := f.Take(msg)
	f.read()
	return effect.Batch(f.narrow(), told)
}

func (f *Filter) read() {
	typed := f.Value()
	var expr filter.Filter
	if expr, f.problem = filter.Parse(typed); f.problem == nil {
		f.holds, f.query = expr, typed
		return
	}
	if rest, ok := strings.CutPrefix(typed, f.query); ok && strings.IndexAny(strings.TrimSpace(rest), "<>=≤≥:") == 0 {
		// The last word has become the name of a field.
		before := strings.TrimSpace(f.query)
		before = before[:strings.LastIndexFunc(before, unicode.IsSpace)+1]
		if expr, err := filter.Parse(before); err == nil {
			f.holds, f.query = expr, before
		}
	}
}

// Expr returns the current filter.
func (f *Filter) Expr() filter.Filter { return f.holds }

// Query returns the text of the current filter. It may be empty.
func (f *Filter) Query() string { return f.query }

// Blur removes the focus. Text that is not a valid filter is replaced by the last valid one.
func (f *Filter) Blur() {
	f.Entry.Blur()
	if f.problem != nil {
		f.SetValue(strings.TrimSpace(f.query))
		f.read()
	}
}

// Clear removes the focus and shows the whole list. The cursor stays on its row, or returns to its old row if
// the filter had no results.
func (f *Filter) Clear() effect.Effect {
	f.list.Move(0)
	return f.Restore("")
}

// Restore removes the focus and filters the list by a text. If the text is not a valid filter, the line has the focus.
func (f *Filter) Restore(text string) effect.Effect {
	f.Blur()
	f.holds, f.query = filter.Filter{}, ""
	f.SetValue(text)
	if f.read(); f.problem != nil {
		f.Focus()
	}
	return f.narrow()
}

// Draw adds the line to a block: key, text or help, and the number of rows or the problem. It returns the text
// cursor if the line has the focus.
func (f *Filter) Draw(block *style.Block, key, help, count string) *tea.Cursor {
	role, room := style.Muted, block.Width()
	if f.problem != nil {
		// The typed text stays visible if there is room for both.
		role, count = style.Warning, "⚠ "+Typed(f.problem.Error())
		room -= min(style.Width(" "+key+" "+f.Value()+" ")+2, block.Width()/2)
	}
	end := style.NewBlock(block.Theme(), min(style.Width(count)+1, room), 1)
	end.Put(role, count)
	field := style.NewBlock(block.Theme(), block.Width()-end.Width(), 1)
	line := field.Line(style.Plain)
	line.Put(style.Key, " "+key+" ")
	f.Hint = help
	cursor := f.Entry.Draw(line, 0)
	block.Append(style.Beside(field.String(), end.String()))
	return cursor
}

// Unlabelled explains that a filter by labels finds nothing because no attributes are known. It returns texts
// for the filter line and for an empty list.
func (v *View) Unlabelled(f *Filter, facts *attribute.Facts) (brief string, advice []string) {
	if !f.Expr().Needs().Labels || !facts.None() {
		return "", nil
	}
	advice = []string{"No attributes are known, so nothing has a label."}
	if !v.Shared {
		advice = append(advice, "Import them with `tonne attributes import FILE.csv`.")
	}
	return " · no attributes are known", advice
}

// FilterHelp is the hint in an empty filter line.
const FilterHelp = "words, !word, a|b · ask<10 vintage>=2022 country:kenya,uganda paid label:ccp"
