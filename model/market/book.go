package market

import (
	"cmp"
	"slices"

	"tonne/model"
)

// Book is the order book of one vintage, cheapest ask first.
type Book struct {
	Asks []Ask
	// Small counts orders below a tonne, and Unread those with an unreadable number.
	Small, Unread int
}

// Ask is one sell order of a book with the depth up to and including it.
type Ask struct {
	Order SellOrder
	// Tonnes is the quantity of the order in whole tonnes.
	Tonnes int64
	// CumTonnes and CumCost are the sums of this ask and all cheaper ones.
	CumTonnes int64
	CumCost   model.Cost
}

// Average returns the price per tonne of buying everything up to the ask.
func (a Ask) Average() model.PriceCents {
	grams, err := model.WholeTonnes(a.CumTonnes)
	if err != nil {
		return model.UnknownPrice
	}
	average, _ := a.CumCost.Average(grams)
	return average
}

// Book returns the order book of vintage i. Asks of one price are sorted by size, largest
// first, then by id.
func (m *Market) Book(i int) Book {
	return NewBook(slices.Clone(m.ordersOf(i)))
}

// NewBook returns the book of the orders of one vintage. It reuses the slice.
func NewBook(orders []SellOrder) Book {
	var b Book
	orders = slices.DeleteFunc(orders, func(o SellOrder) bool {
		switch {
		case !o.Readable():
			b.Unread++
		case !o.Buyable():
			b.Small++
		}
		return !o.Buyable()
	})
	slices.SortFunc(orders, func(a, b SellOrder) int {
		return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(b.Quantity, a.Quantity), cmp.Compare(a.ID, b.ID))
	})
	b.Asks = make([]Ask, len(orders))
	var tonnes int64
	var cost model.Cost
	for n, o := range orders {
		sold := o.Quantity.Tonnes()
		price, _ := model.CostOf(model.Grams(sold*model.GramsPerTonne), o.Price)
		tonnes += sold
		// The sum of int64 quantities at int64 prices stays below 128 bits for any
		// number of orders that fits in memory.
		cost, _ = cost.Add(price)
		b.Asks[n] = Ask{o, sold, tonnes, cost}
	}
	return b
}

// Tonnes returns the whole tonnes that the book sells.
func (b Book) Tonnes() int64 {
	if len(b.Asks) == 0 {
		return 0
	}
	return b.Asks[len(b.Asks)-1].CumTonnes
}

// GapToNext returns the difference between the two lowest prices. It is false if there is only one.
func (b Book) GapToNext() (model.PriceCents, bool) {
	for _, a := range b.Asks {
		if gap := a.Order.Price - b.Asks[0].Order.Price; gap > 0 {
			return gap, true
		}
	}
	return 0, false
}

// Quote is the cost of a purchase, or of a retirement, which uses the inventory first.
type Quote struct {
	// Requested is the requested quantity in grams.
	Requested model.Grams
	// FromInventory is the part that the wallet already has, in grams.
	FromInventory model.Grams
	// BuyTonnes is the part to buy, and Short the part not for sale, in whole tonnes.
	BuyTonnes, Short int64
	Fills            []Fill
	// Average is the price per tonne of the fills, and Marginal that of the last tonne. Both
	// are UnknownPrice without a purchase.
	Cost              model.Cents
	Average, Marginal model.PriceCents
	// Remainder is the part of the purchase that stays in the wallet, in grams.
	Remainder model.Grams
	// Left is the rest of the book after the purchase, in whole tonnes.
	Left int64
}

// Versus returns the relative difference between Cost and the cost of the same tonnes at a
// price. It is false without a purchase, or if the price is unknown.
func (q Quote) Versus(price model.PriceCents) (model.PerMille, bool) {
	bought, _ := model.WholeTonnes(q.BuyTonnes) // It was for sale.
	base, err := model.CostOf(bought, price)
	cents, tooMuch := base.Cents()
	if err != nil || tooMuch != nil || q.BuyTonnes == 0 {
		return 0, false
	}
	return model.Difference(q.Cost, cents)
}

// Fill is the part of a quote from one sell order.
type Fill struct {
	Order  SellOrder
	Tonnes int64
	Cost   model.Cents
}

// Buy quotes a purchase of whole tonnes, cheapest first. The error is ErrOverflow.
func (b Book) Buy(tonnes int64) (Quote, error) {
	requested, err := model.WholeTonnes(tonnes)
	if err != nil {
		return Quote{}, err
	}
	return b.sweep(Quote{Requested: requested}, tonnes)
}

// Retire quotes the retirement of q grams: first from the inventory, then in whole tonnes
// from the book (interface section 1.6). The error is ErrOverflow.
func (b Book) Retire(q, inventory model.Grams) (Quote, error) {
	from := min(q, max(inventory, 0))
	quote, err := b.sweep(Quote{Requested: q, FromInventory: from}, (q - from).TonnesUp())
	if err != nil {
		return Quote{}, err
	}
	bought, err := model.WholeTonnes(quote.BuyTonnes)
	quote.Remainder = max(bought-(q-from), 0)
	return quote, err
}

func (b Book) sweep(q Quote, tonnes int64) (Quote, error) {
	q.Average, q.Marginal, q.Short = model.UnknownPrice, model.UnknownPrice, tonnes
	var total model.Cost
	for _, ask := range b.Asks {
		if q.Short == 0 {
			break
		}
		n := min(q.Short, ask.Tonnes)
		// The sum stays below 128 bits; see NewBook.
		cost, _ := model.CostOf(model.Grams(n*model.GramsPerTonne), ask.Order.Price)
		total, _ = total.Add(cost)
		cents, err := cost.Cents()
		if err != nil {
			return Quote{}, err
		}
		q.Fills = append(q.Fills, Fill{ask.Order, n, cents})
		q.BuyTonnes, q.Short, q.Marginal = q.BuyTonnes+n, q.Short-n, ask.Order.Price
	}
	q.Left = b.Tonnes() - q.BuyTonnes
	if q.BuyTonnes == 0 {
		return q, nil
	}
	bought, _ := model.WholeTonnes(q.BuyTonnes) // It was for sale.
	var err error
	if q.Average, err = total.Average(bought); err != nil {
		return Quote{}, err
	}
	q.Cost, err = total.Cents()
	return q, err
}
