package column

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Fewest and Most limit the number of compared vintages.
const Fewest, Most = 2, 4

// ComparedDays is the number of days of recorded prices in a comparison.
const ComparedDays = 30

// Compared is a vintage in a comparison.
type Compared struct {
	Vintage
	// BestAsk and Available are from the order book. Available is in grams.
	BestAsk   model.PriceCents
	Available model.Grams
	// Unread counts the sell orders with an unreadable number.
	Unread int
	// Depth is the cost of 1, 100 and 1,000 tonnes and of all that are for sale.
	Depth []Depth
	Paid  portfolio.LastPaid
	// Bought reports that a purchase is known.
	Bought bool
	// Held is the balance of the wallets in grams.
	Held model.Grams
	// Facts are the buyer's own attributes.
	Facts *attribute.Facts
	// Low and High are the lowest and highest best ask of the last Days, or UnknownPrice if none was recorded.
	Low, High model.PriceCents
	Days      int
}

// Depth is the cost of a number of tonnes. It is unknown if it is out of range.
type Depth struct {
	market.Quote
	Unknown bool
}

// Unpriced returns the number of tonnes whose cost is out of range, for a warning: the fewest
// of Depth, or 0.
func (c *Compared) Unpriced() int64 {
	if at := slices.IndexFunc(c.Depth, func(d Depth) bool { return d.Unknown }); at >= 0 {
		return c.Depth[at].BuyTonnes
	}
	return 0
}

// Sources are the data of compared vintages.
type Sources struct {
	Market   *market.Market
	Projects model.Projects
	Paid     portfolio.LastPaidPrices
	// Balances are nil if they are unknown.
	Balances portfolio.Balances
	Facts    *attribute.Facts
	// Partial reports that vintages may be missing.
	Partial bool
	// At is the time of the market.
	At time.Time
}

// Compare returns a vintage for a comparison. It need not be for sale. prices are its recorded prices, oldest
// first.
func (s *Sources) Compare(key model.VintageKey, prices []store.Observation) *Compared {
	c := &Compared{BestAsk: model.UnknownPrice, Available: model.UnknownGrams, Held: model.UnknownGrams, Facts: s.Facts}
	c.Key, c.Projects, c.Paid = key, s.Projects, s.Paid.Of(key)
	c.Year = int32(c.Project().Year(key.VintageID))
	_, c.Bought = s.Paid[key]
	if held, ok := s.Balances[key]; ok || s.Balances != nil && !s.Partial {
		c.Held = held
	}
	c.addHistory(prices, s.Since(), s.At)
	at, forSale := s.Market.Find(key)
	switch {
	case forSale:
		v, book := s.Market.Vintage(at), s.Market.Book(at)
		c.Year, c.BestAsk, c.Available, c.Unread = cmp.Or(v.Year, c.Year), v.BestAsk, v.Available, book.Unread
		c.Depth = newDepth(book)
	case !s.Partial:
		c.Available = 0
	}
	return c
}

// Since returns the start of the recorded prices that are compared.
func (s *Sources) Since() time.Time { return s.At.AddDate(0, 0, -ComparedDays) }

// addHistory ignores prices that were no longer valid at the start.
func (c *Compared) addHistory(prices []store.Observation, since, until time.Time) {
	c.Low, c.High = model.UnknownPrice, model.UnknownPrice
	for i, p := range prices {
		over := i+1 < len(prices) && !prices[i+1].At.After(since)
		switch {
		case over || !p.BestAsk.Known():
		case !c.Low.Known():
			c.Low, c.High = p.BestAsk, p.BestAsk
			c.Days = min(int(until.Sub(p.At)/(24*time.Hour))+1, ComparedDays)
		default:
			c.Low, c.High = min(c.Low, p.BestAsk), max(c.High, p.BestAsk)
		}
	}
}

// depths are the whole tonnes of Compared.Depth, without the last one, which is all that are for sale.
var depths = []int64{1, 100, 1000}

func newDepth(book market.Book) (depth []Depth) {
	for _, tonnes := range append(slices.Clone(depths), book.Tonnes()) {
		q, err := book.Buy(tonnes)
		if err != nil {
			q = market.Quote{BuyTonnes: min(tonnes, book.Tonnes()), Average: model.UnknownPrice}
			q.Short = tonnes - q.BuyTonnes
		}
		depth = append(depth, Depth{q, err != nil})
	}
	return depth
}

func (c *Compared) named() Vintage { return c.Vintage }

// attributes returns the columns of the project's details and of the buyer's attributes.
func attributes() field.Columns[*Compared] {
	all := field.Columns[*Compared]{
		{Name: "type", Title: "TYPE", Value: func(c *Compared) field.Value { return field.Optional(c.Project().Type) }},
		{
			Name:  "country",
			Title: "COUNTRY",
			Value: func(c *Compared) field.Value { return field.Optional(c.Project().Country) },
		},
		{
			Name:  "registry",
			Title: "REGISTRY",
			Value: func(c *Compared) field.Value { return field.Optional(c.Project().RegistryName) },
		},
	}
	for _, a := range attribute.Attributes() {
		all = append(
			all,
			field.Column[*Compared]{Name: string(a), Title: strings.ToUpper(string(a)), Value: func(c *Compared) field.Value {
				fact, _ := c.Facts.Vintage(a, c.Key)
				return field.Optional(fact.Value)
			}},
		)
	}
	return all
}

