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
