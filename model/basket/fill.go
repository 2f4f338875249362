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
	// These are the largest number if they limit nothing.
	maxPrice, perProject, perGroup int64
	group                          *groups
	// least are the tonnes of each floor, reserved those of all; least[0] is for what no floor
	// counts. floors is the floor of each type.
	least    []int64
	floors   []int
	reserved int64
	labelled bool
}

func (b *Book) boundsOf(limits []Limit, tonnes int64) bounds {
	in := bounds{tonnes: tonnes, maxPrice: math.MaxInt64, perProject: math.MaxInt64, perGroup: math.MaxInt64, group: &b.types}
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
			// A type that is not for sale lacks all of it.
			if kind, known := b.types.find(l.Name); known {
				in.floors[kind] = len(in.least)
			}
			in.reserved, in.least = addUpTo(in.reserved, n), append(in.least, n)
		}
	}
	if in.labelled && in.perProject < math.MaxInt64 {
		// Vintages of one project may have a label or not: projects do as groups.
		in.group, in.perGroup, in.perProject = b.apart(), in.perProject, math.MaxInt64
	}
	return in
}

type filling struct {
	offers []offer
	taken  []int64
	total  int64
	// beyond says that an absurd price is taken: there may be a cheaper filling.
	beyond bool
	// group is the group of each project; the others are what there is room for.
	group                  []uint32
	projectRoom, groupRoom []int64
}

// fill takes the most tonnes that the bounds allow, in one of the cheapest ways.
//
// Orders, projects, types and the whole form a tree, in which it is best to take the
// cheapest, tonne by tonne. Floors need an exchange: see balance.
func (b *Book) fill(in bounds) *filling {
	f := &filling{
		offers: b.offers, taken: make([]int64, len(b.offers)), group: in.group.of,
		projectRoom: slices.Repeat([]int64{in.perProject}, len(b.types.of)), groupRoom: slices.Repeat([]int64{in.perGroup}, len(in.group.names)),
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
		// Orders are in grams, and the sum over as many as fit in memory stays below 128 bits.
		cost, _ := model.CostOf(model.Grams(n*model.GramsPerTonne), model.PriceCents(f.offers[i].price))
		sum, _ = sum.Add(cost)
	}
	if f.beyond {
		return 0, model.ErrOverflow
	}
	return sum.Cents()
}

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