// depthColumns returns the columns of the n-th depth, with a prefix in their names.
func depthColumns(n int, prefix, title string) field.Columns[*Compared] {
	average := "PRICE OF " + title
	if n == 0 {
		average = "" // The price of one tonne is its cost.
	}
	at := func(c *Compared) (d Depth, filled bool) {
		if n < len(c.Depth) {
			d = c.Depth[n]
		}
		return d, d.Short == 0 && d.BuyTonnes > 0 && !d.Unknown
	}
	cost := func(c *Compared) field.Value {
		q, filled := at(c)
		return field.If(filled, field.Cost(q.Cost))
	}
	return field.Columns[*Compared]{
		{Name: prefix + "_cost_cents", Title: "COST OF " + title, Value: cost, Cell: func(c *Compared) field.Value {
			if q, _ := at(c); q.Short > 0 {
				return field.Shortage(q.Short)
			}
			return cost(c)
		}},
		{Name: prefix + "_average_price_cents", Title: average, Value: func(c *Compared) field.Value {
			q, filled := at(c)
			return field.If(filled, field.Price(q.Average))
		}},
	}
}

// Comparison are the columns of compared vintages. In CSV each vintage is a row, and in tables a column.
var Comparison = slices.Concat(
	Vintages((*Compared).named).Pick("project_id", "project_name", "vintage_id", "vintage_year"),
	field.Columns[*Compared]{
		{
			Name:  "best_ask_cents",
			Title: "BEST ASK",
			Value: func(c *Compared) field.Value { return field.Price(c.BestAsk).As(field.BestAsk) },
		},
		{Title: "ASKS IN 30 DAYS", Value: func(c *Compared) field.Value { return field.Optional(c.priceRange()) }},
		{
			Name:  "available_grams",
			Title: "AVAILABLE",
			Value: func(c *Compared) field.Value { return field.Grams(c.Available) },
		},
	},
	depthColumns(
		0,
		"1_tonne",
		"1 t",
	),
	depthColumns(1, "100_tonnes", "100 t"),
	depthColumns(2, "1000_tonnes", "1,000 t"),
	depthColumns(3, "all", "ALL"),
	field.Columns[*Compared]{
		{
			Name:  "last_paid_price_cents",
			Title: "LAST PAID",
			Value: func(c *Compared) field.Value { return field.Price(c.Paid.Price).As(field.LastPaid) },
		},
		{
			Name:  "last_paid_date",
			Title: "PAID ON",
			Value: func(c *Compared) field.Value { return field.Time(c.Paid.ExecutionDate) },
		},
		{Title: "ASK VS PAID", Value: func(c *Compared) field.Value { return versus(c.BestAsk, c.Paid.Price) }},
		{Name: "held_grams", Title: "HELD", Value: func(c *Compared) field.Value { return field.Grams(c.Held) }},
	},
	attributes(),
)

// comparisonJSON are the columns of a compared vintage in JSON.
var comparisonJSON = slices.Concat(
	Comparison.Pick("project_id", "project_name", "vintage_id", "vintage_year", "best_ask_cents", "available_grams"),
	field.Columns[*Compared]{
		field.Items("depth", func(c *Compared) iter.Seq[Depth] { return slices.Values(c.Depth) }, field.Columns[Depth]{
			{Name: "tonnes", Is: "string", Value: func(q Depth) field.Value { return field.Tonnes(q.BuyTonnes + q.Short) }},
			{Name: "cost_cents", Value: func(q Depth) field.Value { return field.If(!q.Unknown, field.Cost(q.Cost)) }},
			{Name: "average_price_cents", Value: func(q Depth) field.Value { return field.Price(q.Average) }},
			{Name: "short_tonnes", Is: "string", Value: func(q Depth) field.Value { return field.Tonnes(q.Short) }},
		}),
		field.Nested("last_paid", func(c *Compared) (portfolio.LastPaid, bool) { return c.Paid, c.Bought }, LastPaid),
	},
	Comparison.Pick("held_grams"),
	field.Columns[*Compared]{
		field.Nested("attributes", func(c *Compared) (*Compared, bool) { return c, true }, attributes()).Always(),
	},
)

// ComparisonDocument are the columns of the JSON document that compares vintages.
var ComparisonDocument = field.Columns[[]*Compared]{
	field.Items("vintages", slices.Values[[]*Compared], comparisonJSON),
	{Name: "different", Is: "array", Value: func(all []*Compared) field.Value { return field.Texts(different(all)) }},
}

// different returns the names of the columns of comparisonJSON in which the vintages differ,
// without vintage_id.
func different(vintages []*Compared) (names []string) {
	for _, column := range comparisonJSON {
		if column.Name != "vintage_id" &&
			slices.ContainsFunc(vintages, func(c *Compared) bool { return !column.Value(c).Equal(column.Value(vintages[0])) }) {
			names = append(names, column.Name)
		}
	}
	return names
}

// priceRange shows for how many days prices were recorded, if that is less than the period compared.
func (c *Compared) priceRange() string {
	if !c.Low.Known() {
		return ""
	}
	text := c.Low.FormatDollars()
	if c.High > c.Low {
		text += " to " + c.High.FormatDollars()
	}
	if c.Days < ComparedDays {
		text += " (" + strconv.Itoa(c.Days) + " d)"
	}
	return text
}
