package column

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/portfolio"
)

// Holdings are what the columns of an inventory need.
type Holdings struct {
	Projects model.Projects
	// Paid is the last purchase of a vintage, over all its wallets.
	Paid portfolio.LastPaidPrices
	// Ask returns the best ask of a vintage, and Year its year or 0.
	Ask  func(model.VintageKey) model.PriceCents
	Year func(model.VintageKey) int32
}

// Wallet is a wallet of the inventory.
type Wallet struct {
	*Holdings
	*portfolio.Position
	// Trades are the listed trades of the wallet.
	Trades []portfolio.Trade
}

// Named returns the names of the vintage.
func (w Wallet) Named() Vintage {
	key := w.Key.VintageKey
	return Vintage{key, w.Projects, w.Holdings.Year(key)}
}

func (w Wallet) ask() model.PriceCents        { return w.Holdings.Ask(w.Key.VintageKey) }
func (w Wallet) lastPaid() portfolio.LastPaid { return w.Paid.Of(w.Key.VintageKey) }
func (w Wallet) worth() portfolio.Valuation   { return w.Value(w.ask()) }

// All returns the listed trades as rows.
func (w Wallet) All() iter.Seq[Trade] {
	return field.Each(slices.Values(w.Trades), func(t portfolio.Trade) Trade { return Trade{w, t} })
}

// Trade is a trade of a wallet.
type Trade struct {
	Wallet
	portfolio.Trade
}

func vintageOf[T any](of func(T) Vintage, columns ...string) field.Columns[T] {
	picked := Vintages(of).Pick(append(columns, "vintage_year", "vintage_id")...)
	year, id := &picked[len(columns)], &picked[len(columns)+1]
	year.Extra, id.Title, id.Drop = true, "VINTAGE ID", 3
	return picked
}

// Wallets are the columns of wallets.
var Wallets = vintageOf(
	Wallet.Named,
	"project_id",
	"project_name",
	"type",
	"country",
	"registry",
).With(field.Columns[Wallet]{
	{
		Name: "wallet_type", Title: "WALLET", Help: "The type of the wallet.",
		Value: func(w Wallet) field.Value { return field.Text(w.Wallet.Type) },
	},
	{
		Name: "quantity_grams", Title: "BALANCE", Right: true, Help: "Credits that you own and have not retired.",
		Value: func(w Wallet) field.Value { return field.Grams(w.Wallet.Quantity) },
	},
	{
		Name: "last_paid_price_cents", Title: "LAST PAID", Spoken: "Last paid per tonne", Right: true, Drop: 1,
		Help:  "The last price paid for this vintage in any of its wallets, per tonne.",
		Value: func(w Wallet) field.Value { return field.Price(w.lastPaid().Price).As(field.LastPaid) },
	},
	{
		Name: "last_paid_date", Title: "PAID ON", Spoken: "Last paid on", Drop: 5,
		Value: func(w Wallet) field.Value { return field.Time(w.lastPaid().ExecutionDate) },
	},
	{
		Name: "trades", Is: "number", Title: "TRADES", Right: true, Drop: 4,
		Value: func(w Wallet) field.Value { return field.Number(len(w.Trades)) },
	},
	{
		Name: "best_ask_cents", Extra: true, Title: "BEST ASK", Spoken: "Best ask per tonne", Right: true, Drop: 2,
		Help:  "The cheapest sell order of at least one whole tonne, per tonne.",
		Value: func(w Wallet) field.Value { return field.Price(w.ask()).As(field.BestAsk) },
	},
	{
		Name: "value_cents", Extra: true, Title: "VALUE", Spoken: "Value at the best ask", Right: true,
		Help: "The cost of buying the balance again at the best ask, rounded to cents. " +
			"Totals are the sums of the rounded rows.",
		Value: func(w Wallet) field.Value { return field.If(w.worth().HasValue, field.Cost(w.worth().Value)) },
	},
	{
		Name: "cost_cents", Extra: true, Title: "COST", Spoken: "Cost of the balance", Right: true,
		Value: func(w Wallet) field.Value { return field.If(w.worth().HasBasis, field.Cost(w.worth().Basis)) },
	},
	{
		Name: "average_cost_cents", Extra: true, Help: "The average purchase price of the wallet, per tonne.",
		Value: func(w Wallet) field.Value {
			average, known := w.Bought.AverageCost()
			return field.If(known, field.Price(average))
		},
	},
	{
		Name: "over_cost_cents", Extra: true,
		Help: "TO REPLACE compared with the average cost: more (▲) or less (▼). Credits cannot be sold here, so this is " +
			"not a gain.",
		Value: func(w Wallet) field.Value {
			over, known := w.worth().OverCost()
			return field.If(known, field.Cost(over))
		},
	},
}...)

// WalletsOfMarket are the names of the columns that need the market.
var WalletsOfMarket = []string{"best_ask_cents", "value_cents", "over_cost_cents"}

// Trades are the columns of trades.
var Trades = vintageOf(Trade.Named, "project_id", "project_name").With(field.Columns[Trade]{
	{
		Name:  "wallet_type",
		Title: "WALLET",
		Drop:  1,
		Value: func(t Trade) field.Value { return field.Text(t.Position.Wallet.Type) },
	},
	{Name: "execution_date", Title: "DATE", Value: func(t Trade) field.Value { return field.Time(t.ExecutionDate) }},
	{Name: "type", Is: "string", Title: "TYPE", Value: func(t Trade) field.Value { return field.Text(string(t.Type)) }},
	{
		Name:  "quantity_grams",
		Title: "QUANTITY",
		Right: true,
		Value: func(t Trade) field.Value { return field.Grams(t.Quantity) },
	},
	{Name: "price_cents", Title: "PRICE", Right: true, Value: func(t Trade) field.Value { return field.Price(t.Price) }},
}...)
