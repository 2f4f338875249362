package retirement

import (
	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/importer"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type panes struct {
	view     *tab.View
	ledger   *ledger.Ledger
	details  *details.Pane
	importer *importer.Importer
	focused  bool
	// split, frame and cursor are the layout, the text and the text cursor of the last frame.
	split  split
	frame  string
	cursor *tea.Cursor
	// problem is why the ledger cannot be stored, or "".
	problem string
}

type split struct {
	// left is the width of the ledger, top its height, and input the number of its lines above
	// the table. The details are to the right or below. If they fill the body, left is 0.
	left, top, input int
	// above is the number of lines above the details, width the width of the body.
	above, width int
}

// roomy is the width from which the details are next to the ledger and the status may be long.
const roomy = 100

func (p *panes) layout(width, height int, problem string) {
	p.split, p.problem, p.cursor = split{width: width}, problem, nil
	switch {
	case width >= roomy:
		p.frame = p.renderBeside(width, height)
	case p.focused:
		p.frame = p.renderDetails(width, height)
	default:
		p.frame = p.renderBelow(width, height)
	}
	if p.cursor == nil {
		p.cursor = p.rowCursor()
	}
}

func (p *panes) rowCursor() *tea.Cursor {
	s := p.split
	if !p.focused {
		if y, ok := p.ledger.Table.CursorLine(); ok && s.input+y < s.top {
			return tab.RowCursor(0, s.input+y)
		}
		return nil
	}
	x := 0
	if s.left > 0 && s.above == 0 {
		x = s.left + 3
	}
	return tab.RowCursor(x, s.above+p.details.CursorLine())
}

func (p *panes) renderBeside(width, height int) string {
	p.split.left, p.split.top, p.split.input = p.ledgerWidth(width), height, 5
	if height < 20 {
		p.split.input = 2
	}
	rule := style.NewBlock(p.view.Theme, 3, height)
	for range height {
		rule.Put(style.Border, " │ ")
	}
	left := p.drawLedger(p.split.left, height)
	return style.Beside(left, rule.String(), p.details.Draw(width-p.split.left-3, height, p.focused))
}

const (
	widestLedger = 90
	// detailsFill is the width beyond which the details leave space empty.
	detailsFill = 96
)

func (p *panes) ledgerWidth(width int) int {
	usual := min(max(width*2/5, 44), 62)
	room := min(width-3-detailsFill, widestLedger)
	if room <= usual {
		return usual
	}
	return max(usual, min(room, p.ledger.Natural()))
}

func (p *panes) renderBelow(width, height int) string {
	p.split.left, p.split.top, p.split.input = width, max(height*2/5, 5), 2
	p.split.above = p.split.top + 1
	rule := style.NewBlock(p.view.Theme, width, 1)
	rule.Line(style.Plain).Repeat(style.Border, "─", width)
	upper := p.drawLedger(width, p.split.top)
	return style.Stack(upper, rule.String(), p.details.Draw(width, height-p.split.top-1, p.focused))
}

func (p *panes) renderDetails(width, height int) string {
	p.split.above = 1
	block := style.NewBlock(p.view.Theme, width, 1)
	line := block.Line(style.Plain)
	if serials := p.inputs()[0]; searching(serials.entry) {
		p.cursor = serials.draw(line, 0)
	} else if r, ok := p.ledger.Selected(); ok {
		line.Put(style.Key, " Esc ")
		line.Put(style.Muted, "ledger   ")
		line.Put(style.Name, style.ClipMiddle(r.ID, line.Room()/2))
		line.Gap(2)
		line.Put(style.Muted, r.Called())
	}
	return style.Stack(block.String(), p.details.Draw(width, height-1, p.focused))
}

func (p *panes) drawLedger(width, height int) string {
	above := min(p.split.input, height)
	// The lines above the table depend on its columns, so the table is drawn first.
	below := style.NewBlock(p.view.Theme, width, height-above)
	notice := p.notice(width, height)
	p.ledger.Draw(below, below.Room()-len(notice), !p.focused)
	below.Blank(below.Room() - len(notice))
	for _, line := range notice {
		below.Put(style.Warning, " "+line)
	}
	block := style.NewBlock(p.view.Theme, width, above)
	p.drawInput(block)
	return style.Stack(block.String(), below.String())
}

