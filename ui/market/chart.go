package market

import (
	"strings"
	"time"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/chart"
	"tonne/ui/style"
)

// period is a time that the price chart shows; 0 is all that is remembered.
type period struct {
	name string
	time time.Duration
}

var periods = [...]period{{"24 hours", 24 * time.Hour}, {"30 days", 30 * 24 * time.Hour}, {"all", 0}}

// drawChart draws the best ask of the vintage over time.
func (p *pane) drawChart(block *style.Block, r row) {
	observations, known := p.history.of(r.key())
	if !known {
		block.Put(style.Muted, " Reading what is remembered …")
		return
	}
	left := p.lines
	for _, line := range p.forgetful(block.Width()) {
		block.Put(style.Dearer, " "+line)
		left--
	}
	prices := p.prices(r, observations)
	p.drawSummary(block.Line(style.Plain), r, shown(observations, prices.From))
	inner := style.NewBlock(block.Theme(), block.Width()-2, max(left-1, 0))
	prices.Draw(inner, max(left-1, 0))
	margin := style.NewBlock(block.Theme(), 1, max(left-1, 0)).String()
	block.Append(style.Beside(margin, inner.String(), margin))
}

// prices is the chart of what is remembered, with a line at what was last paid.
func (p *pane) prices(r row, observations []store.Observation) chart.Prices {
	from, to := periods[p.period].over(observations, p.tab.view.Market.At)
	paid, ok := r.lastPaid()
	return chart.Prices{
		Points: points(observations, to), From: from, To: to, Zone: p.tab.view.Location,
		Level: chart.Level{Price: paid.Price, Role: style.Paid, Shown: ok},
		Empty: "No sell order has offered a whole tonne since tonne began to look.",
	}
}

// beside is the width from which the chart stands beside the book.
const beside = 150

// drawBook draws the order book, and beside it the chart where there is room.
func (p *pane) drawBook(block *style.Block, r row) {
	if block.Width() < beside || p.lines < 6 {
		p.book.draw(block, p.lines, p.focused)
		return
	}
	left := style.NewBlock(block.Theme(), min(block.Width()*3/5, wide), p.lines)
	p.book.draw(left, p.lines, p.focused)
	gap := style.NewBlock(block.Theme(), 3, p.lines)
	right := style.NewBlock(block.Theme(), block.Width()-left.Width()-2*gap.Width(), p.lines)
	right.Put(style.Heading, "BEST ASK, "+strings.ToUpper(periods[p.period].name))
	if observations, known := p.history.of(r.key()); known {
		p.prices(r, observations).Draw(right, p.lines-1)
	}
	space := gap.String()
	block.Append(style.Beside(left.String(), space, right.String(), space))
}

// over returns the ends of a period that ends with the last poll. It does not
// begin before there is anything to show.
func (p period) over(observations []store.Observation, until time.Time) (from, to time.Time) {
	if len(observations) == 0 {
		return until.Add(-time.Hour), until
	}
	from = observations[0].At
	if begin := until.Add(-p.time); p.time > 0 && begin.After(from) {
		from = begin
	}
	return from, until
}

// shown returns the observations that a chart from a moment on shows, and the
// one that held at its beginning.
func shown(observations []store.Observation, from time.Time) []store.Observation {
	for len(observations) > 1 && !observations[1].At.After(from) {
		observations = observations[1:]
	}
	return observations
}

// points are the prices of a chart. The last one holds until the last poll.
func points(observations []store.Observation, to time.Time) []chart.Point {
	points := make([]chart.Point, 0, len(observations)+1)
	for _, o := range observations {
		points = append(points, chart.Point{At: o.At, Price: o.BestAsk})
	}
	if n := len(observations); n > 0 && to.After(observations[n-1].At) {
		points = append(points, chart.Point{At: to, Price: observations[n-1].BestAsk})
	}
	return points
}

// drawSummary tells the price now, its range, when it moved last and what was
// last paid.
func (p *pane) drawSummary(line *style.Line, r row, seen []store.Observation) {
	line.Gap(1)
	ask := r.vintage().BestAsk
	if ask.Known() {
		line.Put(style.Muted, "now ")
		line.Put(style.Strong, ask.FormatDollars())
	}
	if low, high, ok := extremes(seen); ok {
		line.Put(style.Muted, " · low "+low.FormatDollars()+" · high "+high.FormatDollars())
	}
	if moved := p.history.moved(r.key()); moved != "" {
		line.Put(style.Muted, " · "+moved)
	}
	if paid, ok := r.lastPaid(); ok {
		line.Put(style.Muted, " · last paid ")
		line.Put(style.Paid, "★ "+paid.Price.FormatDollars())
		line.Put(style.Muted, " on "+p.tab.view.Day(paid.ExecutionDate))
	}
}

func extremes(observations []store.Observation) (low, high model.PriceCents, ok bool) {
	for _, o := range observations {
		if !o.BestAsk.Known() {
			continue
		}
		if !ok {
			low, high, ok = o.BestAsk, o.BestAsk, true
		}
		low, high = min(low, o.BestAsk), max(high, o.BestAsk)
	}
	return low, high, ok
}

// forgetful says why the chart will not outlive this run, if it will not.
func (p *pane) forgetful(width int) []string {
	problem := p.tab.memory.store.Problem()
	if problem == nil {
		return nil
	}
	return style.Wrap("⚠ "+problem.Error(), max(width-2, 20))
}

// nextPeriod shows the chart, or its next period where it is shown.
func (p *pane) nextPeriod() {
	if p.kind != showChart {
		p.show(showChart)
		return
	}
	p.period = (p.period + 1) % len(periods)
}

// drawPeriods names the periods behind the title of the chart, the one that is
// shown with emphasis.
func (p *pane) drawPeriods(line *style.Line) {
	for i, period := range periods {
		line.Put(style.Faint, "  ")
		if i == p.period {
			line.Put(style.Strong, period.name)
			continue
		}
		line.Put(style.Faint, period.name)
	}
	line.Put(style.Key, "  c")
	line.Put(style.Faint, " next")
}
