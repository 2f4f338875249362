package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Filter is the line that narrows a list as one types. NewFilter makes one.
type Filter struct {
	Entry
	list          Mover
	moved, narrow func() effect.Effect
}

// NewFilter returns an empty line for a list. It calls moved after it has moved
// the cursor of the list, and narrow, which shows what matches, whenever
// something was typed.
func NewFilter(list Mover, moved, narrow func() effect.Effect) Filter {
	return Filter{Entry: NewEntry(), list: list, moved: moved, narrow: narrow}
}

// Input narrows the list as one types. ↵ keeps the filter, Esc clears it, and
// the arrows walk the list meanwhile. A paste gives the line the keys.
func (f *Filter) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.Focus()
	case tea.KeyPressMsg:
		switch msg.Keystroke() {
		case "enter":
			f.Blur()
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
	f.Take(msg)
	return f.narrow()
}

// Clear takes the keys away and shows the whole list again.
func (f *Filter) Clear() effect.Effect {
	f.Blur()
	f.SetValue("")
	return f.narrow()
}

// Draw adds the line to a block: a key, what was typed, or help while nothing
// was, and at the end how many rows are left. It returns the text cursor if
// the line has the focus.
func (f *Filter) Draw(block *style.Block, key, help, count string) *tea.Cursor {
	end := style.NewBlock(block.Theme(), min(style.Width(count)+1, block.Width()), 1)
	end.Put(style.Muted, count)
	field := style.NewBlock(block.Theme(), block.Width()-end.Width(), 1)
	cursor := f.drawTyped(field.Line(style.Plain), key, help)
	block.Append(style.Beside(field.String(), end.String()))
	return cursor
}

func (f *Filter) drawTyped(line *style.Line, key, help string) (cursor *tea.Cursor) {
	line.Put(style.Key, " "+key+" ")
	if f.Value() != "" {
		return f.Entry.Draw(line, 0)
	}
	if f.Focused() {
		cursor = tea.NewCursor(line.Used(), 0)
	}
	line.Put(style.Faint, help)
	return cursor
}
