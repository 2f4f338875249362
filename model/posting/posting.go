// Package posting makes accounting entries of the purchases and retirements of a tenant, and writes them as journals of
// plain-text accounting. Start reading at Entries.
package posting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/cost"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Kind is the kind of an entry.
type Kind string

// The kinds.
const (
	Purchase   Kind = "purchase"
	Retirement Kind = "retirement"
)

// Accounts are the names of the accounts.
type Accounts struct {
	// Credits has the credits that were bought and not retired, Payable what is owed for them, Expense what was retired.
	Credits, Payable, Expense string
	// AtPurchase means that a purchase is an expense at once, and a retirement has no entry.
	AtPurchase bool
}

// Entry debits one account and credits another one with the same amount.
type Entry struct {
	// Date is the day in UTC on which the credits were bought or retired.
	Date          time.Time
	Kind          Kind
	Debit, Credit string
	// Amount is in USD cents.
	Amount    model.Cents
	Vintage   model.VintageKey
	Quantity  model.Grams
	Reference string
	// RequestID is that of a retirement.
	RequestID string
	Memo      string
}

// Source has what the entries are made of.
type Source struct {
	// Inventory has all wallets and all trades, Requests are all of the ledger.
	Inventory *portfolio.Inventory
	Requests  []*retirement.Request
	Projects  model.Projects
	// References are those of the requests.
	References map[string]string
	// From is the start of the period (inclusive), To its end (exclusive).
	From, To time.Time
	Accounts Accounts
}

// Entries returns the entries of a period in the order of their dates. A purchase is entered with its price, a complete
// retirement with its cost (package cost). left has a sentence, without its end, for each entry that cannot be made,
// and doubts one for each vintage of which retirements may be missing.
func Entries(s Source) (entries []Entry, left, doubts []string) {
	b := &builder{Source: s, bought: make(map[model.VintageKey]bool)}
	b.buy()
	if !s.Accounts.AtPurchase {
		b.retire()
	}
	slices.SortStableFunc(b.entries, func(x, y Entry) int {
		return cmp.Or(x.Date.Compare(y.Date), strings.Compare(string(x.Kind), string(y.Kind)))
	})
	return b.entries, b.left, b.doubts
}

type builder struct {
	Source
	entries []Entry
	left    []string
	doubts  []string
	// bought has the vintages with a purchase before the end of the period.
	bought map[model.VintageKey]bool
}

func (b *builder) leave(format string, args ...any) {
	b.left = append(b.left, fmt.Sprintf(format, args...))
}

func (b *builder) in(t model.Timestamp) bool { return !t.Time.Before(b.From) && t.Time.Before(b.To) }

func (b *builder) add(e Entry, at model.Timestamp) {
	e.Date = at.Time.UTC().Truncate(24 * time.Hour)
	b.entries = append(b.entries, e)
}

// name is the project and the year of a vintage.
func (b *builder) name(of model.VintageKey) string {
	name := b.Projects.Name(of.ProjectID)
	if year := b.Projects[of.ProjectID].Year(of.VintageID); year != 0 {
		name = fmt.Sprintf("%s %d", name, year)
	}
	return name
}

func (b *builder) buy() {
	debit := b.Accounts.Credits
	if b.Accounts.AtPurchase {
		debit = b.Accounts.Expense
	}
	for of, trades := range b.Inventory.Executed() {
		b.buyVintage(of, trades, debit)
	}
}

func (b *builder) buyVintage(of model.VintageKey, trades []portfolio.Trade, debit string) {
	var running model.Running
	for _, t := range trades {
		cost, err := model.CostOf(t.Quantity, t.Price)
		if err != nil || !t.ExecutionDate.Known() || t.Type != portfolio.Buy && t.Type != portfolio.Sell {
			b.leave("A trade of vintage %s cannot be read", of.VintageID)
			continue
		}
		if t.Type == portfolio.Sell {
			if b.in(t.ExecutionDate) {
				b.leave("A sale of vintage %s on %s has no entry", of.VintageID, t.ExecutionDate.Time.UTC().Format(time.DateOnly))
			}
			continue
		}
		amount, err := running.Add(cost)
		if err != nil {
			b.leave("The purchases of vintage %s are too large", of.VintageID)
			return
		}
		b.bought[of] = b.bought[of] || t.ExecutionDate.Time.Before(b.To)
		if b.in(t.ExecutionDate) {
			b.add(Entry{
				Kind: Purchase, Debit: debit, Credit: b.Accounts.Payable, Amount: amount, Vintage: of, Quantity: t.Quantity,
				Memo: fmt.Sprintf("Bought %s of %s at %s a tonne", t.Quantity.FormatTonnes(), b.name(of), t.Price.FormatDollars()),
			}, t.ExecutionDate)
		}
	}
}

func (b *builder) retire() {
	costs := cost.New(b.Inventory, b.Requests)
	named := make(map[model.VintageKey]bool)
	for _, r := range b.Requests {
		if r.Status != retirement.Complete || r.RetiredAt.Known() && !b.in(r.RetiredAt) {
			continue
		}
		of := r.Vintage()
		total := costs.Request(r)
		switch {
		case !r.RetiredAt.Known():
			b.leave("Request %s has no date of retirement that can be read", r.ID)
		case !total.Known:
			named[of] = true
			b.leave("The cost of request %s is unknown: of vintage %s, %s", r.ID, r.VintageID, total.Why)
		default:
			memo := fmt.Sprintf("Retired %s of %s", r.TotalQuantity.FormatTonnes(), b.name(of))
			if names := r.Beneficiaries(); len(names) > 0 {
				memo += " for " + strings.Join(names, ", ")
			}
			b.add(Entry{
				Kind: Retirement, Debit: b.Accounts.Expense, Credit: b.Accounts.Credits, Amount: total.Cents, Vintage: of,
				Quantity:  r.TotalQuantity,
				Reference: b.References[r.ID], RequestID: r.ID, Memo: memo,
			}, r.RetiredAt)
		}
	}
	for _, u := range costs.Unknown() {
		if u.Missing && b.bought[u.Vintage] && !named[u.Vintage] {
			b.doubts = append(b.doubts, fmt.Sprintf("Retirements of vintage %s may be missing: %s", u.Vintage.VintageID, u.Why))
		}
	}
}
