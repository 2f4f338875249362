package market

import (
	"time"

	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// kind says what the pane shows of the selected vintage.
type kind int8

const (
	showBook kind = iota
	showQuote
	showProject
	showChanges
)

// pane is the lower part of the tab. It belongs to the selected row.
type pane struct {
	tab  *Tab
	kind kind
	// focused says that keys walk the pane.
	focused bool
	book    *bookTable
	changes changeTable
	// wanted is what the quote is for.
	wanted wanted
	// skip is how many lines of text are scrolled away.
	skip int
	// lines is the height in the last frame.
	lines int
}

func newPane(t *Tab) pane {
	return pane{tab: t, book: newBookTable(t), changes: newChangeTable(t)}
}

// height is how many of the lines of the body the pane takes.
func (p *pane) height(body int) int {
	switch {
	case body < 9 && p.focused:
		return body
	case body < 9:
		return 0
	case p.focused:
		return body * 3 / 5
	}
	return max(min(body*2/5, 16), 6)
}

// refresh shows the vintage that the cursor is on now.
func (p *pane) refresh() {
	if r, ok := p.tab.selected(); ok {
		if r.key() != p.book.key {
			p.skip = 0
		}
		p.book.show(r)
		return
	}
	p.book.clear()
}

func (p *pane) record(changes model.MarketChanges, now time.Time) { p.changes.record(changes, now) }

// open shows something else, or the book again where it is shown already.
func (p *pane) open(k kind) {
	if p.kind == k {
		k = showBook
	}
	p.kind, p.skip = k, 0
}

// draw adds the pane: a rule that names it, and its content.
func (p *pane) draw(block *paint.Block, lines int) {
	p.lines = lines - 1
	r, ok := p.tab.selected()
	p.drawRule(block.Line(paint.Plain), r, ok)
	end := block.Room() - p.lines
	switch {
	case p.kind == showChanges:
		p.changes.draw(block, p.lines, p.focused)
	case !ok:
	case p.kind == showQuote:
		p.drawText(block, p.quoteLines(r))
	case p.kind == showProject:
		p.drawText(block, p.projectLines(r, block.Width()-2))
	default:
		p.book.draw(block, p.lines, p.focused)
	}
	block.Blank(block.Room() - end)
}

var kindNames = map[kind]string{
	showBook: "order book", showQuote: "quote", showProject: "project", showChanges: "changes",
}

func (p *pane) drawRule(line *paint.Line, r row, ok bool) {
	line.Put(paint.Rule, "─ ")
	switch {
	case p.kind == showChanges:
		line.Put(paint.Name, "All vintages")
	case ok:
		line.Put(paint.Name, r.name()+" · "+view.Year(int(r.vintage().Year)))
	}
	line.Put(paint.Heading, "  "+kindNames[p.kind])
	if p.kind != showChanges && ok {
		line.Put(paint.Faint, "  "+r.vintage().ID)
	}
	line.Gap(1)
	line.Repeat(paint.Rule, "─", line.Room())
}

// text is one line of a pane that is prose.
type text []span

type span struct {
	role paint.Role
	text string
}

// drawText draws prose from where it is scrolled to.
func (p *pane) drawText(block *paint.Block, lines []text) {
	p.skip = max(min(p.skip, len(lines)-p.lines), 0)
	for _, spans := range lines[p.skip:min(p.skip+p.lines, len(lines))] {
		line := block.Line(paint.Plain)
		line.Gap(1)
		for _, s := range spans {
			line.Put(s.role, s.text)
		}
	}
}

// The pane is walked like a table: its rows, or its text by lines.

// Move walks by n rows.
func (p *pane) Move(n int) {
	switch p.kind {
	case showBook:
		p.book.table.Move(n)
	case showChanges:
		p.changes.table.Move(n)
	default:
		p.skip = max(p.skip+n, 0)
	}
}

// PageUp and its like walk by what is on the screen.
func (p *pane) PageUp() { p.Move(-max(p.lines-1, 1)) }

// PageDown walks a page down.
func (p *pane) PageDown() { p.Move(max(p.lines-1, 1)) }

// HalfUp walks half a page up.
func (p *pane) HalfUp() { p.Move(-max(p.lines/2, 1)) }

// HalfDown walks half a page down.
func (p *pane) HalfDown() { p.Move(max(p.lines/2, 1)) }

// Top goes to the first row.
func (p *pane) Top() { p.Move(-everything) }

// Bottom goes to the last row.
func (p *pane) Bottom() { p.Move(everything) }

// everything is more rows than a pane has.
const everything = 1 << 30

func (p *pane) scroll(lines int) { p.Move(lines) }

func (p *pane) click(_, y int) {
	p.focused = true
	if p.kind == showBook {
		if position, ok := p.book.table.HitRow(y - 1); ok {
			p.book.table.MoveTo(position)
		}
	}
}
