// Package chart draws charts of prices over time, sparklines and bars with characters of one
// cell. It does not read data. Start reading at Prices.Draw.
package chart

import (
	"slices"
	"time"

	"tonne/model"
	"tonne/ui/style"
)

// Prices is a chart of prices over time. Each price is valid until the next.
type Prices struct {
	// Points are the prices in any order. Of several points with the same time, the last counts.
	Points []Point
	// Lines are drawn instead of Points, if there are any.
	Lines []Line
	// From and To limit the period. Zero means the first and the last point. The last price before From is valid at
	// From.
	From, To time.Time
	// Zone is the time zone of days and hours. The default is the zone of the machine.
	Zone *time.Location
	// Level is a price to compare with, drawn as a line across the chart unless it is too far away.
	Level Level
	// Marks, for example of purchases, are omitted outside the period or too far from the prices.
	Marks []Mark
	// Gaps are periods without an observation: the line is interrupted, with dots below.
	Gaps []Gap
	// Cursor is a time with a vertical line, or zero.
	Cursor time.Time
	// Empty is the text for a chart without prices.
	Empty string
}

// Line is one of several lines. Sign is a character of one cell, drawn along the line.
type Line struct {
	Points []Point
	Role   style.Role
	Sign   string
}

// Mark is a symbol of one cell at a price and a time.
type Mark struct {
	At    time.Time
	Price model.PriceCents
	Role  style.Role
	Sign  string
}

// Level is a horizontal line at a price.
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

// DrawWithin fills the block, except a margin of margin cells on both sides.
func (p Prices) DrawWithin(b *style.Block, margin int) {
	b.Split(margin, 0, margin, func(*style.Block) {}, p.Draw)
}

func (p Prices) draw(b *style.Block, height int) {
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
	c := p.trace(a, columns, rows)
	for row := rows - 1; row >= 0; row-- {
		p.write(b.Line(style.Plain), c, row, a, labels)
	}
	p.times(b.Line(style.Plain), labels+2, columns)
}

// Marked returns the number of visible marks.
func (p Prices) Marked() int {
	p.span()
	if low, high, ok := p.Bounds(); ok {
		p.keepMarks(low, high)
		return len(p.Marks)
	}
	return 0
}

// Broken reports whether the chart has a visible gap at this width.
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
	if len(p.Lines) == 0 {
		p.Lines = []Line{{p.Points, style.Accent, ""}}
	}
	first, last := p.sortLines()
	if p.From.IsZero() {
		p.From = first
	}
	if p.To.IsZero() {
		p.To = last
	}
	if !p.From.Before(p.To) {
		// A single moment is at the end of a day.
		p.From = p.To.Add(-24 * time.Hour)
	}
	p.From, p.To = p.From.In(p.Zone), p.To.In(p.Zone)
}

// sortLines sorts the points of each line by time, and returns the first and the last time.
func (p *Prices) sortLines() (first, last time.Time) {
	p.Lines = slices.Clone(p.Lines)
	for i, line := range p.Lines {
		points := inOrder(line.Points)
		p.Lines[i].Points = points
		if len(points) == 0 {
			continue
		}
		if first.IsZero() || points[0].At.Before(first) {
			first = points[0].At
		}
		if end := points[len(points)-1].At; end.After(last) {
			last = end
		}
	}
	return first, last
}

// Bounds returns the lowest and the highest price of the period, if there are any.
func (p Prices) Bounds() (low, high model.PriceCents, ok bool) {
	p.span()
	for _, line := range p.Lines {
		for i, point := range line.Points {
			over := i+1 < len(line.Points) && line.Points[i+1].At.Before(p.From)
			if over || point.At.After(p.To) || !point.Price.Known() {
				continue
			}
			if !ok {
				low, high, ok = point.Price, point.Price, true
			}
			low, high = min(low, point.Price), max(high, point.Price)
		}
	}
	return low, high, ok
}

// short draws a sparkline for each line.
func (p *Prices) short(b *style.Block) {
	for _, line := range p.Lines[:min(len(p.Lines), b.Room())] {
		var prices []model.PriceCents
		price := ""
		for _, point := range line.Points {
			if !point.At.After(p.To) {
				prices, price = append(prices, point.Price), point.Price.FormatDollars()
			}
		}
		l := b.Line(style.Plain)
		if line.Sign != "" {
			l.Put(line.Role, line.Sign+" ")
		}
		if room := l.Room() - len(price) - 1; room > 0 {
			l.Put(line.Role, string(AppendSparkline(nil, prices, room)))
			l.Gap(1)
		}
		l.Put(style.Strong, price)
	}
}

// near reports whether the distance of a level from the prices is at most their range, or at most a tenth.
func (l Level) near(low, high model.PriceCents) bool {
	if !l.Price.Known() {
		return false
	}
	room := max(high-low, high/10)
	return l.Price >= low-min(room, low) && l.Price-min(room, l.Price) <= high
}

func (p *Prices) write(l *style.Line, c *tracing, row int, a axis, labels int) {
	label := a.label(row)
	l.PutRight(style.Muted, label, labels)
	l.Gap(1)
	side := "│"
	switch {
	case c.starts(row):
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

func (p *Prices) cell(c *tracing, x, row int, level bool) (style.Role, string) {
	if m, marked := c.marks[place{x, row}]; marked {
		return m.Role, m.Sign
	}
	for _, signs := range [2]bool{true, false} {
		for i, line := range c.lines {
			if sign := line.signed(x, row, i, p.Lines[i].Sign); signs && sign != "" {
				return p.Lines[i].Role, sign
			}
			if sides := line.sides[row*c.columns+x]; !signs && sides != 0 {
				return p.Lines[i].Role, glyphs[sides]
			}
		}
	}
	switch {
	case !p.Cursor.IsZero() && x == columnOf(p.Cursor, p.From, p.To, c.columns):
		return style.Strong, "┊"
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
	at := func(t tick) int { return start + columnOf(t.at, p.From, p.To, columns) }
	shown := slices.DeleteFunc(ticks(p.From, p.To, columns), func(t tick) bool {
		return at(t) < l.Used() || at(t)+style.Width(t.label) > start+columns
	})
	if !slices.ContainsFunc(shown, tick.dated) {
		l.Put(style.Faint, p.To.Format(date))
		l.Gap(1)
	}
	for _, t := range shown {
		if at(t) >= l.Used() {
			l.GapTo(at(t))
			l.Put(style.Muted, t.label)
			l.Gap(1)
		}
	}
}

func (p *Prices) zone() string {
	from, to := p.From.Format("MST"), p.To.Format("MST")
	if from != to {
		return from + "/" + to
	}
	return to
}

// Period is the length of a chart's period. 0 is the shortest.
type Period int

// periods are the periods. Duration 0 means all data.
var periods = [...]struct {
	name string
	time time.Duration
}{{"24 hours", 24 * time.Hour}, {"30 days", 30 * 24 * time.Hour}, {"all", 0}}

// Next returns the period after p. The first follows the last.
func (p Period) Next() Period { return (p + 1) % Period(len(periods)) }

// Name returns the name of the period.
func (p Period) Name() string { return periods[p].name }

// From returns the start of the period that ends at last, but not before first.
func (p Period) From(first, last time.Time) time.Time {
	if begin := last.Add(-periods[p].time); periods[p].time > 0 && begin.After(first) {
		return begin
	}
	return first
}

// Draw writes the names of all periods with p highlighted, and the key for the next.
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
