// Package chart draws prices over time and bars, in characters of one cell.
package chart

import (
	"slices"
	"time"

	"tonne/model"
	"tonne/ui/style"
)

// Prices is a chart of prices over time, each of which holds until the next.
type Prices struct {
	// Points are the prices in any order; of those of one moment the last holds.
	Points []Point
	// From and To are the ends of the time that is shown; zero is the first and the last point. The last
	// price before From holds at From.
	From, To time.Time
	// Zone is where days and hours begin; nil is the zone of the machine.
	Zone *time.Location
	// Level is a price to hold the others against: a line across the chart, unless it is too far away.
	Level Level
	// Marks, such as of purchases, are left out outside the time or too far from the prices.
	Marks []Mark
	// Gaps are times without an observation: the line is broken there, above dots.
	Gaps []Gap
	// Empty is what is said if there is no price to show.
	Empty string
}

// Mark is a sign, one cell wide, at a price at a moment.
type Mark struct {
	At    time.Time
	Price model.PriceCents
	Role  style.Role
	Sign  string
}

// Level is a line at a price.
type Level struct {
	Price model.PriceCents
	Role  style.Role
	Shown bool
}

// Draw fills the block.
func (p Prices) Draw(b *style.Block) {
	if b.Room() > 0 {
		p.draw(b, b.Room())
	}
	b.Blank(b.Room())
}

// DrawWithin fills the block, but for a margin of so many cells on both sides.
func (p Prices) DrawWithin(b *style.Block, margin int) {
	side := style.NewBlock(b.Theme(), margin, b.Room()).String()
	inside := style.NewBlock(b.Theme(), b.Width()-2*margin, b.Room())
	p.Draw(inside)
	b.Append(style.Beside(side, inside.String(), side))
}

func (p Prices) draw(b *style.Block, height int) {
	p.Points = inOrder(p.Points)
	p.span()
	low, high, ok := p.Bounds()
	if !ok {
		b.Put(style.Faint, p.Empty)
		return
	}
	if p.Level.Shown = p.Level.Shown && p.Level.near(low, high); p.Level.Shown {
		low, high = min(low, p.Level.Price), max(high, p.Level.Price)
	}
	low, high = p.keepMarks(low, high)
	rows := height - 1
	if rows < 2 {
		p.short(b)
		return
	}
	a := newAxis(low, high, rows)
	labels := a.labels(rows)
	columns := b.Width() - labels - 2
	if columns < spacing {
		p.short(b)
		return
	}
	c := newPolyline(p.Points, p.Gaps, p.From, p.To, a, columns, rows)
	c.mark(p.Marks, p.From, p.To, a)
	for row := rows - 1; row >= 0; row-- {
		p.write(b.Line(style.Plain), &c, row, a, labels)
	}
	p.times(b.Line(style.Plain), labels+2, columns)
}

// Marked returns how many of the marks the chart shows.
func (p Prices) Marked() int {
	p.span()
	if low, high, ok := p.Bounds(); ok {
		p.keepMarks(low, high)
		return len(p.Marks)
	}
	return 0
}

// Broken reports whether the chart shows a gap in that width.
func (p Prices) Broken(width int) bool {
	p.span()
	return slices.Contains(unknownColumns(p.Gaps, p.From, p.To, max(width, 1)), true)
}

func (p *Prices) keepMarks(low, high model.PriceCents) (with, up model.PriceCents) {
	with, up = low, high
	var kept []Mark
	for _, m := range p.Marks {
		if m.At.Before(p.From) || m.At.After(p.To) || !(Level{Price: m.Price}).near(low, high) {
			continue
		}
		kept = append(kept, m)
		with, up = min(with, m.Price), max(up, m.Price)
	}
	p.Marks = kept
	return with, up
}

func (p *Prices) span() {
	if p.Zone == nil {
		p.Zone = time.Local
	}
	if n := len(p.Points); n > 0 {
		if p.From.IsZero() {
			p.From = p.Points[0].At
		}
		if p.To.IsZero() {
			p.To = p.Points[n-1].At
		}
	}
	if !p.From.Before(p.To) {
		// A single moment stands at the end of its day.
		p.From = p.To.Add(-24 * time.Hour)
	}
	p.From, p.To = p.From.In(p.Zone), p.To.In(p.Zone)
}

