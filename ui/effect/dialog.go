package effect

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Show opens a panel over the tab. An open panel is shown again when it closes.
type Show struct{ Panel Panel }

// Panel is a dialog that a tab draws inside a frame. It gets all keys until it is done.
type Panel interface {
	// Title returns the title of the frame.
	Title() string
	// Size returns the preferred size within the given cells.
	Size(width, height int) (w, h int)
	// Draw fills a block of that size and returns the text cursor, if any.
	Draw(b *style.Block) *tea.Cursor
	// Press handles a key and reports whether the panel is done.
	Press(msg tea.KeyPressMsg) (done bool, e Effect)
	// Paste handles pasted text.
	Paste(msg tea.PasteMsg) Effect
}

func (Show) effect() {}
