package column

import (
	"iter"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/output"
)

// Compared is a vintage next to others.
type Compared struct {
	Vintage
	// BestAsk and Available are those of the order book, Available in grams.
	BestAsk   model.PriceCents
	Available model.Grams
	// Depth is the cost of 1, 100 and 1,000 tonnes and of all that are for sale.
	Depth []market.Quote
	Paid  portfolio.LastPaid
	// Bought says that a purchase is known.
	Bought bool
	// Held is what the wallets hold in grams.
	Held model.Grams
	// Facts are the buyer's own attributes.
	Facts *attribute.Facts
	// Low and High are the lowest and highest best ask since Since; UnknownPrice if none is recorded.
	Low, High model.PriceCents
	Since     time.Time
}

// depths are the whole tonnes of Compared.Depth; the last is all that are for sale.
var depths = []int64{1, 100, 1000}

// NewDepth returns the cost of 1, 100 and 1,000 tonnes and of all that a book sells. The
// error is ErrOverflow.
func NewDepth(book market.Book) (depth []market.Quote, err error) {
	for _, tonnes := range append(slices.Clone(depths), book.Tonnes()) {
		q, err := book.Buy(tonnes)
		if err != nil {
			return nil, err
		}
		depth = append(depth, q)
	}
	return depth, nil
}

func (c *Compared) named() *Vintage { return &c.Vintage }

// attributes are the columns of the facts about the project and of the buyer's own.
func attributes() output.Columns[*Compared] {
	all := output.Columns[*Compared]{
		{Name: "type", Title: "TYPE", Value: func(c *Compared) output.Value { return output.Optional(c.Project.Type) }},
		{Name: "country", Title: "COUNTRY", Value: func(c *Compared) output.Value { return output.Optional(c.Project.Country) }},
		{Name: "registry", Title: "REGISTRY", Value: func(c *Compared) output.Value { return output.Optional(c.Project.RegistryName) }},
	}
	for _, a := range attribute.Attributes() {
		all = append(all, output.Column[*Compared]{Name: string(a), Title: strings.ToUpper(string(a)), Value: func(c *Compared) output.Value {
			fact, _ := c.Facts.Vintage(a, c.Key)
			return output.Optional(fact.Value)
		}})
	}
	return all
}

// depthColumns are the columns of the n-th depth, with names that begin with prefix.
func depthColumns(n int, prefix, title string) output.Columns[*Compared] {
	average := "PRICE OF " + title
	if n == 0 {
		average = "" // The price of one tonne is its cost.
	}
	at := func(c *Compared) (market.Quote, bool) {
		if n >= len(c.Depth) {
			return market.Quote{}, false
		}
		return c.Depth[n], c.Depth[n].Short == 0 && c.Depth[n].BuyTonnes > 0
	}
	return output.Columns[*Compared]{
		{Name: prefix + "_cost_cents", Title: "COST OF " + title, Value: func(c *Compared) output.Value {
			q, filled := at(c)
			return output.If(filled, output.Cost(q.Cost))
		}},
		{Name: prefix + "_average_price_cents", Title: average, Value: func(c *Compared) output.Value {
			q, filled := at(c)
			return output.If(filled, output.Price(q.Average))
		}},
	}
}

// Comparison are the columns of compared vintages: a row of CSV each, or a column of a table each.
var Comparison = slices.Concat(
	Vintages((*Compared).named).Pick("project_id", "project_name", "vintage_id", "vintage_year"),
	output.Columns[*Compared]{
		{Name: "best_ask_cents", Title: "BEST ASK", Value: func(c *Compared) output.Value { return output.Price(c.BestAsk) }},
		{Title: "ASKS IN 30 DAYS", Value: func(c *Compared) output.Value { return output.Optional(c.priceRange()) }},
		{Name: "available_grams", Title: "AVAILABLE", Value: func(c *Compared) output.Value { return output.Grams(c.Available) }},
	},
	depthColumns(0, "1_tonne", "1 t"), depthColumns(1, "100_tonnes", "100 t"), depthColumns(2, "1000_tonnes", "1,000 t"), depthColumns(3, "all", "ALL"),
	output.Columns[*Compared]{
		{Name: "last_paid_price_cents", Title: "LAST PAID", Value: func(c *Compared) output.Value { return output.Price(c.Paid.Price) }},
		{Name: "last_paid_date", Title: "PAID ON", Value: func(c *Compared) output.Value { return output.Time(c.Paid.ExecutionDate) }},
		{Title: "ASK VS PAID", Value: func(c *Compared) output.Value { return output.Text(versus(c.BestAsk, c.Paid.Price)) }},
		{Name: "held_grams", Title: "HELD", Value: func(c *Compared) output.Value { return output.Grams(c.Held) }},
	},
	attributes(),
)

// ComparisonJSON are the columns of a compared vintage in JSON.
var ComparisonJSON = slices.Concat(
	Comparison.Pick("project_id", "project_name", "vintage_id", "vintage_year", "best_ask_cents", "available_grams"),
	output.Columns[*Compared]{
		output.Array("depth", func(c *Compared) iter.Seq[market.Quote] { return slices.Values(c.Depth) }, output.Columns[market.Quote]{
			{Name: "tonnes", Is: "string", Value: func(q market.Quote) output.Value { return output.Tonnes(q.BuyTonnes + q.Short) }},
			{Name: "cost_cents", Is: "string", Value: func(q market.Quote) output.Value { return output.Cost(q.Cost) }},
			{Name: "average_price_cents", Value: func(q market.Quote) output.Value { return output.Price(q.Average) }},
			{Name: "short_tonnes", Is: "string", Value: func(q market.Quote) output.Value { return output.Tonnes(q.Short) }},
		}),
		output.Nested("last_paid", func(c *Compared) (portfolio.LastPaid, bool) { return c.Paid, c.Bought }, LastPaid),
	},
	Comparison.Pick("held_grams"),
	output.Columns[*Compared]{
		output.Nested("attributes", func(c *Compared) (*Compared, bool) { return c, true }, attributes()).Always(),
	},
)

// Different returns the names of ComparisonJSON of which vintages have different values,
// without the ids of the vintages.
func Different(vintages []*Compared) (names []string) {
	for _, column := range ComparisonJSON {
		if column.Name != "vintage_id" && slices.ContainsFunc(vintages, func(c *Compared) bool { return column.Value(c) != column.Value(vintages[0]) }) {
			names = append(names, column.Name)
		}
	}
	return names
}

func (c *Compared) priceRange() string {
	if !c.Low.Known() || c.Since.IsZero() {
		return ""
	}
	return c.Low.FormatDollars() + " to " + c.High.FormatDollars() + " since " + c.Since.Local().Format(time.DateOnly)
}
