package market

import (
	"slices"
	"strings"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type chartPane struct {
	prose
	view   *tab.View
	period chart.Period
	// underBook reports that the chart is below the book of its vintage, which is not named again.
	underBook bool
}

func (p *chartPane) title(s subject) string {
	if p.underBook && s.selected {
		return "Chart"
	}
	return p.heading.title(s)
}

func (p *chartPane) note(line *style.Line, _ subject) { p.period.Draw(line) }

func (p *chartPane) draw(block *style.Block, s subject) {
	prices, known := p.prices(s)
	if known && s.problem != nil {
		for _, line := range style.Wrap("⚠ "+s.problem.Error(), max(block.Width()-2, 20)) {
			block.Put(style.Warning, " "+line)
		}
	}
	if known {
		p.drawSummary(block.Line(style.Plain), s, prices)
	}
	drawPrices(block, 1, prices, known)
}

func drawPrices(block *style.Block, margin int, prices chart.Prices, known bool) {
	if !known {
		block.Put(style.Muted, strings.Repeat(" ", margin)+"Loading the price history …")
		return
	}
	prices.DrawWithin(block, margin)
}

func (p *chartPane) drawCompact(block *style.Block, s subject) {
	heading := block.Line(style.Plain)
	heading.Put(style.Heading, "BEST ASK, "+strings.ToUpper(p.period.Name()))
	prices, known := p.prices(s)
	if known {
		legend(heading, prices)
	}
	drawPrices(block, 0, prices, known)
}

func (p *chartPane) prices(s subject) (chart.Prices, bool) {
	observations, known := s.history.all(s.key())
	if !known {
		return chart.Prices{}, false
	}
	to := p.view.Market.At
	if !p.view.Recorded.At.IsZero() {
		to = p.view.Recorded.Live
	}
	from := to.Add(-time.Hour)
	if len(observations) > 0 {
		from = p.period.From(observations[0].At, to)
	}
	paid, ok := s.lastPaid()
	prices := chart.Prices{
		Marks: p.bought(s.key(), from, to), Gaps: s.history.gaps(), Points: points(observations, to), From: from, To: to,
		Zone: p.view.Location, Cursor: p.view.Recorded.At,
		Level: chart.Level{Price: paid.Price, Role: style.Paid, Shown: ok},
		Empty: "No sell order has offered a whole tonne since tonne started watching.",
	}
	return prices, true
}

func (p *chartPane) bought(key model.VintageKey, from, to time.Time) []chart.Mark {
	var marks []chart.Mark
	for _, x := range p.view.Bought(key) {
		if at := x.ExecutionDate; at.Known() && x.Price.Known() && !at.Time.Before(from) && !at.Time.After(to) {
			marks = append(marks, chart.Mark{At: at.Time, Price: x.Price, Role: style.Paid, Sign: "★"})
		}
	}
	return marks
}

func legend(line *style.Line, prices chart.Prices) {
	if prices.Broken(line.Used() + line.Room() - besidesLine) {
		line.Put(style.Faint, "  · ")
		line.Put(style.Muted, "not watched")
	}
	if n := prices.Marked(); n > 0 {
		line.Put(style.Paid, "  ★ ")
		line.Put(style.Muted, "our purchases, "+model.Count(n, "trade", "trades"))
	}
}

const besidesLine = 10

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

func (p *chartPane) drawSummary(line *style.Line, s subject, prices chart.Prices) {
	line.Gap(1)
	ask := s.vintage().BestAsk
	if ask.Known() {
		if p.view.Recorded.At.IsZero() {
			line.Put(style.Muted, "now ")
		} else {
			line.Put(style.Muted, "then ")
		}
		line.Put(style.Strong, ask.FormatDollars())
	}
	if low, high, ok := prices.Bounds(); ok {
		line.Put(style.Muted, " · low "+low.FormatDollars()+" · high "+high.FormatDollars())
	}
	legend(line, prices)
	if moved := s.history.moved(s.key()); moved != "" {
		line.Put(style.Muted, " · "+moved)
	}
	if paid, ok := s.lastPaid(); ok {
		line.Put(style.Muted, " · last paid ")
		line.Put(style.Paid, "★ "+paid.Price.FormatDollars())
		line.Put(style.Muted, " on "+p.view.Day(paid.ExecutionDate))
	}
}

type history struct {
	view *tab.View
	// wanted are the vintages that were requested last.
	wanted []model.VintageKey
	prices session.PricesEvent
}

func (h *history) gaps() (gaps []chart.Gap) {
	for _, g := range h.prices.Gaps {
		gaps = append(gaps, chart.Gap(g))
	}
	return gaps
}

// all returns the observations of a vintage, also those after a recorded time.
func (h *history) all(key model.VintageKey) ([]store.Observation, bool) {
	observations, read := h.prices.Observations[key]
	return observations, read && h.prices.Err == nil
}

// of returns the observations up to the time of the market on the screen.
func (h *history) of(key model.VintageKey) ([]store.Observation, bool) {
	observations, known := h.all(key)
	if at := h.view.Recorded.At; !at.IsZero() {
		later := slices.IndexFunc(observations, func(o store.Observation) bool { return o.At.After(at) })
		if later >= 0 {
			observations = observations[:later]
		}
	}
	return observations, known
}

func (h *history) moved(key model.VintageKey) string {
	observations, ok := h.of(key)
	if !ok || len(observations) == 0 {
		return ""
	}
	last := len(observations) - 1
	for last > 0 && observations[last-1].BestAsk == observations[last].BestAsk {
		last--
	}
	at := observations[last].At
	if last == 0 {
		return "ask unchanged since " + h.view.Moment(model.At(at))
	}
	when := h.view.Ago(at)
	for _, g := range h.prices.Gaps {
		if g.Until.Equal(at) {
			when = h.view.Between(g.From, g.Until)
		}
	}
	switch was, now := observations[last-1].BestAsk, observations[last].BestAsk; {
	case !was.Known():
		return "on offer again " + when + ": " + now.FormatDollars()
	case !now.Known():
		return "sold out or withdrawn " + when + ", at " + was.FormatDollars()
	default:
		return "moved " + when + ": " + was.FormatDollars() + " → " + now.FormatDollars()
	}
}
