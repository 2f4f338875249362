// Package statement sums up the purchases and retirements of a period by month, project, type
// or beneficiary. It adds notes on missing data. It does not format the result. Start reading
// at New.
package statement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/attribute"
	"tonne/model/cost"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Grouping is the kind of the rows of a statement.
type Grouping string

// The groupings.
const (
	PerMonth       Grouping = "month"
	PerProject     Grouping = "project"
	PerType        Grouping = "type"
	PerBeneficiary Grouping = "beneficiary"
)

// Groupings returns the groupings in the order of the help.
func Groupings() []string {
	return []string{string(PerMonth), string(PerProject), string(PerType), string(PerBeneficiary)}
}

// NotAttributed is the key of the row for purchases, which have no beneficiary.
const NotAttributed = "not attributed"

// Source has the data for New.
type Source struct {
	// Inventory has all wallets and all trades, unfiltered.
	Inventory *portfolio.Inventory
	// Requests are the last answers of the ledger's requests.
	Requests []*retirement.Request
	Projects model.Projects
	// Facts are the attributes that users entered. They may be nil.
	Facts *attribute.Facts
	// From is the start of the period (inclusive), To its end (exclusive).
	From, To time.Time
	// Now is the time at which inventory and requests were read.
	Now time.Time
	By  Grouping
	// Beneficiary is a part of a name. Only what was retired for beneficiaries with it
	// counts; empty means all.
	Beneficiary string
	// Account is the owner of inventory and ledger.
	Account Account
	// Certificates are the saved certificates by request.
	Certificates map[string]retirement.Certificate
}

// Period returns the first and the last day of the statement.
func (s Source) Period() string {
	return model.FormatPeriod(s.From, s.To, time.DateOnly)
}

// Row has the purchases and retirements of one key.
type Row struct {
	// Key is a month such as 2026-10, a project id, a type, or a beneficiary.
	Key string
	// Bought and Cost are unknown in a row of beneficiaries: purchases have none.
	Bought model.Grams
	Cost   model.Cost
	// Retired is unknown if no request of the ledger was created or retired in the period of this row.
	Retired model.Grams
	// Spent is what the retired credits cost (package cost).
	Spent Spent
}

// Spent is what retired credits cost.
type Spent struct {
	Cents model.Cents
	// Of are the grams with this cost. The cost of other grams is unknown.
	Of model.Grams
}

// RetiredCost returns what was retired cost, or false if the cost of a gram is unknown.
func (r Row) RetiredCost() (model.Cents, bool) {
	return r.Spent.Cents, r.Retired.Known() && r.Spent.Of == r.Retired
}

// Statement is the result of New.
type Statement struct {
	// Rows are sorted by key; rows of projects by name.
	Rows  []Row
	Total Row
	// AtLeast means that the ledger lacks requests: more may have been retired than the total.
	AtLeast bool
	// Balance is the quantity owned at the end of the period, or unknown.
	Balance model.Grams
	// Shares divide the retired tonnes for disclosures.
	Shares []DisclosureShare
	// Retired are the retirements that the rows sum up, by date.
	Retired []Retirement
	// Notes are sentences about missing data. Lacking are the notes about quantities that
	// the ledger or the inventory does not account for.
	Notes, Lacking []advice.Text
	costs          *cost.Costs
}

// Retirement is the part of a request that counts in the row with the key.
type Retirement struct {
	*retirement.Request
	Key      string
	Quantity model.Grams
}

// New returns a statement. All sums are exact. The error is ErrOverflow.
func New(source Source) (Statement, error) {
	b := newBuilder(source, cost.New(source.Inventory, source.Requests))
	b.doubt()
	s, _ := b.statement()
	s.Shares = b.shares()
	return s, b.Err
}

// Regrouped returns the statement of the same source with another grouping, without shares and notes about doubts.
func (s Statement) Regrouped(source Source) (Statement, error) {
	return newBuilder(source, s.costs).statement()
}

func (b *statementBuilder) statement() (Statement, error) {
	b.reckon()
	b.omitPurchases()
	atLeast := b.noteUnknown()
	b.noteCosts()
	s := Statement{Balance: b.balance, Notes: b.notes, Lacking: b.lacking, Total: b.total, AtLeast: atLeast,
		Retired: b.parts, costs: b.costs}
	for _, row := range b.rows {
		s.Rows = append(s.Rows, *row)
	}
	slices.SortFunc(s.Rows, func(x, y Row) int {
		return cmp.Or(strings.Compare(b.title(x.Key), b.title(y.Key)), strings.Compare(x.Key, y.Key))
	})
	slices.SortStableFunc(s.Retired, func(x, y Retirement) int {
		return cmp.Or(x.RetiredAt.Time.Compare(y.RetiredAt.Time), strings.Compare(x.ID, y.ID), strings.Compare(x.Key, y.Key))
	})
	return s, b.Err
}

// Bought returns the total and the notes Lacking of New.
func Bought(source Source) (total Row, lacking []advice.Text, err error) {
	b := newBuilder(source, cost.New(source.Inventory, source.Requests))
	b.reckon()
	return b.total, b.lacking, b.Err
}

func newBuilder(source Source, costs *cost.Costs) *statementBuilder {
	b := &statementBuilder{Source: source, rows: make(map[string]*Row), books: make(map[model.VintageKey]*vintageBooks)}
	b.costs = costs
	b.total.Retired = model.UnknownGrams
	b.buy()
	b.retire()
	return b
}
