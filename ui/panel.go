package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
	"tonne/ui/tab"
)

// panel is an overlay that a tab made.
type panel struct{ tab.Panel }

// Render frames the panel.
func (p panel) Render(theme *style.Theme, width, height int) (string, int, int, *tea.Cursor) {
	width, height = max(width-4, 0), max(height-2, 0)
	w, h := p.Size(width, height)
	w, h = min(w, width), min(h, height)
	block := style.NewBlock(theme, w, h)
	cursor := p.Draw(block)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+2, cursor.Y+1
	}
	return frameBox(theme, p.Title(), block.String(), w, h), w + 4, h + 2, cursor
}
