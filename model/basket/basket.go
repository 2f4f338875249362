package basket

import (
	"cmp"
	"context"
	"slices"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Basket is a set of purchases. It is immutable.
type Basket struct {
	// Asked is the quantity requested or affordable, and Short the missing part, in whole tonnes.
	Asked, Tonnes, Short int64
	// Cost is exact, in cents.
	Cost model.Cents
	// Lines are by order: the project with the most tonnes first, and within it the cheapest.
	Lines []Line
	// Limits are the limits of the request, with their effects.
	Limits []Limit
	// ForSale is the quantity for sale without limits, in whole tonnes.
	ForSale int64
}

// Line is a purchase from one sell order.
type Line struct {
	Vintage model.VintageKey
	// Year is the year of the vintage, or 0 if unknown.
	Year   int32
	Order  market.SellOrder
	Tonnes int64
	// Cost is exact, in cents.
	Cost    model.Cents
	project uint32
}

// Average returns the price per tonne, rounded half up, or UnknownPrice for no tonnes.
func (b Basket) Average() model.PriceCents {
	if b.Tonnes == 0 {
		return model.UnknownPrice
	}
	return model.PriceCents(rounded(int64(b.Cost), b.Tonnes))
}

// Versus compares a basket with the last prices paid for its vintages.
type Versus struct {
	// Tonnes counts tonnes of vintages bought before, Cost is their cost now, Paid at the last prices paid.
	Tonnes     int64
	Cost, Paid model.Cents
}

// Versus compares the basket with the last prices paid, if there are any.
func (b Basket) Versus(paid portfolio.LastPaidPrices) (v Versus, ok bool) {
	var before model.Cost
	for _, line := range b.Lines {
		if cost, err := model.CostOf(model.Grams(line.Tonnes*model.GramsPerTonne), paid.Of(line.Vintage).Price); err == nil {
			before, _ = before.Add(cost)
			v.Tonnes += line.Tonnes
			v.Cost += line.Cost
		}
	}
	var err error
	v.Paid, err = before.Cents()
	return v, err == nil && v.Tonnes > 0
}

// Difference returns the difference of the basket from the last prices paid, if known.
func (v Versus) Difference() (model.PerMille, bool) { return model.Difference(v.Cost, v.Paid) }

// Buy returns the cheapest basket of the requested tonnes, or of the most tonnes within the
// budget. If the book is too thin, it returns the largest possible basket. The result is
// deterministic.
//
// The error is model.ErrOverflow, or that of the context: the search for a budget may take
// seconds.
func (b *Book) Buy(ctx context.Context, r Request) (Basket, error) {
	if err := r.check(); err != nil {
		return Basket{}, err
	}
	b, limits := b.label(r.Limits.Label()), r.Limits.all
	tonnes := r.Tonnes
	if r.Budget > 0 {
		var err error
		if tonnes, err = b.affordable(ctx, limits, r.Budget); err != nil {
			return Basket{}, err
		}
	}
	in := b.boundsOf(limits, tonnes)
	f := b.fill(in)
	cost, err := f.cost()
	if err != nil {
		return Basket{}, err
	}
	basket := Basket{
		Asked: tonnes, Tonnes: f.total, Short: tonnes - f.total, Cost: cost, Lines: b.lines(f), ForSale: b.ForSale,
	}
	basket.Limits, err = b.assess(ctx, r, in, f, cost)
	return basket, err
}

func (b *Book) lines(f *filling) []Line {
	tonnes := make([]int64, b.market.Projects())
	var taken []int
	for i, n := range f.taken {
		if n > 0 {
			tonnes[f.offers[i].project] += n
			taken = append(taken, i)
		}
	}
	slices.SortStableFunc(taken, func(i, j int) int {
		a, b := f.offers[i].project, f.offers[j].project
		return cmp.Or(cmp.Compare(tonnes[b], tonnes[a]), cmp.Compare(a, b))
	})
	lines := make([]Line, len(taken))
	for at, i := range taken {
		o, n := &f.offers[i], f.taken[i]
		lines[at] = Line{
			b.market.Key(int(o.vintage)), b.market.Vintage(int(o.vintage)).Year, b.market.Order(int(o.order)), n,
			model.Cents(n * o.price), o.project,
		}
	}
	return lines
}
