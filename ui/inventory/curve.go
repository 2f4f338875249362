package inventory

import (
	"strings"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type curve struct {
	view    *tab.View
	history session.PortfolioHistoryEvent
	// began is the time of the first point. In the first hour the only point moves.
	began  time.Time
	shown  bool
	period chart.Period
	detail tab.Detail
}

func (c *curve) take(e session.PortfolioHistoryEvent) {
	c.history = e
	if len(e.Points) > 0 && (c.began.IsZero() || e.Points[0].At.Before(c.began)) {
		c.began = e.Points[0].At
	}
}

func (c *curve) next() {
	if c.shown {
		c.period = c.period.Next()
	}
	c.shown = true
}

func (c *curve) needs(width int) int {
	if len(c.history.Points) > 1 {
		return tab.Prose
	}
	lines := 1 + len(c.warning(width))
	if c.history.Err == nil || len(c.history.Points) == 1 {
		lines++
	}
	return lines
}

func (c *curve) draw(width, height int) string {
	block := style.NewBlock(c.view.Theme, width, height)
	block.Append(tab.DrawBorder(c.view.Theme, width, 0, c.drawRule))
	for _, line := range c.warning(width) {
		block.Put(style.Warning, " "+line)
	}
	switch {
	case c.history.Err != nil && len(c.history.Points) == 0:
	case len(c.history.Points) == 1:
		block.Put(style.Muted, " Recording since "+c.view.Moment(model.At(c.began))+": one point per hour.")
	default:
		c.prices().DrawWithin(block, 1)
	}
	return block.String()
}

func (c *curve) warning(width int) []string {
	if c.history.Err == nil {
		return nil
	}
	return style.Wrap("⚠ "+strings.ReplaceAll(c.history.Err.Error(), "\n", "; "), max(width-2, 20))
}

func (c *curve) drawRule(line *style.Line) {
	line.Put(style.Border, "─ ")
	line.Put(style.Name, "Inventory value at the best ask")
	if _, known := c.cost(); known {
		line.Put(style.Muted, "  ")
		line.Put(style.Paid, "┄")
		line.Put(style.Muted, " cost")
	}
	c.period.Draw(line)
	line.Put(style.Faint, " ")
}

func (c *curve) prices() chart.Prices {
	all := c.history.Points
	p := chart.Prices{Zone: c.view.Location,
		Empty: "No data yet: the value of the inventory is recorded while tonne runs."}
	if len(all) == 0 {
		return p
	}
	last := all[len(all)-1]
	p.Gaps = c.unrecorded()
	p.From, p.To = c.period.From(all[0].At, last.At), last.At
	for _, point := range all {
		p.Points = append(p.Points, chart.Point{At: point.At, Price: model.PriceCents(point.Value.Value)})
	}
	cost, known := c.cost()
	p.Level = chart.Level{Price: model.PriceCents(cost), Role: style.Paid, Shown: known}
	return p
}

// Points are an hour apart, and a day apart once they are old. Twice the distance is a gap.
const (
	hourApart = 2 * time.Hour
	dayApart  = 2 * 24 * time.Hour
	old       = 13 * 24 * time.Hour
)

func (c *curve) unrecorded() (gaps []chart.Gap) {
	points := c.history.Points
	for i := 1; i < len(points); i++ {
		from, until := points[i-1].At, points[i].At
		apart := hourApart
		if points[len(points)-1].At.Sub(from) > old {
			apart = dayApart
		}
		if until.Sub(from) > apart {
			gaps = append(gaps, chart.Gap{From: from, Until: until})
		}
	}
	return gaps
}

// cost returns the cost of the inventory if it covers the same tonnes as the newest value.
func (c *curve) cost() (model.Cents, bool) {
	if len(c.history.Points) == 0 {
		return 0, false
	}
	v := c.history.Points[len(c.history.Points)-1].Value
	return v.Cost, v.Costed > 0 && v.Compared == v.Valued && v.Compared == v.Costed
}