func (p *panes) notice(width, height int) []string {
	if lines := style.Wrap("⚠ "+p.problem, width-2); p.problem != "" && len(lines) <= height/3 {
		return lines
	}
	return nil
}

func (p *panes) drawInput(block *style.Block) {
	if p.split.input <= 2 {
		p.drawLine(block, 0)
		return
	}
	block.Put(style.Heading, " LOOK UP")
	p.drawLine(block, 1)
	block.Blank(1)
	line := block.Line(style.Plain)
	line.Put(style.Heading, " LEDGER")
	line.Gap(2)
	line.Put(style.Faint, p.ledger.Counts())
}

func (p *panes) drawLine(block *style.Block, y int) {
	line := block.Line(style.Plain)
	for _, i := range p.inputs() {
		if searching(i.entry) {
			p.cursor = i.draw(line, y)
			if i.entry == &p.ledger.Search && p.ledger.Invalid != "" {
				block.Put(style.Warning, "   ✗ "+p.ledger.Invalid)
				return
			}
			if n := p.ledger.Unsearched(); n > 0 && i.entry == &p.ledger.Search {
				block.Put(style.Warning, "   ⚠ "+model.Count(n, "request", "requests")+" without an answer yet: not fully searched")
				return
			}
			block.Put(style.Faint, i.hint)
			return
		}
	}
	line.Put(style.Accent, " ❯ ")
	line.Put(style.Faint, "press + to look up an id, or paste")
	hint := "   one or many; I imports a file"
	if p.view.Shared {
		hint = "   one or many"
	}
	block.Put(style.Faint, hint)
}

type input struct {
	entry *tab.Entry
	role  style.Role
	mark  string
	hint  string
}

func (p *panes) inputs() [3]input {
	return [...]input{
		{&p.details.Search, style.Key, " / ", "   search serial numbers by text, number or range; Esc clears"},
		{&p.ledger.Search, style.Key, " / ", "   search by id, name or serial; Esc clears"},
		{&p.importer.Line, style.Accent, " ❯ ", "   one id or several; ↵ looks up, Esc cancels"},
	}
}

func (i input) draw(line *style.Line, y int) *tea.Cursor {
	line.Put(i.role, i.mark)
	return i.entry.Draw(line, y)
}

func (p *panes) typing() bool {
	return p.details.Search.Focused() || p.ledger.Search.Focused() || p.importer.Line.Focused()
}

func (p *panes) blur() {
	for _, i := range p.inputs() {
		i.entry.Blur()
	}
}

func search(line *tab.Entry, msg tea.Msg) effect.Effect {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			line.Blur()
			return nil
		case "esc":
			clearLine(line)
			return nil
		}
	}
	return line.Take(msg)
}

func clearLine(line *tab.Entry) {
	line.Blur()
	line.SetValue("")
}

func searching(line *tab.Entry) bool { return line.Focused() || line.Value() != "" }

func (p *panes) startSearch() {
	if p.focused {
		p.details.Search.Focus()
		return
	}
	p.ledger.Search.Focus()
}

func (p *panes) clearSearch() effect.Effect {
	clearLine(&p.ledger.Search)
	return p.ledger.Narrow()
}

func (p *panes) leaveDetails() {
	p.focused = false
	p.clearSerials()
}

func (p *panes) clearSerials() {
	if searching(&p.details.Search) {
		clearLine(&p.details.Search)
		p.details.Build()
	}
}

func (p *panes) back() effect.Effect {
	switch {
	case searching(&p.details.Search):
		p.clearSerials()
	case p.focused:
		p.leaveDetails()
	default:
		return p.clearSearch()
	}
	return nil
}

func (p *panes) startInput(typed string) effect.Effect {
	if typed != "" {
		p.importer.Line.SetValue(typed)
	}
	p.leaveDetails()
	p.importer.Line.Focus()
	return p.clearSearch()
}

func (p *panes) jump(step int) {
	_, p.focused = p.details.Marked()
	p.details.Jump(step)
}
