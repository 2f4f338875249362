package effect

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Show lays a panel over the tab, in place of one that is there.
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

func (Show) effect() {}
