package column

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/portfolio"
)

// Wallet is a wallet of the inventory.
type Wallet struct {
	Vintage
	*portfolio.Position
	// Trades are the listed trades of the wallet.
	Trades []portfolio.Trade
	// Paid is the last purchase of the vintage, over all its wallets.
	Paid portfolio.LastPaid
	// Ask is the best ask of the vintage.
	Ask model.PriceCents
}

// All returns the listed trades as rows.
func (w *Wallet) All() iter.Seq[Trade] {
	return field.Each(slices.Values(w.Trades), func(t portfolio.Trade) Trade { return Trade{w, t} })
}

// Trade is a trade of a wallet.
type Trade struct {
	*Wallet
	portfolio.Trade
}

func vintageOf[T any](of func(T) *Vintage, columns ...string) field.Columns[T] {
	picked := Vintages(of).Pick(append(columns, "vintage_year", "vintage_id")...)
	year, id := &picked[len(columns)], &picked[len(columns)+1]
	year.Extra, id.Title, id.Drop = true, "VINTAGE ID", 3
	return picked
}

// Wallets are the columns of wallets.
var Wallets = vintageOf(func(w *Wallet) *Vintage { return &w.Vintage }, "project_id", "project_name", "type", "country", "registry").With(field.Columns[*Wallet]{
	{Name: "wallet_type", Title: "WALLET", Value: func(w *Wallet) field.Value { return field.Text(w.Wallet.Type) }},
	{Name: "quantity_grams", Title: "BALANCE", Right: true, Value: func(w *Wallet) field.Value { return field.Grams(w.Wallet.Quantity) }},
	{Name: "last_paid_price_cents", Title: "LAST PAID", Spoken: "Last paid per tonne", Right: true, Drop: 1, Value: func(w *Wallet) field.Value { return field.Price(w.Paid.Price) }},
	{Name: "last_paid_date", Title: "PAID ON", Spoken: "Last paid on", Drop: 5, Value: func(w *Wallet) field.Value { return field.Time(w.Paid.ExecutionDate) }},
	{Name: "trades", Is: "number", Title: "TRADES", Right: true, Drop: 4, Value: func(w *Wallet) field.Value { return field.Number(len(w.Trades)) }},
	{Name: "best_ask_cents", Extra: true, Title: "BEST ASK", Spoken: "Best ask per tonne", Right: true, Drop: 2, Value: func(w *Wallet) field.Value { return field.Price(w.Ask) }},
	{Name: "value_cents", Extra: true, Title: "VALUE", Spoken: "Value at the best ask", Right: true, Value: func(w *Wallet) field.Value {
		worth := w.Value(w.Ask)
		return field.If(worth.HasValue, field.Cost(worth.Value))
	}},
	{Name: "cost_cents", Extra: true, Title: "COST", Spoken: "Cost of the balance", Right: true, Value: func(w *Wallet) field.Value {
		worth := w.Value(w.Ask)
		return field.If(worth.HasBasis, field.Cost(worth.Basis))
	}},
	{Name: "average_cost_cents", Extra: true, Value: func(w *Wallet) field.Value {
		average, known := w.Bought.AverageCost()
		return field.If(known, field.Price(average))
	}},
	{Name: "over_cost_cents", Extra: true, Value: func(w *Wallet) field.Value {
		over, known := w.Value(w.Ask).OverCost()
		return field.If(known, field.Cost(over))
	}},
}...)

// WalletsOfMarket are the names of the columns that need the market.
var WalletsOfMarket = []string{"best_ask_cents", "value_cents", "over_cost_cents"}

// Trades are the columns of trades.
var Trades = vintageOf(func(t Trade) *Vintage { return &t.Vintage }, "project_id", "project_name").With(field.Columns[Trade]{
	{Name: "wallet_type", Title: "WALLET", Drop: 1, Value: func(t Trade) field.Value { return field.Text(t.Position.Wallet.Type) }},
	{Name: "execution_date", Title: "DATE", Value: func(t Trade) field.Value { return field.Time(t.ExecutionDate) }},
	{Name: "type", Is: "string", Title: "TYPE", Value: func(t Trade) field.Value { return field.Text(string(t.Type)) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true, Value: func(t Trade) field.Value { return field.Grams(t.Quantity) }},
	{Name: "price_cents", Title: "PRICE", Right: true, Value: func(t Trade) field.Value { return field.Price(t.Price) }},
}...)
