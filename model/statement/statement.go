// Package statement sums up the purchases and retirements of a period by month, project, type
// or beneficiary. It adds notes on missing data. It does not format the result. Start reading
// at New.
package statement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/attribute"
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
	Requests []retirement.Request
	Projects model.Projects
	// Facts are the attributes that users entered. They may be nil.
	Facts *attribute.Facts
	// From is the start of the period (inclusive), To its end (exclusive).
	From, To time.Time
	// Now is the time at which inventory and requests were read.
	Now time.Time
	By  Grouping
}

// Row has the purchases and retirements of one key.
type Row struct {
	// Key is a month such as 2026-10, a project id, a type, or a beneficiary.
	Key    string
	Bought model.Grams
	Cost   model.Cost
	// Retired is unknown if the ledger has no request of this row.
	Retired model.Grams
}

// Statement is the result of New.
type Statement struct {
	// Rows are sorted by key; rows of projects by name.
	Rows  []Row
	Total Row
	// Balance is the quantity owned at the end of the period, or unknown.
	Balance model.Grams
	// Shares divide the retired tonnes for disclosures.
	Shares []DisclosureShare
	// Notes are sentences about missing data. Lacking are the notes about quantities that
	// the ledger or the inventory does not account for.
	Notes, Lacking []string
}

// New returns a statement. All sums are exact. The error is ErrOverflow.
func New(source Source) (Statement, error) {
	b := statementBuilder{Source: source, rows: make(map[string]*Row), books: make(map[model.VintageKey]*vintageBooks)}
	b.total.Retired = model.UnknownGrams
	b.buy()
	b.retire()
	b.doubt()
	b.reckon()
	s := Statement{Balance: b.balance, Notes: b.notes, Lacking: b.lacking, Total: b.total}
	for _, row := range b.rows {
		s.Rows = append(s.Rows, *row)
	}
	slices.SortFunc(s.Rows, func(x, y Row) int {
		return cmp.Or(strings.Compare(b.title(x.Key), b.title(y.Key)), strings.Compare(x.Key, y.Key))
	})
	s.Shares = b.shares()
	return s, b.Err
}

type statementBuilder struct {
	Source
	rows  map[string]*Row
	total Row
	// retired returns the requests that were retired in the period.
	retired []retirement.Request
	balance model.Grams
	notes   []string
	lacking []string
	model.Adder
	books map[model.VintageKey]*vintageBooks
	exact bool
}

func (b *statementBuilder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
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
		b.note("%s could not be read and %s left out.", model.Count(unread, "trade", "trades"), model.Plural(unread, "is", "are"))
	}
	if sales > 0 {
		b.note("%s in this time %s no purchase: \"bought\" leaves out what was sold.", model.Count(sales, "trade", "trades"), model.Plural(sales, "is", "are"))
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
	if t.Type == portfolio.Buy && b.in(at) {
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
			b.pending(r)
		case !r.RetiredAt.Known() || !r.TotalQuantity.Known():
			undated++
		case b.in(r.RetiredAt.Time):
			b.retired = append(b.retired, r)
			b.Grams(&b.total.Retired, r.TotalQuantity)
			for key, g := range b.beneficiaries(r, r.RetiredAt.Time) {
				b.Grams(&b.row(key).Retired, g)
			}
		}
	}
	if undated > 0 {
		b.note("%s without a date or a quantity that can be read %s left out of what was retired.", model.Count(undated, "complete request", "complete requests"), model.Plural(undated, "is", "are"))
	}
}

// pending makes 0 of an unknown quantity: the ledger has a request that has retired nothing yet.
func (b *statementBuilder) pending(r retirement.Request) {
	if !r.CreatedAt.Known() || !b.in(r.CreatedAt.Time) {
		return
	}
	b.Grams(&b.total.Retired, 0)
	for key := range b.beneficiaries(r, r.CreatedAt.Time) {
		if row := b.rows[key]; row != nil {
			b.Grams(&row.Retired, 0)
		}
	}
}

func (b *statementBuilder) beneficiaries(r retirement.Request, at time.Time) map[string]model.Grams {
	if b.By != PerBeneficiary {
		return map[string]model.Grams{b.key(r.ProjectID, at): r.TotalQuantity}
	}
	parts := make(map[string]model.Grams)
	for _, item := range r.Items {
		name := cmp.Or(item.RetireeName, attribute.NotSupplied)
		parts[name] = parts[name].AddUpTo(max(item.Quantity, 0))
	}
	if len(parts) == 1 {
		for name := range parts {
			parts[name] = r.TotalQuantity
		}
		return parts
	}
	if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
		return map[string]model.Grams{NotAttributed: r.TotalQuantity}
	}
	return parts
}
