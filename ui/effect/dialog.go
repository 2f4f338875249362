package effect

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Prompt lets the person type a line.
type Prompt struct {
	Title, Hint string
	// Value is what was given last time. Text replaces it; a key that moves or deletes edits it.
	Value string
	// Parse reads what was typed at ↵ and changes nothing. The answer goes to the tab's Handle; a problem,
	// a sentence, is shown instead.
	Parse func(typed string) (answer any, problem string)
}

// Show lays a panel of the tab's own over it.
type Show struct{ Panel Panel }

// Panel is a dialog that a tab draws itself, in a frame, and that has the keys until it is done.
type Panel interface {
	// Title heads the frame.
	Title() string
	// Size returns how many of the cells there are it would like.
	Size(width, height int) (w, h int)
	// Draw fills a block of that size and returns the text cursor, if any.
	Draw(b *style.Block) *tea.Cursor
	// Press takes a key and reports whether the panel is done.
	Press(msg tea.KeyPressMsg) (done bool, e Effect)
	// Paste takes text that was pasted.
	Paste(msg tea.PasteMsg) Effect
}

func (Prompt) effect() {}
func (Show) effect()   {}
