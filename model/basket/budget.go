package basket

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"

	"tonne/model"
)

// affordable returns the most whole tonnes whose cheapest basket the budget pays for, 0
// for none. The error is that of the context.
//
// More tonnes may cost less, because shares are rounded: of 4 t a cap of 40 % leaves 1 t a
// project and of 5 t it leaves 2 t. At the multiples of a step nothing is rounded: there
// costs are those of a linear program, which rise ever faster. In between they are no
// lower, since rounding only narrows a limit. So the multiples are searched by halves, and
// the tonnes above the last affordable one are tried one by one.
func (b *Book) affordable(ctx context.Context, limits []Limit, budget model.Cents) (int64, error) {
	step, most := stepOf(limits), b.withoutShares(limits, budget)
	paid := func(tonnes int64) bool {
		cost, ok := b.costOf(limits, tonnes)
		return ok && cost <= budget
	}
	least := step * int64(sort.Search(int(most/step), func(n int) bool { return !paid(int64(n+1) * step) }))
	top := min(least+step-1, most)
	if least >= step {
		// A tonne more costs at least what one of the step before did.
		cost, _ := b.costOf(limits, least)
		before, _ := b.costOf(limits, least-step)
		if hi, lo := bits.Mul64(uint64(budget-cost), uint64(step)); cost > before && hi < uint64(cost-before) {
			more, _ := bits.Div64(hi, lo, uint64(cost-before))
			top = least + int64(min(more, uint64(top-least)))
		}
	}
	for tonnes := top; tonnes > least; tonnes-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if paid(tonnes) {
			return tonnes, nil
		}
	}
	return least, ctx.Err()
}

func (b *Book) costOf(limits []Limit, tonnes int64) (model.Cents, bool) {
	f := b.fill(b.boundsOf(limits, tonnes))
	cost, err := f.cost()
	return cost, err == nil && f.total == tonnes
}

// stepOf returns the fewest tonnes of which all shares are whole tonnes.
func stepOf(limits []Limit) int64 {
	step := model.PerMille(1)
	for slices.ContainsFunc(limits, func(l Limit) bool { return step*l.Share%whole > 0 }) {
		step++
	}
	return int64(step)
}

// withoutShares returns what the budget pays for without shares: no basket has more.
func (b *Book) withoutShares(limits []Limit, budget model.Cents) (tonnes int64) {
	left, maxPrice := int64(budget), b.boundsOf(limits, 0).maxPrice
	for i := range b.offers {
		o := &b.offers[i]
		if o.price > maxPrice {
			break
		}
		n := o.tonnes
		if o.price > 0 {
			n = min(n, left/o.price)
		}
		tonnes = min(addUpTo(tonnes, n), math.MaxInt64/model.GramsPerTonne)
		if left -= n * o.price; n < o.tonnes {
			break
		}
	}
	return tonnes
}
