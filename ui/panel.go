package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// panel is an overlay that a tab made.
type panel struct {
	effect.Panel
	room
}

// Press hands the key to the panel.
func (p *panel) Press(msg tea.KeyPressMsg) action {
	done, e := p.Panel.Press(msg)
	return action{done: done, effect: e}
}

// Render frames the panel.
func (p *panel) Render(theme *style.Theme) (string, int, int, *tea.Cursor) {
	width, height := max(p.width-4, 0), max(p.height-2, 0)
	w, h := p.Size(width, height)
	w, h = min(w, width), min(h, height)
	block := style.NewBlock(theme, w, h)
	cursor := p.Draw(block)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+2, cursor.Y+1
	}
	return frameBox(theme, p.Title(), block.String(), w, h), w + 4, h + 2, cursor
}
