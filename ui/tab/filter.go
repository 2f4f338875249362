package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Filter is the line that narrows a list as one types. NewFilter makes one.
type Filter struct {
	Entry
	list   Mover
	narrow func() effect.Effect
}

// NewFilter returns an empty line for a list. It calls narrow, which shows what
// matches, whenever something was typed.
func NewFilter(list Mover, narrow func() effect.Effect) Filter {
	return Filter{Entry: NewEntry(), list: list, narrow: narrow}
}

// Type narrows the list as one types. ↵ keeps the filter, Esc clears it, and
// the arrows walk the list meanwhile.
func (f *Filter) Type(msg tea.Msg) effect.Effect {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			f.Blur()
			return nil
		case "esc":
			return f.Clear()
		case "up":
			return walk(f.list, func() { f.list.Move(-1) })
		case "down":
			return walk(f.list, func() { f.list.Move(1) })
		}
	}
	f.Take(msg)
	return f.narrow()
}

// Paste puts text into the line and gives it the keys.
func (f *Filter) Paste(text string) effect.Effect {
	f.Focus()
	f.Take(tea.PasteMsg{Content: text})
	return f.narrow()
}

// Clear takes the keys away and shows the whole list again.
func (f *Filter) Clear() effect.Effect {
	f.Blur()
	f.SetValue("")
	return f.narrow()
}

// Draw adds the line to a block: a key, what was typed, or help while nothing
// was, and at the end how many rows are left. It returns the text cursor where
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
