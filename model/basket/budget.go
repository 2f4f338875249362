package basket

import (
	"context"
	"math"
	"math/bits"
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
func (b *Book) affordable(ctx context.Context, l Limits, budget model.Cents) (int64, error) {
	step := stepOf(l)
	most := b.withoutShares(l, budget)
	paid := func(tonnes int64) (model.Cents, bool) {
		cost, ok := b.costOf(l, tonnes)
		return cost, ok && cost <= budget
	}
	steps := int64(sort.Search(int(most/step), func(n int) bool {
		_, ok := paid(int64(n+1) * step)
		return !ok
	}))
	for tonnes := b.highest(l, steps*step, step, most, budget); tonnes > steps*step; tonnes-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, ok := paid(tonnes); ok {
			return tonnes, nil
		}
	}
	return steps * step, ctx.Err()
}

func stepOf(l Limits) int64 {
	step := int64(1)
	shares := []model.PerMille{l.PerProject, l.PerGroup, l.Label.Share}
	for _, f := range l.Floors {
		shares = append(shares, f.Share)
	}
	for _, share := range shares {
		if share > 0 {
			whole := int64(whole) / gcd(int64(whole), int64(share))
			step = step / gcd(step, whole) * whole
		}
	}
	return step
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// withoutShares returns what the budget pays for without shares: no basket has more.
func (b *Book) withoutShares(l Limits, budget model.Cents) (tonnes int64) {
	left := int64(budget)
	for i := range b.offers {
		o := &b.offers[i]
		if l.MaxPrice > 0 && o.price > int64(l.MaxPrice) {
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

func (b *Book) costOf(l Limits, tonnes int64) (model.Cents, bool) {
	f := b.fill(b.boundsOf(l, tonnes))
	cost, err := f.cost()
	return cost, err == nil && f.total == tonnes
}

// highest returns the highest number of tonnes, above a multiple of the step
// that is paid for and below the next, that may be paid for: each costs at least
// as much more as the step before it did.
func (b *Book) highest(l Limits, paid, step, most int64, budget model.Cents) int64 {
	top := min(paid+step-1, most)
	if paid < step || top == paid {
		return top
	}
	cost, _ := b.costOf(l, paid)
	before, _ := b.costOf(l, paid-step)
	if cost <= before {
		return top
	}
	hi, lo := bits.Mul64(uint64(budget-cost), uint64(step))
	if hi >= uint64(cost-before) {
		return top
	}
	more, _ := bits.Div64(hi, lo, uint64(cost-before))
	return paid + int64(min(more, uint64(top-paid)))
}
