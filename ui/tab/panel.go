package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Panel is something that a tab lays over itself. The desk frames it and
// hands it the keys until it is done.
type Panel interface {
	// Title heads the frame.
	Title() string
	// Size returns how many of the cells there are it would like.
	Size(width, height int) (w, h int)
	// Draw fills a block of that size and returns where the text cursor
	// stands in it, if anywhere.
	Draw(b *style.Block) *tea.Cursor
	// Press takes a key and reports whether the panel is done.
	Press(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// Paste takes text that was pasted.
	Paste(msg tea.PasteMsg) tea.Cmd
}

// Lay asks the desk to lay a panel over the tab.
type Lay struct{ Panel Panel }
