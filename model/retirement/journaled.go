package retirement

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
)

// Journaled sums up the calls of this machine in a retirement request.
type Journaled struct {
	// References are what the calls were for in somebody's books, each once.
	References []string
	// Quantity is what of the calls stands in the request, in grams, FromInventory
	// the part of it that was in the wallet before.
	Quantity, FromInventory model.Grams
	// Moved is what moved on to MovedTo, Came the part of Quantity that came from
	// CameFrom. The ids are empty if they are not known.
	Moved, Came       model.Grams
	MovedTo, CameFrom string
	// Cost is of the rest, without the remainder of a tonne that was not retired.
	Cost model.Cost
	// Unread says that a quantity or a price is not known, or does not fit.
	Unread bool
	// Unclear says that one of the calls may have moved on, or a part of it.
	Unclear bool
}

// NewJournaled sums up the calls that FollowCalls found in a request.
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
	cost, err := model.CostOf(bought, c.Call.Price)
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

// Brief returns up to three references, or two and the number of the others.
func (j Journaled) Brief() string {
	if n := len(j.References) - 2; n > 1 {
		return strings.Join(j.References[:2], ", ") + " and " + model.FormatNumber(int64(n)) + " more"
	}
	return j.Reference()
}

// CostOf returns the cost of a request that was made and bought by the journal alone, or
// why it is not known, as a phrase.
func (j Journaled) CostOf(r Request) (cents model.Cents, why string) {
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

// JournalEntry is a call of the retirement-request operation as it was written
// down before it was sent, with what became of it.
type JournalEntry struct {
	// Account is the local account of the call. Two may be of two tenants.
	Account string
	// ExternalID makes a second sending harmless; Batch and Reference are of the request.
	ExternalID, Batch, Reference string
	Call                         Call
	// Body is what was sent, to the byte.
	Body []byte
	// MadeBy is who prepared it, MadeAt when by the clock of the machine.
	MadeBy string
	MadeAt time.Time
	// State is the state in the journal, Tries how often the call was sent.
	State string
	Tries int
	// RequestID is the retirement request of the call, Remark why it is not done.
	RequestID, Remark string
	// Parts are where the grams stand that moved on from the request, oldest first; nil if
	// none did or that is unclear. See FollowCalls.
	Parts []CallPart
	// Unclear says that the answers do not tell what of the call is in its request.
	Unclear bool
}