// Bounds returns the lowest and the highest price of the time that is shown, if any.
func (p *Prices) Bounds() (low, high model.PriceCents, ok bool) {
	for i, point := range p.Points {
		over := i+1 < len(p.Points) && p.Points[i+1].At.Before(p.From)
		if over || point.At.After(p.To) || !point.Price.Known() {
			continue
		}
		if !ok {
			low, high, ok = point.Price, point.Price, true
		}
		low, high = min(low, point.Price), max(high, point.Price)
	}
	return low, high, ok
}

func (p *Prices) short(b *style.Block) {
	var prices []model.PriceCents
	price := ""
	for _, point := range p.Points {
		if !point.At.After(p.To) {
			prices, price = append(prices, point.Price), point.Price.FormatDollars()
		}
	}
	l := b.Line(style.Plain)
	if room := l.Room() - len(price) - 1; room > 0 {
		l.Put(style.Accent, string(AppendSparkline(nil, prices, room)))
		l.Gap(1)
	}
	l.Put(style.Strong, price)
}

// near reports whether a level is no further from the prices than they are apart, or than a tenth.
func (l Level) near(low, high model.PriceCents) bool {
	if !l.Price.Known() {
		return false
	}
	room := max(high-low, high/10)
	return l.Price >= low-min(room, low) && l.Price-min(room, l.Price) <= high
}

func (p *Prices) write(l *style.Line, c *polyline, row int, a axis, labels int) {
	label := a.label(row)
	l.PutRight(style.Muted, label, labels)
	l.Gap(1)
	side := "│"
	switch {
	case c.sides[row*c.columns]&left != 0:
		side = "┼"
	case label != "":
		side = "┤"
	}
	l.Put(style.Border, side)
	level := p.Level.Shown && row == a.row(p.Level.Price)
	for x := 0; x < c.columns; {
		role, text := p.cell(c, x, row, level)
		begin, glyphs := x, text
		for x++; x < c.columns; x++ {
			next, more := p.cell(c, x, row, level)
			if next != role || (more == "") != (text == "") {
				break
			}
			glyphs += more
		}
		if text == "" {
			l.Gap(x - begin)
			continue
		}
		l.Put(role, glyphs)
	}
}

func (p *Prices) cell(c *polyline, x, row int, level bool) (style.Role, string) {
	m, marked := c.marks[place{x, row}]
	switch sides := c.sides[row*c.columns+x]; {
	case marked:
		return m.Role, m.Sign
	case x == c.columns-1 && row == c.last:
		return style.Accent, "●"
	case sides != 0:
		return style.Accent, glyphs[sides]
	case row == 0 && c.unknown[x]:
		return style.Faint, "·"
	case level:
		return p.Level.Role, "┄"
	}
	return style.Text, ""
}

func (p *Prices) times(l *style.Line, start, columns int) {
	l.Put(style.Faint, p.zone())
	l.Gap(1)
	for _, t := range ticks(p.From, p.To, columns) {
		x := start + columnOf(t.at, p.From, p.To, columns)
		if x < l.Used() || x+style.Width(t.label) > start+columns {
			continue
		}
		l.GapTo(x)
		l.Put(style.Muted, t.label)
		l.Gap(1)
	}
}

func (p *Prices) zone() string {
	from, to := p.From.Format("MST"), p.To.Format("MST")
	if from != to {
		return from + "/" + to
	}
	return to
}

// Period is a time that a chart shows up to its end; 0 is the shortest.
type Period int

// periods have a time of 0 for all that is remembered.
var periods = [...]struct {
	name string
	time time.Duration
}{{"24 hours", 24 * time.Hour}, {"30 days", 30 * 24 * time.Hour}, {"all", 0}}

// Next returns the period after p: after the last, the first.
func (p Period) Next() Period { return (p + 1) % Period(len(periods)) }

// Name returns what the period is called.
func (p Period) Name() string { return periods[p].name }

// From returns where the period that ends at last begins, not before the first thing to show.
func (p Period) From(first, last time.Time) time.Time {
	if begin := last.Add(-periods[p].time); periods[p].time > 0 && begin.After(first) {
		return begin
	}
	return first
}

// Draw names the periods, this one with emphasis, and the key for the next.
func (p Period) Draw(line *style.Line) {
	for i, period := range periods {
		role := style.Faint
		if Period(i) == p {
			role = style.Strong
		}
		line.Put(style.Faint, "  ")
		line.Put(role, period.name)
	}
	line.Put(style.Key, "  c")
	line.Put(style.Faint, " next")
}
