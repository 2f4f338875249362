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
	// Quantity is what of the calls stands in the request, in grams, FromInventory
	// the part of it that was in the wallet before.
	Quantity, FromInventory Grams
	// Moved is what of them moved on from it to MovedTo, Came the part of Quantity
	// that moved into it from CameFrom. The ids are empty for none, and for one
	// that is not known here.
	Moved, Came       Grams
	MovedTo, CameFrom string
	// Cost is what the rest was bought for. A remainder of a tonne that was
	// bought and not retired is not in it.
	Cost Cost
	// Unread says that a quantity or a price is not known, or does not fit.
	Unread bool
	// Unclear says that one of the calls may have moved on, or a part of it.
	Unclear bool
}

// NewJournaled sums what of calls stands in a request, by what FollowCalls says
// of it.
func NewJournaled(requestID string, calls []JournalEntry) Journaled {
	var j Journaled
	for _, c := range calls {
		if c.Reference != "" && !slices.Contains(j.References, c.Reference) {
			j.References = append(j.References, c.Reference)
		}
		j.Unclear = j.Unclear || c.Unclear
		j.add(requestID, c)
		j.move(requestID, c.Parts)
	}
	return j
}

func (j *Journaled) add(requestID string, c JournalEntry) {
	here, before := c.In(requestID)
	held := min(max(c.Call.FromInventory-before, 0), here)
	j.Quantity = j.Quantity.AddUpTo(here)
	j.FromInventory = j.FromInventory.AddUpTo(held)
	bought := here - held
	if bought <= 0 {
		return
	}
	cost, err := CostOf(bought, c.Call.Price)
	if err == nil {
		j.Cost, err = j.Cost.Add(cost)
	}
	j.Unread = j.Unread || err != nil
}

func (j *Journaled) move(requestID string, parts []CallPart) {
	at := slices.IndexFunc(parts, func(p CallPart) bool { return p.RequestID == requestID })
	if at < 0 {
		return
	}
	if at > 0 {
		j.Came, j.CameFrom = j.Came.AddUpTo(parts[at].Quantity), parts[at-1].RequestID
	}
	for n, p := range parts[at+1:] {
		j.Moved = j.Moved.AddUpTo(p.Quantity)
		if n == 0 {
			j.MovedTo = p.RequestID
		}
	}
}

// Reference returns the references in one text.
func (j Journaled) Reference() string { return strings.Join(j.References, ", ") }

// Brief returns the references in a line: of more than three, the first two and the
// number of the others.
func (j Journaled) Brief() string {
	if n := len(j.References) - 2; n > 1 {
		return strings.Join(j.References[:2], ", ") + " and " + FormatNumber(int64(n)) + " more"
	}
	return j.Reference()
}

// CostOf returns what the request cost, if that is known to the cent: the journal
// made all of it, and bought all of it. Otherwise why says in a phrase what is
// not known.
func (j Journaled) CostOf(r Retirement) (cents Cents, why string) {
	total, err := r.ItemsTotal()
	amount, overflow := j.Cost.Cents()
	switch {
	case j.Unclear:
		return 0, "not known: the service does not tell which of several calls moved on to the next month"
	case j.Quantity == 0:
		return 0, "not known: the service does not say which trade paid for it"
	case err != nil || j.Unread || overflow != nil:
		return 0, "not known: a quantity or a price cannot be read"
	case total < j.Quantity:
		return 0, "not known: the service does not show all yet that this machine retired into it"
	case total != j.Quantity:
		return 0, fmt.Sprintf("not known: this machine retired %s of %s", j.Quantity.FormatTonnes(), total.FormatTonnes())
	case j.FromInventory > 0:
		return 0, fmt.Sprintf("not known: %s came from the inventory, bought earlier", j.FromInventory.FormatTonnes())
	}
	return amount, ""
}
