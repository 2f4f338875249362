package basket

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"

	"tonne/model"
)

type bounds struct {
	tonnes int64
	// math.MaxInt64 means no limit.
	maxPrice, perProject, perGroup int64
	group                          *groups
	// least is the quantity of each floor, and reserved their sum. Floor 0 is for orders
	// that count for no floor, so least[0] is 0. floors is the floor of each type.
	least    []int64
	floors   []int
	reserved int64
	labelled bool
}

func (b *Book) boundsOf(limits []Limit, tonnes int64) bounds {
	in := bounds{tonnes: tonnes, maxPrice: math.MaxInt64, perProject: math.MaxInt64, perGroup: math.MaxInt64,
		group: &b.types}
	in.least, in.floors = []int64{0}, make([]int, len(b.types.names))
	for _, l := range limits {
		n := l.of(tonnes)
		switch l.Kind {
		case MaxPrice:
			in.maxPrice = int64(l.Price)
		case ProjectCap:
			in.perProject = n
		case TypeCap:
			in.perGroup = n
		case CountryCap:
			in.perGroup, in.group = n, &b.countries
		case LabelFloor:
			in.labelled, in.reserved, in.least = true, n, append(in.least, n)
		case TypeFloor:
			// A floor for a type that is not for sale cannot be filled at all.
			if kind, known := b.types.find(l.Name); known {
				in.floors[kind] = len(in.least)
			}
			in.reserved, in.least = addUpTo(in.reserved, n), append(in.least, n)
		}
	}
	if in.labelled && in.perProject < math.MaxInt64 {
		// Vintages of one project may differ in their labels, so each project is a group.
		in.group, in.perGroup, in.perProject = b.projectGroups(), in.perProject, math.MaxInt64
	}
	return in
}

type filling struct {
	offers []offer
	taken  []int64
	total  int64
	// tooDear reports an order above network.dearest: a cheaper filling may exist.
	tooDear bool
	// group is the group of each project. The rooms are the remaining capacities in tonnes.
	group                  []uint32
	projectRoom, groupRoom []int64
}

// fill buys the most tonnes within the bounds, at the lowest cost.
//
// Orders, projects, groups and the basket form a tree of capacities, so it is optimal to
// buy the cheapest tonne next. Floors need exchanges afterwards: see balance.
func (b *Book) fill(in bounds) *filling {
	f := &filling{
		offers: b.offers, taken: make([]int64, len(b.offers)), group: in.group.of,
		projectRoom: slices.Repeat([]int64{in.perProject}, len(b.types.of)),
		groupRoom:   slices.Repeat([]int64{in.perGroup}, len(in.group.names)),
	}
	if in.reserved > in.tonnes {
		return f
	}
	left := in.tonnes
	for i := 0; i < len(f.offers) && f.offers[i].price <= in.maxPrice && left > 0; i++ {
		left -= f.take(i, left)
	}
	if len(in.least) > 1 {
		b.balance(f, in)
	}
	return f
}

func (f *filling) take(i int, tonnes int64) int64 {
	o := &f.offers[i]
	project, group := &f.projectRoom[o.project], &f.groupRoom[f.group[o.project]]
	n := min(tonnes, o.tonnes, *project, *group)
	f.taken[i] = n
	*project -= n
	*group -= n
	f.total += n
	return n
}

func (f *filling) cost() (model.Cents, error) {
	var sum model.Cost
	for i, n := range f.taken {
		// Orders are in grams, and the sum of all orders in memory stays below 128 bits.
		cost, _ := model.CostOf(model.Grams(n*model.GramsPerTonne), model.PriceCents(f.offers[i].price))
		sum, _ = sum.Add(cost)
	}
	if f.tooDear {
		return 0, model.ErrOverflow
	}
	return sum.Cents()
}

// affordable returns the largest number of whole tonnes whose cheapest basket is within the
// budget. The error is that of the context.
//
// More tonnes may cost less, because shares are rounded: a cap of 40 % allows 1 t per
// project out of 4 t, and 2 t out of 5 t. At multiples of a step nothing is rounded, so
// costs there are those of a linear program, which are convex. Between them costs are no
// lower than that, since rounding only tightens limits. So affordable searches the multiples
// by bisection, and then tries the tonnes above the last affordable multiple one by one.
func (b *Book) affordable(ctx context.Context, limits []Limit, budget model.Cents) (int64, error) {
	step, most := stepOf(limits), b.withoutShares(limits, budget)
	paid := func(tonnes int64) bool {
		cost, ok := b.costOf(limits, tonnes)
		return ok && cost <= budget
	}
	least := step * int64(sort.Search(int(most/step), func(n int) bool { return !paid(int64(n+1) * step) }))
	top := min(least+step-1, most)
	if least >= step {
		// Each further tonne costs at least the average of the previous step.
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

// stepOf returns the smallest quantity of which all shares are whole tonnes.
func stepOf(limits []Limit) int64 {
	step := model.PerMille(1)
	for slices.ContainsFunc(limits, func(l Limit) bool { return step*l.Share%whole > 0 }) {
		step++
	}
	return int64(step)
}

// withoutShares returns what the budget buys without shares, which is an upper bound.
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
