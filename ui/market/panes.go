package market

import (
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type panes struct {
	book    *bookPane
	quote   *quotePane
	project *projectPane
	changes *changesPane
	chart   *chartPane
	basket  *basketPane
	compare *comparePane
	watch   *watching
	list    *vintages
	shown   pane
	// visible is whether the tab is shown.
	visible bool
	focused bool
	wide    bool
	lines   int
}

func newPanes(list *vintages, watch *watching, safe func(url string) (host string, err error)) panes {
	v := list.view
	p := panes{
		book: newBookPane(v), quote: &quotePane{view: v}, project: &projectPane{safe: safe},
		changes: newChangesPane(v), chart: &chartPane{view: v}, basket: newBasketPane(list), watch: watch, list: list,
	}
	p.quote.called, p.project.called, p.chart.called = "quote", "project", "best ask"
	p.compare = newComparePane(v, p.chart)
	p.shown = p.book
	return p
}

func (p *panes) onBook() bool { return p.shown == pane(p.book) }

func (p *panes) onBasket() bool { return p.shown == pane(p.basket) }

func (p *panes) onCompare() bool { return p.shown == pane(p.compare) }

func (p *panes) onHistory() bool { return p.visible && p.shown == pane(p.watch.history) }

func (p *panes) recompute() effect.Effect { return p.basket.recompute(p.onBasket()) }

func (p *panes) show(other pane) {
	p.shown = other
	other.rewind()
	p.visit()
}

func (p *panes) open(other pane) {
	if p.shown == other {
		other = p.book
	}
	p.show(other)
}

func (p *panes) focus(on bool) {
	p.focused = on
	p.visit()
}

func (p *panes) visit() { p.book.visited = p.book.visited || p.focused && p.onBook() }

func (p *panes) nextPeriod() {
	switch {
	case p.shown == pane(p.compare):
		p.compare.nextPeriod()
	case p.wide || p.shown == pane(p.chart):
		p.chart.period = p.chart.period.Next()
	default:
		p.show(p.chart)
	}
}

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

func (p *panes) remeasure() {
	p.book.retitle()
	p.changes.table.Remeasure()
	p.watch.list.table.Remeasure()
	p.basket.table.Retitle("tonnes", p.basket.view.Unit())
	p.watch.history.table.Remeasure()
}

const (
	leastPane, leastChart = 4, 8
	// leastBook fits a border, a heading, five orders and the summary.
	leastBook = 8
)

// steady limits the lines of the pane. An unfocused book always has the same height, so that the table does not jump.
func (p *panes) steady(width int) int {
	switch {
	case !p.onBook():
		return max(p.shown.needs(), leastPane)
	case p.focused:
		return max(p.book.needs(), leastBook)
	case width >= beside:
		return leastChart + 3
	}
	return leastBook
}

const beside = 150

func (p *panes) drawPane(theme *style.Theme, width, height int, shown pane, s subject) string {
	title := shown.title(s)
	inside := style.NewBlock(theme, width, height-1)
	switch {
	case title == "":
	case shown != pane(p.book) || p.wide:
		shown.draw(inside, s)
	case width >= beside && height >= leastChart:
		p.drawBookAndChart(inside, s)
	default:
		p.drawBookOverChart(inside, s)
	}
	// The border shows how many lines are hidden, which is known only after drawing.
	below := 0
	if title != "" {
		below = shown.below()
	}
	border := tab.DrawBorder(theme, width, below, func(line *style.Line) {
		line.Put(style.Border, "─")
		if title != "" {
			line.Gap(1)
			line.Put(style.Name, title)
			line.Put(style.Heading, "  "+shown.name())
			shown.note(line, s)
			line.Gap(1)
		}
	})
	return style.Stack(border, inside.String())
}

func (p *panes) drawBookOverChart(block *style.Block, s subject) {
	lines := leastBook - 1
	if p.focused {
		lines = p.book.needs()
	}
	if block.Room()-lines < leastChart {
		lines = block.Room()
	}
	book := style.NewBlock(block.Theme(), block.Width(), lines)
	p.book.draw(book, s)
	block.Append(book.String())
	block.Split(1, 0, 1, func(*style.Block) {}, func(chart *style.Block) { p.chart.drawCompact(chart, s) })
}

func (p *panes) drawBookAndChart(block *style.Block, s subject) {
	block.Split(min(block.Width()*3/5, wide), chartGap, chartGap,
		func(left *style.Block) { p.book.draw(left, s) }, func(right *style.Block) { p.chart.drawCompact(right, s) })
}

// Move moves by n rows, or scrolls by n lines of text.
func (p *panes) Move(n int) { p.shown.move(n) }

// Leap is the same as Move.
func (p *panes) Leap(n int) { p.Move(n) }

// Screenful returns the steps of a page and of half a page.
func (p *panes) Screenful() (whole, half int) { return max(p.lines-1, 1), max(p.lines/2, 1) }

// cursorList is the list with the cursor: that of the focused pane if it has one, else the table.
func (p *panes) cursorList() list {
	if p.focused {
		if lower := p.shown.cursorList(); lower != nil {
			return lower
		}
	}
	return p.list.table
}

func (p *panes) closing() func() effect.Effect {
	if !p.focused && p.onBook() {
		return nil
	}
	return effect.Do(p.close)
}

// close shows the order book again, without the focus.
func (p *panes) close() {
	p.focus(false)
	p.show(p.book)
}

func (p *panes) toggleRules() {
	switch {
	case p.shown == pane(p.watch.list):
		p.close()
	case p.shown == pane(p.watch.history) || len(p.watch.fired) == 0 && !p.wide:
		// The wide layout always shows the list, so w focuses it.
		p.focus(p.focused || p.wide)
		p.show(p.watch.list)
	default:
		p.watch.history.table.Top()
		p.show(p.watch.history)
		p.focus(true)
		p.watch.look()
	}
}

func (p *panes) whyNotRemove() string {
	switch {
	case p.shown != pane(p.watch.list):
		return "w opens the watch list; x removes a rule there."
	case p.watch.list.table.Len() == 0:
		return "You watch nothing yet."
	}
	return ""
}

func (p *panes) whyNoBasket() string {
	if !p.onBasket() {
		return "No basket is shown. B creates one."
	}
	return p.basket.whyNone()
}
