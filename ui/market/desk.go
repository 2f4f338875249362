package market

import (
	"fmt"

	"tonne/ui/chart"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// The desk view is for terminals from deskWidth columns on, with room for
// deskLines lines of the tab. A rule stands between the table and what is beside
// it.
const (
	deskWidth = 160
	deskLines = 18
	ruleWidth = 2
	bookSums  = 80
)

const (
	deskChoice = "market.desk"
	deskOn     = "on"
	deskOff    = "off"
)

func deskFits(width, height int) bool { return width >= deskWidth && height >= deskLines }

func deskLeft(width int) int { return width * 5 / 8 }

func (p place) whyNotDesk() string {
	switch {
	case p.width < deskWidth:
		return fmt.Sprintf("The desk view needs %d columns, there are %d.", deskWidth, p.width)
	case p.height < deskLines:
		return fmt.Sprintf("The desk view needs %d more lines.", deskLines-p.height)
	}
	return ""
}

func (t *Tab) toggleDesk() effect.Effect {
	t.desk, t.chose = !t.desk, true
	value := deskOff
	if t.desk {
		value = deskOn
	}
	t.session.Choose(deskChoice, value)
	return nil
}

// sidePlace is how what is beside the table is divided: how many lines the watch
// list, the book and the chart have. The zero value is the plain view.
type sidePlace struct{ width, watched, book, chart int }

func (s sidePlace) lines() int { return s.watched + s.book + s.chart }

func (s sidePlace) above(book bool) int {
	if book {
		return s.watched
	}
	return 0
}

func (s sidePlace) walked(book bool) int {
	if book {
		return s.book - 2
	}
	return s.watched - 1
}

// placeSide gives the watch list as many lines as it needs, up to a third, the
// book as many as it needs, up to half of the rest, and the chart what they leave.
func (p *panes) placeSide(width, height int) sidePlace {
	s := sidePlace{width: width}
	s.watched = min(max(p.watch.list.table.Len(), 2)+1, height/3)
	s.book = min(p.book.needs(), (height-s.watched+1)/2)
	s.chart = height - s.watched - s.book
	return s
}

func (p *panes) aside() bool {
	return p.desk && (p.onBook() || p.shown == pane(p.watch.list))
}

func (p *panes) lower() pane {
	if p.aside() {
		return p.changes
	}
	return p.shown
}

// border is how many lines the pane that is shown has above what it shows: beside
// the table, the watch list has none.
func (p *panes) border() int {
	if p.aside() && !p.onBook() {
		return 0
	}
	return 1
}

func (p *panes) arrange(desk bool, width int) {
	p.desk = desk
	p.watch.list.shorten(desk)
	p.book.shorten(desk && width-deskLeft(width) < bookSums)
	if desk && p.shown == pane(p.chart) {
		p.shown = p.book
	}
}

func (p *panes) sideAt(at sidePlace, y int) pane {
	switch {
	case y < at.watched:
		return p.watch.list
	case y < at.watched+at.book:
		return p.book
	}
	return nil
}

func (p *panes) drawSide(theme *style.Theme, at sidePlace, s subject) string {
	width := at.width - ruleWidth
	focused := p.focused
	s.focused = focused && p.shown == pane(p.watch.list)
	watched := style.NewBlock(theme, width, at.watched)
	p.watch.list.draw(watched, s)
	s.focused = focused && p.onBook()
	return style.Stack(watched.String(), p.drawPane(theme, width, at.book, p.book, s), p.drawChart(theme, width, at.chart, s))
}

func drawRule(theme *style.Theme, height int) string {
	block := style.NewBlock(theme, ruleWidth, height)
	for range height {
		block.Put(style.Border, " │")
	}
	return block.String()
}

func (p *panes) drawChart(theme *style.Theme, width, height int, s subject) string {
	inside := style.NewBlock(theme, width-1, height-1)
	var prices chart.Prices
	if s.selected {
		var known bool
		prices, known = p.chart.prices(s)
		drawPrices(inside, 0, prices, known)
	}
	border := tab.DrawBorder(theme, width, 0, func(line *style.Line) {
		line.Put(style.Border, "─")
		line.Put(style.Heading, " best ask")
		p.chart.note(line, s)
		legend(line, prices)
		if prices.Levelled() {
			line.Put(style.Paid, "  ┄ ")
			line.Put(style.Muted, "last paid")
		}
		line.Gap(1)
	})
	return style.Stack(border, style.Beside(style.NewBlock(theme, 1, height-1).String(), inside.String()))
}
