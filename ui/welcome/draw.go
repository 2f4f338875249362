package welcome

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

const (
	margin = 2
	widest = 76
)

type page struct {
	*style.Block
	cursor *tea.Cursor
}

func (p *page) line(state style.RowState) (l *style.Line, y int) {
	y = p.Height() - p.Room()
	l = p.Line(state)
	l.Gap(margin)
	return l, y
}

func (p *page) text(role style.Role, s string) {
	for _, text := range style.Wrap(s, min(p.Width()-2*margin, widest)) {
		l, _ := p.line(style.Plain)
		l.Put(role, text)
	}
}

func (p *page) foot(keys ...string) {
	if p.Room() < 2 {
		return
	}
	p.Blank(p.Room() - 2)
	p.Line(style.Plain).Repeat(style.Border, "─", p.Width())
	l := p.Line(style.Plain)
	l.Gap(1)
	for i := 0; i < len(keys); i += 2 {
		l.Put(style.Key, keys[i])
		l.Put(style.Muted, " "+keys[i+1]+"   ")
	}
}

func (s *screen) draw() (string, *tea.Cursor) {
	p := &page{Block: style.NewBlock(s.theme, s.width, s.height)}
	label, draw := " Welcome ", s.drawList
	if s.connecting {
		label, draw = " Connect ", s.drawForm
	}
	top := p.Line(style.Plain)
	top.Put(style.Accent, " ◆ tonne  ")
	top.Put(style.Tab, label)
	top.Put(style.Muted, "  the carbon desk in a terminal")
	p.Line(style.Plain).Repeat(style.Border, "─", s.width)
	p.Blank(1)
	draw(p)
	if p.cursor != nil && (p.cursor.Y >= s.height || p.cursor.X >= s.width) {
		p.cursor = nil
	}
	return p.String(), p.cursor
}

func (s *screen) drawList(p *page) {
	p.text(style.Text, "No marketplace is configured yet.")
	p.Blank(1)
	p.choice(!s.second, "Look around in the demo", "synthetic data, nothing to set up")
	p.choice(s.second, "Connect to a marketplace", "its address and your API key")
	p.foot("↑ ↓", "choose", "↵", "go on", "Esc q", "quit")
}

func (p *page) choice(selected bool, what, with string) {
	state, mark := style.Plain, "  "
	if selected {
		state, mark = style.Selected, "▌ "
	}
	l, y := p.line(state)
	if selected {
		p.cursor = tea.NewCursor(margin, y)
	}
	l.Put(style.Accent, mark)
	l.PutLeft(style.Name, what, 26)
	l.Put(style.Muted, with)
}

func (s *screen) drawForm(p *page) {
	p.text(style.Name, "Connect to a marketplace")
	p.Blank(1)
	margin := min(margin, p.Width()/2)
	width := p.Width() - 2*margin
	_, height := s.form.Size(width, p.Room())
	side, form := style.NewBlock(s.theme, margin, height), style.NewBlock(s.theme, width, height)
	if p.cursor = s.form.Draw(form); p.cursor != nil {
		p.cursor.X, p.cursor.Y = p.cursor.X+margin, p.cursor.Y+p.Height()-p.Room()
	}
	p.Append(style.Beside(side.String(), form.String(), side.String()))
	p.foot("↵", "go on", "Tab", "the other field", "Esc", "back", "Ctrl-c", "quit")
}
