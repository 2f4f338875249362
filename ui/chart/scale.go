package chart

import (
	"math/bits"

	"tonne/model"
)

func scale(part, whole, length uint64) int {
	hi, lo := bits.Mul64(part, length)
	lo, carry := bits.Add64(lo, whole/2, 0)
	quotient, _ := bits.Div64(hi+carry, lo, whole)
	return int(quotient)
}

// axis is the prices at the side of a chart: every so many rows a step higher,
// from low on, which stands base rows above the bottom. Prices are in cents, unsigned so that the highest cannot wrap.
type axis struct {
	low, step   uint64
	every, base int
}

const maxEvery = 4

// newAxis returns the finest axis on which both prices stand, as near to the
// middle of the rows as it goes. A single price stands in the middle and is the
// only one that is named: steps of a few cents about it would make much of
// nothing. There are at least two rows.
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
