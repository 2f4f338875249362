package chart

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"tonne/model"
)

// Point is a price that is valid from a moment. Points with an unknown price are ignored.
type Point struct {
	At    time.Time
	Price model.PriceCents
}

// Gap is a period with an unknown price, in which the line is interrupted.
type Gap struct{ From, Until time.Time }

// The sides on which a character of the line connects.
const (
	up = 1 << iota
	down
	left
	right
)

var glyphs = [16]string{
	0:                        " ",
	up:                       "╵",
	down:                     "╷",
	up | down:                "│",
	left:                     "─",
	right:                    "─",
	left | right:             "─",
	up | left:                "╯",
	up | right:               "╰",
	down | left:              "╮",
	down | right:             "╭",
	up | down | left:         "┤",
	up | down | right:        "├",
	left | right | up:        "┴",
	left | right | down:      "┬",
	up | down | left | right: "┼",
}

const none = -1

// tracing has the lines of a chart as characters.
type tracing struct {
	columns int
	lines   []polyline
	marks   map[place]Mark
	unknown []bool
}

type place struct{ x, row int }

func (p *Prices) trace(a axis, columns, rows int) *tracing {
	c := &tracing{columns: columns, marks: make(map[place]Mark, len(p.Marks)),
		unknown: unknownColumns(p.Gaps, p.From, p.To, columns)}
	for _, m := range p.Marks {
		c.marks[place{columnOf(m.At, p.From, p.To, columns), a.row(m.Price)}] = m
	}
	for _, line := range p.Lines {
		c.lines = append(c.lines, newPolyline(line.Points, c.unknown, p.From, p.To, a, rows))
	}
	return c
}

// starts reports whether a line begins at the axis.
func (c *tracing) starts(row int) bool {
	return slices.ContainsFunc(c.lines, func(l polyline) bool { return l.sides[row*c.columns]&left != 0 })
}

type polyline struct {
	columns int
	sides   []uint8
	last    int
}

func newPolyline(points []Point, unknown []bool, from, to time.Time, a axis, rows int) polyline {
	columns := len(unknown)
	c := polyline{columns: columns, sides: make([]uint8, columns*rows), last: none}
	level := func(p Point) int {
		if !p.Price.Known() {
			return none
		}
		return a.row(p.Price)
	}
	before, _ := slices.BinarySearchFunc(points, from, func(p Point, at time.Time) int { return p.At.Compare(at) })
	if before > 0 {
		c.last = level(points[before-1])
	}
	points = points[before:]
	for x := range columns {
		var levels []int
		for len(points) > 0 && !points[0].At.After(to) && columnOf(points[0].At, from, to, columns) <= x {
			levels, points = append(levels, level(points[0])), points[1:]
		}
		switch {
		case unknown[x] && len(levels) == 0:
			continue
		case x > 0 && unknown[x-1] && len(levels) > 0:
			// The change of the price during the gap is unknown.
			c.last = none
		}
		c.draw(x, levels)
	}
	return c
}

// signsApart is the distance between two signs on a line.
const signsApart = 12

// signed returns the sign of the n-th line if it has one at a place, or "". Lines have signs in different columns.
func (c *polyline) signed(x, row, n int, sign string) string {
	switch sides := c.sides[row*c.columns+x]; {
	case x == c.columns-1 && row == c.last:
		return cmp.Or(sign, "●")
	case x%signsApart == n*signsApart/4 && sides == left|right:
		return sign
	}
	return ""
}

func unknownColumns(gaps []Gap, from, to time.Time, columns int) []bool {
	unknown := make([]bool, columns)
	for _, g := range gaps {
		if !g.Until.After(from) || !g.From.Before(to) {
			continue
		}
		first, end := 0, columns
		if !g.From.Before(from) {
			first = columnOf(g.From, from, to, columns) + 1
		}
		if !g.Until.After(to) {
			end = columnOf(g.Until, from, to, columns)
		}
		for x := first; x < end; x++ {
			unknown[x] = true
		}
	}
	return unknown
}

func columnOf(at, from, to time.Time, columns int) int {
	return scale(uint64(at.Sub(from)), uint64(to.Sub(from)), uint64(columns-1))
}

func (c *polyline) draw(x int, levels []int) {
	if x == 0 && len(levels) > 0 && c.last == none {
		c.last = levels[0]
	}
	if c.last != none {
		c.at(x, c.last, left)
	}
	for _, level := range levels {
		if level != none && c.last != none {
			for row := min(c.last, level); row < max(c.last, level); row++ {
				c.at(x, row, up)
				c.at(x, row+1, down)
			}
		}
		c.last = level
	}
	if c.last != none {
		c.at(x, c.last, right)
	}
}

func (c *polyline) at(x, row int, sides uint8) { c.sides[row*c.columns+x] |= sides }

func inOrder(points []Point) []Point {
	byTime := func(a, b Point) int { return a.At.Compare(b.At) }
	if slices.IsSortedFunc(points, byTime) {
		return points
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, byTime)
	return points
}

func scale(part, whole, length uint64) int {
	hi, lo := bits.Mul64(part, length)
	lo, carry := bits.Add64(lo, whole/2, 0)
	quotient, _ := bits.Div64(hi+carry, lo, whole)
	return int(quotient)
}

// axis has a label every few rows, each a step of cents higher, starting with low at row base.
// Prices are unsigned so that the highest cannot overflow.
type axis struct {
	low, step   uint64
	every, base int
}

const maxEvery = 4

// newAxis returns the finest axis that includes both prices, centred as well as possible. A
// single price is in the middle and has the only label, because steps of a few cents around
// it would be misleading. There must be at least two rows.
func newAxis(low, high model.PriceCents, rows int) axis {
	if low == high {
		return axis{low: uint64(low), step: 1, every: rows, base: (rows - 1) / 2}
	}
	least := min(1+rows/9, 3, rows-1)
	most := min(maxEvery, rows-1)
	for step := range roundSteps {
		a := axis{low: uint64(low) / step * step, step: step}
		if (uint64(high)-a.low)/step >= uint64(rows) {
			continue
		}
		for a.every = most; a.every >= least; a.every-- {
			if spare := rows - 1 - a.row(high); spare >= 0 {
				a.low -= min(a.low, uint64(spare/2/a.every)*step)
				return a
			}
		}
	}
	return axis{}
}

func roundSteps(yield func(uint64) bool) {
	for _, step := range [3]uint64{1, 2, 5} {
		if !yield(step) {
			return
		}
	}
	for power := uint64(1); ; power *= 10 {
		for _, tens := range [4]uint64{10, 20, 25, 50} {
			if !yield(tens * power) {
				return
			}
		}
	}
}

func (a axis) row(price model.PriceCents) int {
	return a.base + scale(uint64(price)-a.low, a.step, uint64(a.every))
}

func (a axis) label(row int) string {
	above := row - a.base
	if above < 0 || above%a.every > 0 {
		return ""
	}
	return model.PriceCents(a.low + uint64(above/a.every)*a.step).FormatDollars()
}

func (a axis) labels(rows int) int {
	width := 0
	for row := range rows {
		width = max(width, len(a.label(row)))
	}
	return width
}
