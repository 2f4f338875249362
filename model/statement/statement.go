// Package statement sums up the purchases and retirements of a period by month, project, type
// or beneficiary. It adds notes on missing data. It does not format the result. Start reading
// at New.
package statement

import (
	"cmp"
	"maps"
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
}

// Retirement is the part of a request that counts in the row with the key.
type Retirement struct {
	*retirement.Request
	Key      string
	Quantity model.Grams
}

// New returns a statement. All sums are exact. The error is ErrOverflow.
func New(source Source) (Statement, error) {
	b := newBuilder(source)
	b.doubt()
	return b.statement()
}

// Unchecked returns the statement without the notes about doubts in requests, for which New checks each.
func Unchecked(source Source) (Statement, error) { return newBuilder(source).statement() }

func (b *statementBuilder) statement() (Statement, error) {
	b.reckon()
	b.omitPurchases()
	atLeast := b.noteUnknown()
	b.noteCosts()
	s := Statement{Balance: b.balance, Notes: b.notes, Lacking: b.lacking, Total: b.total, AtLeast: atLeast}
	for _, row := range b.rows {
		s.Rows = append(s.Rows, *row)
	}
	slices.SortFunc(s.Rows, func(x, y Row) int {
		return cmp.Or(strings.Compare(b.title(x.Key), b.title(y.Key)), strings.Compare(x.Key, y.Key))
	})
	s.Shares, s.Retired = b.shares(), b.parts
	slices.SortStableFunc(s.Retired, func(x, y Retirement) int {
		return cmp.Or(x.RetiredAt.Time.Compare(y.RetiredAt.Time), strings.Compare(x.ID, y.ID), strings.Compare(x.Key, y.Key))
	})
	return s, b.Err
}

// Bought returns the total and the notes Lacking of New.
func Bought(source Source) (total Row, lacking []advice.Text, err error) {
	b := newBuilder(source)
	b.reckon()
	return b.total, b.lacking, b.Err
}

func newBuilder(source Source) *statementBuilder {
	b := &statementBuilder{Source: source, rows: make(map[string]*Row), books: make(map[model.VintageKey]*vintageBooks)}
	b.costs = cost.New(b.Inventory, b.Requests)
	b.total.Retired = model.UnknownGrams
	b.buy()
	b.retire()
	return b
}

type statementBuilder struct {
	Source
	rows  map[string]*Row
	total Row
	// retired are the requests that were retired in the period, counted their quantities
	// that are in the statement.
	retired []*retirement.Request
	counted []model.Grams
	parts   []Retirement
	balance model.Grams
	notes   []advice.Text
	lacking []advice.Text
	model.Adder
	books map[model.VintageKey]*vintageBooks
	costs *cost.Costs
	exact bool
	// short is whether the ledger lacks requests of credits that were bought.
	short bool
}

func (b *statementBuilder) note(format string, args ...any) {
	b.notes = append(b.notes, advice.Format(format, args...))
}

func (b *statementBuilder) lack(format string, args ...any) {
	b.note(format, args...)
	b.lacking = append(b.lacking, b.notes[len(b.notes)-1])
}

func (b *statementBuilder) of(v model.VintageKey) *vintageBooks {
	if b.books[v] == nil {
		b.books[v] = new(vintageBooks)
	}
	return b.books[v]
}

func (b *statementBuilder) in(t time.Time) bool { return !t.Before(b.From) && t.Before(b.To) }

func (b *statementBuilder) row(key string) *Row {
	if b.rows[key] == nil {
		b.rows[key] = &Row{Key: key, Retired: model.UnknownGrams}
	}
	return b.rows[key]
}

func (b *statementBuilder) key(projectID string, at time.Time) string {
	switch b.By {
	case PerProject:
		return projectID
	case PerType:
		return cmp.Or(b.Projects[projectID].Type, attribute.NotSupplied)
	case PerBeneficiary:
		return NotAttributed
	}
	return at.UTC().Format("2006-01")
}

func (b *statementBuilder) title(key string) string {
	if b.By == PerProject {
		key = b.Projects.Name(key)
	}
	return strings.ToLower(key)
}

func (b *statementBuilder) buy() {
	var unread, sales int
	b.exact = true
	for of, w := range b.Inventory.AllWallets() {
		for _, t := range w.Trades {
			switch ok := b.trade(of.VintageKey, t); {
			case !ok:
				unread++
			case t.Type != portfolio.Buy && b.in(t.ExecutionDate.Time):
				sales++
			}
		}
	}
	if unread > 0 {
		b.exact = false
		b.note("%s could not be read and %s left out.", model.Count(unread, "trade", "trades"),
			model.Plural(unread, "is", "are"))
	}
	if sales > 0 {
		b.note("%s in this time %s no purchase: \"bought\" leaves out what was sold.", model.Count(sales, "trade", "trades"),
			model.Plural(sales, "is", "are"))
	}
}

