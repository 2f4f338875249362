package column

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Listing is a vintage of the market.
type Listing struct {
	Vintage
	Market market.Vintage
	// Paid is the last purchase, if Bought is set.
	Paid   portfolio.LastPaid
	Bought bool
	of     *market.Market
}

// NewListing returns vintage i of a market.
func NewListing(market *market.Market, i int, projects model.Projects, paid portfolio.LastPaidPrices) *Listing {
	key, v := market.Key(i), market.Vintage(i)
	_, bought := paid[key]
	return &Listing{Vintage{key, projects[key.ProjectID], v.Year}, v, paid.Of(key), bought, market}
}

// Orders returns the sell orders of the vintage.
func (l *Listing) Orders() iter.Seq[Offer] {
	return func(yield func(Offer) bool) {
		for i := l.Market.First; i < l.Market.End; i++ {
			if !yield(Offer{l, l.of.Order(int(i))}) {
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

// Offer is a sell order, or a vintage as a whole.
type Offer struct {
	*Listing
	Order market.SellOrder
}

func (o Offer) named() *Vintage { return &o.Vintage }

// The columns of sell orders: JSON lists orders in vintages, and vintages in projects.
var (
	OfferProjects = Vintages(Offer.named).Pick("project_id", "project_name", "type", "country", "registry")
	OfferVintages = Vintages(Offer.named).Pick("vintage_id", "vintage_year").With(
		field.Column[Offer]{Title: "VINTAGE ID", Drop: 2, Value: func(o Offer) field.Value { return field.Text(o.Key.VintageID) }})
	OfferOrders = field.Columns[Offer]{
		{Name: "sell_order_id", Is: "string", Value: func(o Offer) field.Value { return field.Text(o.Order.ID) }},
		{Name: "quantity_grams", Value: func(o Offer) field.Value { return field.Grams(o.Order.Quantity) }},
		{Name: "price_cents", Value: func(o Offer) field.Value { return field.Price(o.Order.Price) }},
	}
)

// Offers are the columns of sell orders. Tables also have those of vintages.
var Offers = slices.Concat(OfferProjects, OfferVintages, OfferOrders, field.Columns[Offer]{
	{Name: "best_ask_cents", Extra: true, Title: "BEST ASK", Spoken: "Best ask per tonne", Right: true, Value: func(o Offer) field.Value { return field.Price(o.Market.BestAsk) }},
	{Name: "last_paid_price_cents", Title: "LAST PAID", Spoken: "Last paid per tonne", Right: true, Drop: 1, Value: func(o Offer) field.Value { return field.Price(o.Paid.Price) }},
	{Name: "last_paid_date", Value: func(o Offer) field.Value { return field.Time(o.Paid.ExecutionDate) }},
	{
		Name: "versus_paid_permille", Extra: true, Title: "VS PAID", Spoken: "Best ask against last paid", Right: true, Drop: 3,
		Value: func(o Offer) field.Value { return versus(o.Market.BestAsk, o.Paid.Price) },
	},
	{Name: "available_grams", Extra: true, Title: "AVAILABLE", Right: true, Value: func(o Offer) field.Value { return field.Grams(o.Market.Available) }},
	{Name: "asks", Extra: true, Title: "ASKS", Spoken: "Sell orders", Right: true, Drop: 4, Value: func(o Offer) field.Value { return field.Number(o.Market.Asks()) }},
})
