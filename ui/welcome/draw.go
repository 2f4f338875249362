package welcome

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
	"tonne/ui/tab"
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

// foot names keys and what they do, in turn.
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
	for field, label := range [...]string{"Address of the marketplace", "API key"} {
		l, y := p.line(style.Plain)
		l.PutLeft(style.Muted, label, 28)
		if cursor := s.fields[field].Draw(l, y); cursor != nil {
			p.cursor = cursor
		}
	}
	p.Blank(1)
	p.text(style.Muted, "The key is checked with one request and stored for this address alone.")
	switch {
	case s.stop != nil:
		p.text(style.Text, "Asking "+tab.Typed(s.fields[address].Value())+" …")
	case s.problem != "":
		p.text(style.Warning, "✗ "+tab.Typed(s.problem))
	}
	p.foot("↵", "go on", "Tab", "the other field", "Esc", "back", "Ctrl-c", "quit")
}
