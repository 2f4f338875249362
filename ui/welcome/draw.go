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
	block  *style.Block
	cursor *tea.Cursor
	lines  int
	named  []string
}

func (p *page) line() *style.Line {
	p.lines++
	l := p.block.Line(style.Plain)
	l.Gap(margin)
	return l
}

func (p *page) text(role style.Role, s string) {
	for _, line := range style.Wrap(s, min(p.block.Width()-2*margin, widest)) {
		p.line().Put(role, line)
	}
}

func (p *page) foot() {
	if p.block.Room() < 2 {
		return
	}
	p.block.Blank(p.block.Room() - 2)
	p.block.Line(style.Plain).Repeat(style.Border, "─", p.block.Width())
	l := p.block.Line(style.Plain)
	l.Gap(1)
	for i := 0; i+1 < len(p.named); i += 2 {
		l.Put(style.Key, p.named[i])
		l.Put(style.Muted, " "+p.named[i+1]+"   ")
	}
}

func (s *screen) draw() (string, *tea.Cursor) {
	p := &page{block: style.NewBlock(s.theme, s.width, s.height)}
	top := p.block.Line(style.Plain)
	top.Put(style.Accent, " ◆ tonne  ")
	label := " Welcome "
	if s.connecting {
		label = " Connect "
	}
	top.Put(style.Tab, label)
	top.Put(style.Muted, "  the carbon desk in a terminal")
	p.block.Line(style.Plain).Repeat(style.Border, "─", s.width)
	p.lines = 2
	p.line()
	if s.connecting {
		s.drawForm(p)
	} else {
		s.drawList(p)
	}
	if p.cursor != nil && (p.cursor.Y >= s.height || p.cursor.X >= s.width) {
		p.cursor = nil
	}
	p.foot()
	return p.block.String(), p.cursor
}

func (s *screen) drawList(p *page) {
	p.text(style.Text, "No marketplace is configured yet.")
	p.line()
	s.drawChoice(p, !s.second, "Look around in the demo", "synthetic data, nothing to set up")
	s.drawChoice(p, s.second, "Connect to a marketplace", "its address and your API key")
	p.named = []string{"↑ ↓", "choose", "↵", "go on", "Esc q", "quit"}
}

func (s *screen) drawChoice(p *page, selected bool, what, with string) {
	look, mark := style.Plain, "  "
	if selected {
		look, mark = style.Selected, "▌ "
		p.cursor = tea.NewCursor(margin, p.lines)
	}
	p.lines++
	l := p.block.Line(look)
	l.Gap(margin)
	l.Put(style.Accent, mark)
	l.PutLeft(style.Name, what, 26)
	l.Put(style.Muted, with)
}

func (s *screen) drawForm(p *page) {
	p.text(style.Name, "Connect to a marketplace")
	p.line()
	p.entry("Address of the marketplace", &s.form.address, "https://market.example", s.form.address.Draw)
	p.entry("API key", &s.form.key, "it is not shown", s.form.key.DrawHidden)
	p.line()
	p.text(style.Muted, "The key is checked with one request and stored for this address alone.")
	switch {
	case s.form.trying:
		p.text(style.Text, "Asking "+tab.Typed(s.form.address.Value())+" …")
	case s.form.problem != "":
		p.text(style.Warning, "✗ "+tab.Typed(s.form.problem))
	}
	p.named = []string{"↵", "go on", "Tab", "the other field", "Esc", "back", "Ctrl-c", "quit"}
}

func (p *page) entry(label string, e *tab.Entry, hint string, draw func(*style.Line, int) *tea.Cursor) {
	at := p.lines
	l := p.line()
	l.PutLeft(style.Muted, label, 28)
	if e.Value() == "" {
		if e.Focused() {
			p.cursor = tea.NewCursor(l.Used(), at)
		}
		l.Put(style.Faint, hint)
		return
	}
	if cursor := draw(l, at); cursor != nil {
		p.cursor = cursor
	}
}
