package market

import (
	"time"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// kind says what the pane shows of the selected vintage.
type kind int8

const (
	showBook kind = iota
	showQuote
	showProject
	showChanges
	showChart
	showWatched
)

// pane is the lower part of the tab. It belongs to the selected row.
type pane struct {
	tab  *Tab
	kind kind
	// focused says that keys walk the pane.
	focused bool
	book    *bookTable
	changes changeTable
	watched watchTable
	// history is of the selected vintage, and period what the chart shows of
	// it.
	history history
	period  int
	// wanted is what the quote is for.
	wanted wanted
	// skip is how many lines of text are scrolled away.
	skip int
	// lines is the height in the last frame.
	lines int
}

func newPane(t *Tab) pane {
	return pane{tab: t, book: newBookTable(t), changes: newChangeTable(t), watched: newWatchTable(t), history: history{tab: t}}
}

// needs is how many lines the pane would like to have: its rule and its rows.
func (p *pane) needs() int {
	switch p.kind {
	case showBook:
		return 1 + p.book.needs()
	case showChanges:
		return 2 + max(p.changes.table.Len(), 1)
	case showWatched:
		return 2 + max(p.watched.table.Len(), 1)
	}
	return tab.Prose
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

// show shows something else, from its beginning.
func (p *pane) show(k kind) { p.kind, p.skip = k, 0 }

// open shows something else, or the book again where it is shown already.
func (p *pane) open(k kind) {
	if p.kind == k {
		k = showBook
	}
	p.show(k)
}

// render draws the pane: a rule that names it, and its content.
func (p *pane) render(width, height int) string {
	block := style.NewBlock(p.tab.view.Theme, width, height)
	p.lines = height - 1
	r, ok := p.tab.selected()
	p.drawRule(block.Line(style.Plain), r, ok)
	switch {
	case p.kind == showChanges:
		p.changes.draw(block, p.lines, p.focused)
	case p.kind == showWatched:
		p.watched.draw(block, p.lines, p.focused)
	case !ok:
	case p.kind == showChart:
		p.drawChart(block, r)
	case p.kind == showQuote:
		p.drawQuote(block, r)
	case p.kind == showProject:
		p.drawText(block, p.projectLines(r, block.Width()-2))
	default:
		p.drawBook(block, r)
	}
	return block.String()
}

var kindNames = map[kind]string{
	showBook: "order book", showQuote: "quote", showProject: "project", showChanges: "changes",
	showChart: "best ask", showWatched: "rules",
}

func (p *pane) drawRule(line *style.Line, r row, ok bool) {
	line.Put(style.Rule, "─")
	if !ok && p.kind != showChanges && p.kind != showWatched {
		line.Repeat(style.Rule, "─", line.Room())
		return
	}
	line.Gap(1)
	switch {
	case p.kind == showChanges:
		line.Put(style.Name, "All vintages")
	case p.kind == showWatched:
		line.Put(style.Name, "Watch list")
	case ok:
		line.Put(style.Name, r.name()+" · "+tab.Year(int(r.vintage().Year)))
	}
	line.Put(style.Heading, "  "+kindNames[p.kind])
	p.drawNote(line, r, ok)
	line.Gap(1)
	line.Repeat(style.Rule, "─", line.Room())
}

// drawNote says behind the title what belongs to what the pane shows.
func (p *pane) drawNote(line *style.Line, r row, ok bool) {
	switch {
	case p.kind == showChanges:
	case p.kind == showWatched:
		line.Put(style.Key, "  ↵")
		line.Put(style.Faint, " walks and shows the vintage")
		line.Put(style.Key, "  x")
		line.Put(style.Faint, " removes")
	case p.kind == showChart:
		p.drawPeriods(line)
	case p.kind == showQuote:
		line.Put(style.Key, "  Y")
		line.Put(style.Faint, " copies it")
	case ok:
		line.Put(style.Faint, "  "+r.vintage().ID)
	}
}

// text is one line of a pane that is prose.
type text []span

type span struct {
	role style.Role
	text string
}

// drawText draws prose from where it is scrolled to.
func (p *pane) drawText(block *style.Block, lines []text) {
	p.skip = max(min(p.skip, len(lines)-p.lines), 0)
	for _, line := range lines[p.skip:min(p.skip+p.lines, len(lines))] {
		line.put(block.Line(style.Plain))
	}
}

// put writes the text with a margin.
func (t text) put(line *style.Line) {
	line.Gap(1)
	for _, s := range t {
		if s.role == style.Link {
			line.Link(s.role, s.text, s.text)
			continue
		}
		line.Put(s.role, s.text)
	}
}

// The pane is walked like a table: its rows, or its text by lines.

// Move walks by n rows.
func (p *pane) Move(n int) {
	if t := p.walked(); t != nil {
		t.Move(n)
		return
	}
	p.skip = max(p.skip+n, 0)
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

// click takes the keys, and moves the cursor of a table to a line.
func (p *pane) click(y int) {
	p.focused = true
	if t := p.walked(); t != nil {
		if position, ok := t.HitRow(y - 1); ok {
			t.MoveTo(position)
		}
	}
}

// list is a table that the pane shows.
type list interface {
	Move(n int)
	MoveTo(position int)
	Left()
	Right()
	HitRow(y int) (position int, ok bool)
	CopyCell() string
	CopyRow() string
}

// walked is the table that the pane shows, or nil where it shows text.
func (p *pane) walked() list {
	switch p.kind {
	case showBook:
		return p.book.table
	case showChanges:
		return p.changes.table
	case showWatched:
		return p.watched.table
	}
	return nil
}

// pointsAt returns the vintage that the cursor of a list of vintages is on, and
// false where the pane shows no such list, or an empty one.
func (p *pane) pointsAt() (model.VintageKey, bool) {
	switch p.kind {
	case showChanges:
		c, ok := p.changes.table.Current()
		return c.Vintage, ok
	case showWatched:
		r, ok := p.watched.table.Current()
		return r.Vintage, ok
	}
	return model.VintageKey{}, false
}
