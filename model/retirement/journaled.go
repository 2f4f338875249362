package retirement

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
)

// Journaled is the sum of the calls of this machine in a retirement request.
type Journaled struct {
	// References are the users' references of the calls, without duplicates.
	References []string
	// Batch is the batch of all calls, or empty if they are of several or none.
	Batch string
	// Quantity is the quantity of the calls in the request, in grams. FromInventory is the
	// part that came from the wallet.
	Quantity, FromInventory model.Grams
	// Moved is the quantity that moved on to MovedTo. Came is the part of Quantity that came
	// from CameFrom. Unknown ids are empty.
	Moved, Came       model.Grams
	MovedTo, CameFrom string
	// Cost is the cost of Quantity without FromInventory. The unused rest of a purchased tonne
	// does not count.
	Cost model.Cost
	// Unread reports that a quantity or a price is unknown, or that a sum overflowed.
	Unread bool
	// Unclear reports that a call or a part of it may have moved on.
	Unclear bool
	planned *Request
}

// NewJournaled sums up the calls that FollowCalls assigned to a request.
func NewJournaled(requestID string, calls []JournalEntry) Journaled {
	var j Journaled
	for n, c := range calls {
		if n == 0 {
			j.Batch = c.Batch
		} else if j.Batch != c.Batch {
			j.Batch = ""
		}
		if c.Reference != "" && !slices.Contains(j.References, c.Reference) {
			j.References = append(j.References, c.Reference)
		}
		j.Unclear = j.Unclear || c.Unclear
		j.add(requestID, c)
		j.plan(requestID, c)
		j.move(requestID, c.Parts)
	}
	return j
}

func (j *Journaled) add(requestID string, c JournalEntry) {
	here, before := c.In(requestID)
	held := min(max(c.Call.FromInventory-before, 0), here)
	j.Quantity = j.Quantity.Plus(here)
	j.FromInventory = j.FromInventory.Plus(held)
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

func (j *Journaled) plan(requestID string, c JournalEntry) {
	if j.planned == nil {
		j.planned = &Request{ID: requestID, VintageID: c.Call.VintageID}
	}
	here, _ := c.In(requestID)
	by := c.Call.Retiree
	j.planned.TotalQuantity = j.Quantity
	j.planned.Items = append(j.planned.Items,
		Item{Quantity: here, RetireeName: by.Name, RetireeTaxID: by.TaxID, RetireeCountry: by.Country})
}

// Plan returns what the calls say about the request: the vintage, the quantity and the beneficiaries,
// and the project that a function finds for the vintage. It is nil without calls.
func (j Journaled) Plan(project func(vintageID string) string) *Request {
	if j.planned == nil {
		return nil
	}
	planned := *j.planned
	planned.ProjectID = project(planned.VintageID)
	return &planned
}

func (j *Journaled) move(requestID string, parts []CallPart) {
	at := slices.IndexFunc(parts, func(p CallPart) bool { return p.RequestID == requestID })
	if at < 0 {
		return
	}
	if at > 0 {
		j.Came, j.CameFrom = j.Came.Plus(parts[at].Quantity), parts[at-1].RequestID
	}
	for n, p := range parts[at+1:] {
		j.Moved = j.Moved.Plus(p.Quantity)
		if n == 0 {
			j.MovedTo = p.RequestID
		}
	}
}

// Reference returns the references, separated by commas.
func (j Journaled) Reference() string { return strings.Join(j.References, ", ") }

// Brief returns up to two references, or the first one and the number of the others.
func (j Journaled) Brief() string {
	if n := len(j.References) - 1; n > 1 {
		return j.References[0] + " … +" + model.FormatNumber(int64(n))
	}
	return j.Reference()
}

// CostOf returns the cost of r if the journal has all its calls and purchases. Otherwise
// why is a phrase with the reason.
func (j Journaled) CostOf(r Request) (cents model.Cents, why string) {
	total, err := r.ItemsTotal()
	amount, overflow := j.Cost.Cents()
	switch {
	case j.Unclear:
		return 0, "not known: it is ambiguous which of several calls moved on to the next month"
	case j.Quantity == 0:
		return 0, "not known: the service does not say which trade paid for it"
	case err != nil || j.Unread || overflow != nil:
		return 0, "not known: a quantity or a price cannot be read"
	case total < j.Quantity:
		return 0, "not known: the service does not yet show all that this machine retired into it"
	case total != j.Quantity:
		return 0, fmt.Sprintf("not known: this machine retired %s of %s", j.Quantity.FormatTonnes(), total.FormatTonnes())
	case j.FromInventory > 0:
		return 0, fmt.Sprintf("not known: %s came from the inventory, bought earlier", j.FromInventory.FormatTonnes())
	}
	return amount, ""
}

// JournalEntry is a call to retire from the journal, with its outcome. The journal has the
// call since before it was sent.
type JournalEntry struct {
	// Account is the local account of the call. Two accounts may belong to two tenants.
	Account string
	// ExternalID makes sending the call again harmless. Batch and Reference belong to the request.
	ExternalID, Batch, Reference string
	Call                         Call
	// Body is the exact body of the HTTP request.
	Body []byte
	// MadeBy is the user who prepared the call, MadeAt the time on the machine's clock.
	MadeBy string
	MadeAt time.Time
	// SentAt is when the call was first sent, and AnsweredAt when its outcome became known, or zero.
	SentAt, AnsweredAt time.Time
	// State is the state in the journal, Tries the number of attempts.
	State string
	Tries int
	// RequestID is the retirement request of the call. Remark is the reason if it failed.
	RequestID, Remark string
	// Parts are set by FollowCalls if grams moved on to other requests, oldest first. They are
	// nil if none did, or if that is unclear.
	Parts []CallPart
	// Unclear reports that the answers do not show which part of the call is in its request.
	Unclear bool
}