func (b *statementBuilder) trade(of model.VintageKey, t portfolio.Trade) bool {
	cost, err := model.CostOf(t.Quantity, t.Price)
	if err != nil || !t.ExecutionDate.Known() {
		return false
	}
	at := t.ExecutionDate.Time
	all, after := &b.of(of).bought, &b.of(of).boughtAfter
	switch t.Type {
	case portfolio.Buy:
	case portfolio.Sell:
		all, after = &b.of(of).sold, &b.of(of).soldAfter
	default:
		return false
	}
	b.Grams(all, t.Quantity)
	if !at.Before(b.To) {
		b.Grams(after, t.Quantity)
	}
	if t.Type == portfolio.Buy && b.in(at) && b.Beneficiary == "" {
		row := b.row(b.key(of.ProjectID, at))
		b.Grams(&row.Bought, t.Quantity)
		b.Grams(&b.total.Bought, t.Quantity)
		b.Cost(&row.Cost, cost)
		b.Cost(&b.total.Cost, cost)
	}
	return true
}

func (b *statementBuilder) retire() {
	undated := 0
	for _, r := range b.Requests {
		switch {
		case r.Status != retirement.Complete:
		case !r.RetiredAt.Known() || !r.TotalQuantity.Known():
			undated++
		case b.in(r.RetiredAt.Time):
			b.count(r)
		}
	}
	if undated > 0 {
		b.note("%s without a date or a quantity that can be read %s left out of what was retired.",
			model.Count(undated, "complete request", "complete requests"), model.Plural(undated, "is", "are"))
	}
	b.know()
}

func (b *statementBuilder) count(r *retirement.Request) {
	var sum model.Grams
	keys := b.beneficiaries(r, r.RetiredAt.Time)
	if len(keys) == 0 && r.HasBeneficiary(b.Beneficiary) {
		b.lack("%s is left out: its items do not sum up to it, so that the part of each beneficiary is unknown.", r.ID)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		sum = sum.Plus(keys[key])
		b.Grams(&b.row(key).Retired, keys[key])
		b.spend(r, key, keys[key])
		b.parts = append(b.parts, Retirement{r, key, keys[key]})
	}
	if len(keys) > 0 {
		b.retired, b.counted = append(b.retired, r), append(b.counted, sum)
		b.Grams(&b.total.Retired, sum)
	}
}

// omitPurchases makes unknown what cannot be attributed to beneficiaries.
func (b *statementBuilder) omitPurchases() {
	for key, row := range b.rows {
		if b.Beneficiary != "" || b.By == PerBeneficiary && key != NotAttributed {
			row.Bought = model.UnknownGrams
		}
	}
	if b.Beneficiary != "" {
		b.balance, b.total.Bought = model.UnknownGrams, model.UnknownGrams
		b.note("Only what was retired for beneficiaries with %q in their name is included. Purchases have no beneficiary, "+
			"so that they and the balance are unknown.", b.Beneficiary)
	}
}

// know makes 0 of an unknown quantity in the rows with a request that was created in the period.
func (b *statementBuilder) know() {
	for _, r := range b.Requests {
		if !r.CreatedAt.Known() || !b.in(r.CreatedAt.Time) {
			continue
		}
		for key := range b.beneficiaries(r, r.CreatedAt.Time) {
			b.Grams(&b.total.Retired, 0)
			if row := b.rows[key]; row != nil {
				b.Grams(&row.Retired, 0)
			}
		}
	}
}

// noteUnknown notes the rows that the total of what was retired lacks, and reports whether the total may be too low.
func (b *statementBuilder) noteUnknown() bool {
	rows := 0
	for key, row := range b.rows {
		if key != NotAttributed && !row.Retired.Known() {
			rows++
		}
	}
	if !b.total.Retired.Known() {
		return false
	}
	if rows > 0 {
		b.note("What was retired is unknown in %s: the ledger has no request of %s, so that the total is at least that of "+
			"the others.", model.Count(rows, "row", "rows"), model.Plural(rows, "it", "them"))
	}
	return rows > 0 || b.short
}

// beneficiaries returns the parts of a request by row key.
func (b *statementBuilder) beneficiaries(r *retirement.Request, at time.Time) map[string]model.Grams {
	if b.By != PerBeneficiary && b.Beneficiary == "" {
		return map[string]model.Grams{b.key(r.ProjectID, at): r.TotalQuantity}
	}
	parts := make(map[string]model.Grams)
	for _, item := range r.Items {
		name := cmp.Or(item.RetireeName, attribute.NotSupplied)
		parts[name] = parts[name].Plus(max(item.Quantity, 0))
	}
	if sum, err := r.ItemsTotal(); len(parts) == 1 {
		for name := range parts {
			parts[name] = r.TotalQuantity
		}
	} else if err != nil || sum != r.TotalQuantity {
		parts = map[string]model.Grams{NotAttributed: r.TotalQuantity}
	}
	return b.selected(parts, r.ProjectID, at)
}

// selected returns the parts of the chosen beneficiaries.
func (b *statementBuilder) selected(parts map[string]model.Grams, projectID string,
	at time.Time) map[string]model.Grams {
	chosen := make(map[string]model.Grams)
	for name, g := range parts {
		if key, ok := b.keyOf(name, projectID, at); ok {
			chosen[key] = chosen[key].Plus(g)
		}
	}
	return chosen
}

// keyOf returns the key of the row of a beneficiary, or false if the statement leaves it out.
func (b *statementBuilder) keyOf(name, projectID string, at time.Time) (key string, ok bool) {
	if b.Beneficiary != "" && (name == attribute.NotSupplied || name == NotAttributed ||
		!(retirement.Item{RetireeName: name}).IsFor(b.Beneficiary)) {
		return "", false
	}
	if b.By != PerBeneficiary {
		return b.key(projectID, at), true
	}
	return name, true
}
