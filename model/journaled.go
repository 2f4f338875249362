package model

import (
	"fmt"
	"slices"
	"strings"
)

// Journaled is what the journal of this machine has of a retirement request:
// the calls that it sent into it. The zero value is of a request that it sent
// nothing into.
type Journaled struct {
	// References are what the calls were for in somebody's books, each once.
	References []string
	// Quantity is what the calls retired, in grams, FromInventory the part of it
	// that was in the wallet before.
	Quantity, FromInventory Grams
	// Cost is what the rest was bought for. A remainder of a tonne that was
	// bought and not retired is not in it.
	Cost Cost
	// Unread says that a quantity or a price is not known, or does not fit.
	Unread bool
}

// NewJournaled sums the calls that went into a request, which are all done.
func NewJournaled(calls []JournalEntry) Journaled {
	var j Journaled
	for _, c := range calls {
		j.add(c.Call, c.Reference)
	}
	return j
}

func (j *Journaled) add(call RetireCall, reference string) {
	if reference != "" && !slices.Contains(j.References, reference) {
		j.References = append(j.References, reference)
	}
	j.Quantity = j.Quantity.AddUpTo(call.Quantity)
	j.FromInventory = j.FromInventory.AddUpTo(call.FromInventory)
	bought := call.Quantity - call.FromInventory
	if bought <= 0 {
		return
	}
	cost, err := CostOf(bought, call.Price)
	if err == nil {
		j.Cost, err = j.Cost.Add(cost)
	}
	j.Unread = j.Unread || err != nil
}

// Reference returns the references in one text.
func (j Journaled) Reference() string { return strings.Join(j.References, ", ") }

// CostOf returns what the request cost, if that is known to the cent: the journal
// made all of it, and bought all of it. Otherwise why says in a phrase what is
// not known.
func (j Journaled) CostOf(r Retirement) (cents Cents, why string) {
	total, err := r.ItemsTotal()
	amount, overflow := j.Cost.Cents()
	switch {
	case j.Quantity == 0:
		return 0, "not known: the service does not say which trade paid for it"
	case err != nil || j.Unread || overflow != nil:
		return 0, "not known: a quantity or a price cannot be read"
	case total != j.Quantity:
		return 0, fmt.Sprintf("not known: this machine retired %s of %s", j.Quantity.FormatTonnes(), total.FormatTonnes())
	case j.FromInventory > 0:
		return 0, fmt.Sprintf("not known: %s came from the inventory, bought earlier", j.FromInventory.FormatTonnes())
	}
	return amount, ""
}

// exactCost is how the basis of a cost reads that is known to the cent.
const exactCost = "exact: every call stands in the journal with its price"

// costColumns tell what the request was for and what it cost.
func costColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "reference", value: func(e *evidenceRow) string { return e.journaled.Reference() }},
		{name: "cost_cents", value: func(e *evidenceRow) string {
			if cents, why := e.journaled.CostOf(e.Retirement); why == "" {
				return cents.String()
			}
			return ""
		}},
		{name: "cost_basis", value: func(e *evidenceRow) string {
			_, why := e.journaled.CostOf(e.Retirement)
			switch {
			case why == "":
				return exactCost
			case e.Retirement.Status != Complete && e.journaled.Quantity == 0:
				// What is not retired has no cost yet.
				return ""
			}
			return why
		}},
	}
}
