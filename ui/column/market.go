package column

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Listing is a vintage of a market.
type Listing struct {
	*market.Market
	// At is the number of the vintage.
	At       int
	Projects model.Projects
	Paid     portfolio.LastPaidPrices
}

// Key returns the key of the vintage.
func (l Listing) Key() model.VintageKey { return l.Market.Key(l.At) }

// Offered returns what is for sale of the vintage.
func (l Listing) Offered() market.Vintage { return l.Market.Vintage(l.At) }

// LastPaid returns the last purchase of the vintage.
func (l Listing) LastPaid() (paid portfolio.LastPaid, bought bool) {
	_, bought = l.Paid[l.Key()]
	return l.Paid.Of(l.Key()), bought
}

// Named returns the names of the vintage.
func (l Listing) Named() Vintage { return Vintage{l.Key(), l.Projects, l.Offered().Year} }

// Orders returns the sell orders of the vintage.
func (l Listing) Orders() iter.Seq[Offer] {
	return func(yield func(Offer) bool) {
		of := l.Offered()
		for i := of.First; i < of.End; i++ {
			if !yield(Offer{l, l.Order(int(i))}) {
				return
			}
		}
	}
}

// LastPaid are the columns of the last purchase of a vintage.
var LastPaid = field.Columns[portfolio.LastPaid]{
	{Name: "price_cents", Value: func(p portfolio.LastPaid) field.Value { return field.Price(p.Price) }},
	{Name: "execution_date", Value: func(p portfolio.LastPaid) field.Value { return field.Time(p.ExecutionDate) }},
	{Name: "quantity_grams", Value: func(p portfolio.LastPaid) field.Value { return field.Grams(p.Quantity) }},
}

// Listings are the columns of the vintages of a market.
var Listings = Vintages(Listing.Named).With(prices...)

var prices = field.Columns[Listing]{
	{
		Name: "best_ask_cents", Extra: true, Title: "BEST ASK", Spoken: "Best ask per tonne", Right: true,
		Help:  "The cheapest sell order of at least one whole tonne, per tonne.",
		Value: func(l Listing) field.Value { return field.Price(l.Offered().BestAsk).As(field.BestAsk) },
	},
	{
		Name: "last_paid_price_cents", Title: "LAST PAID", Spoken: "Last paid per tonne", Right: true, Drop: 1,
		Help: "What we last paid for this vintage, per tonne.",
		Value: func(l Listing) field.Value {
			paid, _ := l.LastPaid()
			return field.Price(paid.Price).As(field.LastPaid)
		},
	},
	{Name: "last_paid_date", Value: func(l Listing) field.Value {
		paid, _ := l.LastPaid()
		return field.Time(paid.ExecutionDate)
	}},
	{
		Name: "versus_paid_permille", Extra: true, Title: "VS PAID", Spoken: "Best ask against last paid", Right: true,
		Drop: 3,
		Help: "How much higher (▲) or lower (▼) the best ask is than our last paid price.",
		Value: func(l Listing) field.Value {
			paid, _ := l.LastPaid()
			return versus(l.Offered().BestAsk, paid.Price)
		},
	},
	{
		Name: "available_grams", Extra: true, Title: "AVAILABLE", Right: true,
		Value: func(l Listing) field.Value { return field.Grams(l.Offered().Available) },
	},
	{
		Name: "asks", Extra: true, Title: "ASKS", Spoken: "Sell orders", Right: true, Drop: 4,
		Help:  "Number of sell orders.",
		Value: func(l Listing) field.Value { return field.Number(l.Offered().Asks()) },
	},
}

// Offer is a sell order, or a vintage as a whole.
type Offer struct {
	Listing
	Order market.SellOrder
}

func (o Offer) listing() Listing { return o.Listing }

// OfferOrders are the columns that a vintage as a whole does not have.
var OfferOrders = field.Columns[Offer]{
	{Name: "sell_order_id", Is: "string", Value: func(o Offer) field.Value { return field.Text(o.Order.ID) }},
	{Name: "quantity_grams", Value: func(o Offer) field.Value { return field.Grams(o.Order.Quantity) }},
	{Name: "price_cents", Value: func(o Offer) field.Value { return field.Price(o.Order.Price) }},
}

// Offers are the columns of sell orders. Tables also have those of vintages.
var Offers = slices.Concat(
	Vintages(Offer.Named),
	field.Columns[Offer]{
		{Title: "VINTAGE ID", Drop: 2, Value: func(o Offer) field.Value { return field.Text(o.Key().VintageID) }},
	},
	OfferOrders,
	field.Map(prices, Offer.listing),
)
