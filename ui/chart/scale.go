package chart

import (
	"math/bits"

	"tonne/model"
)

// scale returns part/whole of a length, rounded half up. The part is not
// more than the whole, which is not zero.
func scale(part, whole, length uint64) int {
	hi, lo := bits.Mul64(part, length)
	lo, carry := bits.Add64(lo, whole/2, 0)
	quotient, _ := bits.Div64(hi+carry, lo, whole)
	return int(quotient)
}

// axis is the prices at the side of a chart: from low to high in equal steps,
// in cents. It is unsigned so that rounding up cannot wrap.
type axis struct{ low, high, step uint64 }

// newAxis returns the finest axis over the prices with at most the given
// number of steps.
func newAxis(low, high model.PriceCents, steps int) axis {
	for step := range roundSteps {
		a := axis{uint64(low) / step * step, roundUp(uint64(high), step), step}
		if a.high == a.low {
			a.high += step
		}
		if a.steps() <= max(steps, 1) {
			return a
		}
	}
	return axis{}
}

// roundSteps yields the steps of an axis: 1, 2 or 5 cents, then 1, 2, 2.5 or 5
// times a power of ten.
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

func roundUp(v, step uint64) uint64 { return (v/step + min(v%step, 1)) * step }

func (a axis) steps() int { return int((a.high - a.low) / a.step) }

// row returns the row of a price, counted from the bottom of the given rows.
func (a axis) row(price uint64, rows int) int {
	return scale(price-a.low, a.high-a.low, uint64(rows-1))
}
