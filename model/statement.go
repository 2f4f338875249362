package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Grouping says what a row of a statement stands for.
type Grouping string

// The groupings.
const (
	PerMonth       Grouping = "month"
	PerProject     Grouping = "project"
	PerType        Grouping = "type"
	PerBeneficiary Grouping = "beneficiary"
)

// Groupings returns the groupings in the order in which help names them.
func Groupings() []string {
	return []string{string(PerMonth), string(PerProject), string(PerType), string(PerBeneficiary)}
}

// NotAttributed is the row of purchases, which have no beneficiary.
const NotAttributed = "not attributed"

// StatementSource is what a statement is made of.
type StatementSource struct {
	// Inventory has all wallets and all trades, unfiltered.
	Inventory *Inventory
	// Requests are those of the ledger, as they were answered last.
	Requests []Retirement
	Projects Projects
	// Facts are the buyer's; nil for none.
	Facts *BuyerFacts
	// From is the first moment of the statement, To the first after it.
	From, To time.Time
	// Now is when inventory and requests were read.
	Now time.Time
	By  Grouping
}

// StatementRow is what was bought and retired of one kind.
type StatementRow struct {
	// Key is a month such as 2026-10, a project id, a type, or a beneficiary.
	Key     string
	Bought  Grams
	Cost    Cost
	Retired Grams
}

// Statement says what was bought and retired in a time.
type Statement struct {
	// Rows are in the order of their keys, those of projects of their names.
	Rows  []StatementRow
	Total StatementRow
	// Balance is what was owned and not retired at the end, if that is known.
	Balance Grams
	// Shares tell the retired tonnes apart as disclosures ask for.
	Shares []DisclosureShare
	// Notes say in sentences what the figures leave out. Lacking are those of them
	// that say what the ledger or the inventory does not account for.
	Notes, Lacking []string
}

// NewStatement makes a statement. Every sum is exact. The error is ErrOverflow.
func NewStatement(source StatementSource) (Statement, error) {
	b := statementBuilder{StatementSource: source, rows: make(map[string]*StatementRow), books: make(map[VintageKey]*vintageBooks)}
	b.buy()
	b.retire()
	b.doubt()
	b.reckon()
	s := Statement{Balance: b.balance, Notes: b.notes, Lacking: b.lacking, Total: b.total}
	for _, row := range b.rows {
		s.Rows = append(s.Rows, *row)
	}
	slices.SortFunc(s.Rows, func(x, y StatementRow) int {
		return cmp.Or(strings.Compare(b.title(x.Key), b.title(y.Key)), strings.Compare(x.Key, y.Key))
	})
	s.Shares = b.shares()
	return s, b.err
}

type statementBuilder struct {
	StatementSource
	rows  map[string]*StatementRow
	total StatementRow
	// retired are the requests whose retirement is in the statement.
	retired []Retirement
	balance Grams
	notes   []string
	lacking []string
	adder
	books map[VintageKey]*vintageBooks
	exact bool
}

func (b *statementBuilder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *statementBuilder) lack(format string, args ...any) {
	b.note(format, args...)
	b.lacking = append(b.lacking, b.notes[len(b.notes)-1])
}

func (b *statementBuilder) of(v VintageKey) *vintageBooks {
	if b.books[v] == nil {
		b.books[v] = new(vintageBooks)
	}
	return b.books[v]
}

func (b *statementBuilder) in(t time.Time) bool { return !t.Before(b.From) && t.Before(b.To) }

func (b *statementBuilder) row(key string) *StatementRow {
	if b.rows[key] == nil {
		b.rows[key] = &StatementRow{Key: key}
	}
	return b.rows[key]
}

func (b *statementBuilder) key(projectID string, at time.Time) string {
	switch b.By {
	case PerProject:
		return projectID
	case PerType:
		return cmp.Or(b.Projects[projectID].Type, NotSupplied)
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
	for of, w := range b.Inventory.wallets() {
		for _, t := range w.Trades {
			switch ok := b.trade(of.VintageKey, t); {
			case !ok:
				unread++
			case t.Type != Buy && b.in(t.ExecutionDate.Time):
				sales++
			}
		}
	}
	if unread > 0 {
		b.exact = false
		b.note("%s could not be read and %s left out.", Count(unread, "trade", "trades"), Plural(unread, "is", "are"))
	}
	if sales > 0 {
		b.note("%s in this time %s no purchase: \"bought\" leaves out what was sold.", Count(sales, "trade", "trades"), Plural(sales, "is", "are"))
	}
}

func (b *statementBuilder) trade(of VintageKey, t Trade) bool {
	cost, err := CostOf(t.Quantity, t.Price)
	if err != nil || !t.ExecutionDate.Known() {
		return false
	}
	at := t.ExecutionDate.Time
	all, after := &b.of(of).bought, &b.of(of).boughtAfter
	switch t.Type {
	case Buy:
	case Sell:
		all, after = &b.of(of).sold, &b.of(of).soldAfter
	default:
		return false
	}
	b.grams(all, t.Quantity)
	if !at.Before(b.To) {
		b.grams(after, t.Quantity)
	}
	if t.Type == Buy && b.in(at) {
		row := b.row(b.key(of.ProjectID, at))
		b.grams(&row.Bought, t.Quantity)
		b.grams(&b.total.Bought, t.Quantity)
		b.cost(&row.Cost, cost)
		b.cost(&b.total.Cost, cost)
	}
	return true
}

func (b *statementBuilder) retire() {
	undated := 0
	for _, r := range b.Requests {
		switch {
		case r.Status != Complete:
		case !r.RetiredAt.Known() || !r.TotalQuantity.Known():
			undated++
		case b.in(r.RetiredAt.Time):
			b.retired = append(b.retired, r)
			b.grams(&b.total.Retired, r.TotalQuantity)
			for key, g := range b.beneficiaries(r) {
				b.grams(&b.row(key).Retired, g)
			}
		}
	}
	if undated > 0 {
		b.note("%s without a date or a quantity that can be read %s left out of what was retired.", Count(undated, "complete request", "complete requests"), Plural(undated, "is", "are"))
	}
}

func (b *statementBuilder) beneficiaries(r Retirement) map[string]Grams {
	if b.By != PerBeneficiary {
		return map[string]Grams{b.key(r.ProjectID, r.RetiredAt.Time): r.TotalQuantity}
	}
	parts := make(map[string]Grams)
	for _, item := range r.Items {
		name := cmp.Or(item.RetireeName, NotSupplied)
		parts[name] = parts[name].AddUpTo(max(item.Quantity, 0))
	}
	if len(parts) == 1 {
		for name := range parts {
			parts[name] = r.TotalQuantity
		}
		return parts
	}
	if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
		return map[string]Grams{NotAttributed: r.TotalQuantity}
	}
	return parts
}
