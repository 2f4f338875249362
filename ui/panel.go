package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// panel is an overlay that a tab made.
type panel struct {
	effect.Panel
	// w and h are the size that the last Layout gave it.
	w, h int
}

// Layout gives the panel a size of what there is.
func (p *panel) Layout(width, height int) {
	width, height = max(width-4, 0), max(height-2, 0)
	w, h := p.Size(width, height)
	p.w, p.h = min(w, width), min(h, height)
}

// Press hands the key to the panel.
func (p *panel) Press(msg tea.KeyPressMsg) action {
	done, e := p.Panel.Press(msg)
	return action{done: done, effect: e}
}

// Render frames the panel.
func (p *panel) Render(theme *style.Theme) (string, int, int, *tea.Cursor) {
	block := style.NewBlock(theme, p.w, p.h)
	cursor := p.Draw(block)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+2, cursor.Y+1
	}
	return frameBox(theme, p.Title(), block.String(), p.w, p.h), p.w + 4, p.h + 2, cursor
}
