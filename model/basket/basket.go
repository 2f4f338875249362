package basket

import (
	"cmp"
	"context"
	"slices"

	"tonne/model"
)

// Basket is what is bought. It is never changed.
type Basket struct {
	// Asked is how many tonnes the basket was to have, Tonnes how many it has,
	// Short the difference: what cannot be filled. All are whole tonnes. If
	// money was given, Asked is what it pays for.
	Asked, Tonnes, Short int64
	// Cost is exact, in cents.
	Cost model.Cents
	// Lines are by sell order: the project with the most tonnes first, in it
	// the cheapest order.
	Lines []Line
	// Limits are those that were asked for, with what they do.
	Limits []Limit
	// ForSale is what the book sells without any limit, in whole tonnes.
	ForSale int64
}

// Line is what a basket has of one sell order.
type Line struct {
	Vintage model.VintageKey
	// Year is the year of the vintage, 0 if it is not known.
	Year   int32
	Order  model.SellOrder
	Tonnes int64
	// Cost is exact, in cents.
	Cost model.Cents
}

// Average returns the price per tonne, rounded half up: UnknownPrice if there
// are no tonnes. Cost and Tonnes are exact.
func (b Basket) Average() model.PriceCents {
	if b.Tonnes == 0 {
		return model.UnknownPrice
	}
	average := int64(b.Cost) / b.Tonnes
	if rest := int64(b.Cost) % b.Tonnes; rest >= b.Tonnes-rest {
		average++
	}
	return model.PriceCents(average)
}

// Versus is how a basket compares with what was last paid for the vintages
// that were bought before.
type Versus struct {
	// Tonnes are those of these vintages, Cost is what they cost now, Paid what
	// they would cost at the price of the last purchase of each.
	Tonnes     int64
	Cost, Paid model.Cents
}

// Versus compares the basket with what was last paid. It is false if nothing
// in it was bought before.
func (b Basket) Versus(paid model.LastPaidPrices) (v Versus, ok bool) {
	var before model.Cost
	for _, line := range b.Lines {
		last := paid.Of(line.Vintage).Price
		if !last.Known() {
			continue
		}
		grams, err := model.WholeTonnes(line.Tonnes)
		if err != nil {
			return Versus{}, false
		}
		cost, err := model.CostOf(grams, last)
		if err == nil {
			before, err = before.Add(cost)
		}
		if err != nil {
			return Versus{}, false
		}
		v.Tonnes += line.Tonnes
		v.Cost += line.Cost
	}
	var err error
	v.Paid, err = before.Cents()
	return v, err == nil && v.Tonnes > 0
}

// Difference returns how far the basket is above or below what was paid, false
// if that cannot be told.
func (v Versus) Difference() (model.PerMille, bool) { return model.Difference(v.Cost, v.Paid) }

// Buy returns the cheapest basket of the tonnes that were asked for, or the
// basket of the most tonnes that the budget pays for. If limits or the book
// leave less than was asked for, the basket has the most tonnes there can be,
// as cheap as they can be. Of several baskets that cost the same the same one
// is returned each time.
//
// The error is an *RequestError, model.ErrOverflow if the amount is beyond any,
// or that of the context: what a budget pays for may take seconds to find.
func (b *Book) Buy(ctx context.Context, r Request) (Basket, error) {
	if err := r.check(); err != nil {
		return Basket{}, err
	}
	b = b.label(r.Label.Label)
	tonnes := r.Tonnes
	if r.Budget > 0 {
		var err error
		if tonnes, err = b.affordable(ctx, r.Limits, r.Budget); err != nil {
			return Basket{}, err
		}
	}
	in := b.boundsOf(r.Limits, tonnes)
	f := b.fill(in)
	cost, err := f.cost()
	if err != nil {
		return Basket{}, err
	}
	basket := Basket{
		Asked: tonnes, Tonnes: f.total, Short: tonnes - f.total, Cost: cost, Lines: b.lines(f), ForSale: b.ForSale,
	}
	basket.Limits, err = b.judge(ctx, r, in, f, cost)
	return basket, err
}

// lines returns what is taken: the project with the most tonnes first, in it the
// cheapest order.
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
			b.market.Key(int(o.vintage)), b.market.Vintage(int(o.vintage)).Year, b.market.Order(int(o.order)), n, model.Cents(n * o.price),
		}
	}
	return lines
}
