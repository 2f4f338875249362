package market

import (
	"tonne/ui/style"
	"tonne/ui/tab"
)

// panes is the lower part of the tab, which shows one pane at a time.
type panes struct {
	book    *bookPane
	quote   *quotePane
	project *projectPane
	changes *changesPane
	chart   *chartPane
	watched *watchlistPane
	// shown is one of them.
	shown pane
	// focused says that keys walk the pane.
	focused bool
	// lines is the height in the last frame.
	lines int
}

func newPanes(v *tab.View, safe func(url string) (host string, err error)) panes {
	p := panes{
		book: newBookPane(v), quote: &quotePane{view: v}, project: &projectPane{safe: safe},
		changes: newChangesPane(v), chart: &chartPane{view: v}, watched: newWatchlistPane(v),
	}
	p.shown = p.book
	return p
}

// onBook reports whether the order book is shown, which is where one begins.
func (p *panes) onBook() bool { return p.shown == pane(p.book) }

// show shows another pane, from its beginning.
func (p *panes) show(other pane) {
	p.shown = other
	other.rewind()
	p.visit()
}

// open shows another pane, or the book again if it is shown already.
func (p *panes) open(other pane) {
	if p.shown == other {
		other = p.book
	}
	p.show(other)
}

// focus gives the pane the keys or takes them away.
func (p *panes) focus(on bool) {
	p.focused = on
	p.visit()
}

// visit notes that somebody is in the book.
func (p *panes) visit() { p.book.visited = p.book.visited || p.focused && p.onBook() }

// nextPeriod shows the chart, or its next period if it is shown.
func (p *panes) nextPeriod() {
	if p.shown != pane(p.chart) {
		p.show(p.chart)
		return
	}
	p.chart.nextPeriod()
}

// refresh shows another vintage, or none.
func (p *panes) refresh(r row, selected bool) {
	if !selected {
		p.book.clear()
		return
	}
	if r.key() != p.book.key {
		p.shown.rewind()
	}
	p.book.show(r)
	p.visit()
}

// remeasure takes headings and widths anew.
func (p *panes) remeasure() {
	p.book.retitle()
	p.changes.table.Remeasure()
	p.watched.table.Remeasure()
}

// beside is the width from which the chart stands beside the book.
const beside = 150

// render draws a border that names the pane, and the pane.
func (p *panes) render(theme *style.Theme, width, height int, s subject) string {
	block := style.NewBlock(theme, width, height)
	p.lines = height - 1
	title := p.shown.title(s)
	inside := style.NewBlock(theme, width, p.lines)
	switch {
	case title == "":
	case p.onBook() && width >= beside && p.lines >= 6:
		p.drawBookAndChart(inside, s)
	default:
		p.shown.draw(inside, s)
	}
	// The border says how the pane goes on, which is known once it is drawn.
	below := 0
	if title != "" {
		below = p.shown.below()
	}
	block.Append(tab.DrawBorder(theme, width, below, func(line *style.Line) { p.drawBorder(line, title, s) }))
	block.Append(inside.String())
	return block.String()
}

func (p *panes) drawBorder(line *style.Line, title string, s subject) {
	line.Put(style.Border, "─")
	if title != "" {
		line.Gap(1)
		line.Put(style.Name, title)
		line.Put(style.Heading, "  "+p.shown.name())
		p.shown.note(line, s)
		line.Gap(1)
	}
}

func (p *panes) drawBookAndChart(block *style.Block, s subject) {
	left := style.NewBlock(block.Theme(), min(block.Width()*3/5, wide), p.lines)
	p.book.draw(left, s)
	gap := style.NewBlock(block.Theme(), 3, p.lines)
	right := style.NewBlock(block.Theme(), block.Width()-left.Width()-2*gap.Width(), p.lines)
	p.chart.drawBeside(right, s)
	space := gap.String()
	block.Append(style.Beside(left.String(), space, right.String(), space))
}

// Move walks by n rows, or lines of text.
func (p *panes) Move(n int) { p.shown.move(n) }

// PageUp and its like walk by what is on the screen.
func (p *panes) PageUp() { p.Move(-max(p.lines-1, 1)) }

// PageDown walks a page down.
func (p *panes) PageDown() { p.Move(max(p.lines-1, 1)) }

// HalfUp walks half a page up.
func (p *panes) HalfUp() { p.Move(-max(p.lines/2, 1)) }

// HalfDown walks half a page down.
func (p *panes) HalfDown() { p.Move(max(p.lines/2, 1)) }

// Top goes to the first row.
func (p *panes) Top() { p.Move(-everything) }

// Bottom goes to the last row.
func (p *panes) Bottom() { p.Move(everything) }

// everything is more rows than a pane has.
const everything = 1 << 30

// walked is the table that keys walk now, nil if that is not one of a pane.
func (p *panes) walked() list {
	if !p.focused {
		return nil
	}
	return p.shown.walked()
}

// click takes the keys, and moves the cursor of a table to a line.
func (p *panes) click(y int) {
	p.focus(true)
	if t := p.walked(); t != nil {
		if position, ok := t.HitRow(y - 1); ok {
			t.MoveTo(position)
		}
	}
}
