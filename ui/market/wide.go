package market

import (
	"fmt"

	"tonne/ui/chart"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// The wide layout is for terminals from wideWidth columns on, with room for
// wideLines lines of the tab. A rule stands between the table and what is beside it.
const (
	wideWidth = 160
	wideLines = 18
	ruleWidth = 2
	bookSums  = 80
)

// The wide layout is remembered under a name, which has the value wideOn or wideOff.
const (
	wideChoice = "market.desk"
	wideOn     = "on"
	wideOff    = "off"
)

func (p place) whyNotWide() string {
	switch {
	case p.width < wideWidth:
		return fmt.Sprintf("The desk view needs %d columns, there are %d.", wideWidth, p.width)
	case p.height < wideLines:
		return fmt.Sprintf("The desk view needs %d more lines.", wideLines-p.height)
	}
	return ""
}

func (t *Tab) toggleWide() effect.Effect {
	t.wide, t.chose = !t.wide, true
	t.session.Choose(wideChoice, map[bool]string{true: wideOn, false: wideOff}[t.wide])
	return nil
}

// sidePlace is how what is beside the table is divided: how many lines the watch
// list, the book and the chart have.
type sidePlace struct{ width, watched, book, chart int }

// placeSide gives the watch list as many lines as it needs, up to a third, the
// book as many as it needs, up to half of the rest, and the chart what they leave.
func (p *panes) placeSide(width, height int) sidePlace {
	s := sidePlace{width: width}
	s.watched = min(max(p.watch.list.table.Len(), 2)+1, height/3)
	s.book = min(p.book.needs(), (height-s.watched+1)/2)
	s.chart = height - s.watched - s.book
	return s
}

// aside reports whether the pane that is shown is beside the table.
func (p *panes) aside() bool {
	return p.wide && (p.onBook() || p.shown == pane(p.watch.list))
}

func (p *panes) lower() pane {
	if p.aside() {
		return p.changes
	}
	return p.shown
}

func (p *panes) arrange(wide bool, sideWidth int) {
	p.wide = wide
	p.watch.list.shorten(wide)
	p.book.shorten(wide && sideWidth < bookSums)
	if wide && p.shown == pane(p.chart) {
		p.shown = p.book
	}
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
