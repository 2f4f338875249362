package retire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model/advice"
	"tonne/model/file/dbfile"
	"tonne/model/fold"
	"tonne/model/retirement"
)

// State is the state of a call. It changes from Prepared to Sent to one of the others,
// never back.
type State string

// The states of a call. An Unknown call may have taken effect; the same id and body are
// sent again until the outcome is known. A Planned call is not in the journal.
const (
	Planned  State = ""
	Prepared State = "prepared"
	Sent     State = "sent"
	Done     State = "done"
	Refused  State = "refused"
	Unknown  State = "unknown"
)

// Account identifies the caller of the service.
type Account struct {
	// Origin is the base URL of the service, and Profile the profile with the key.
	Origin, Profile string
	// KeyMark identifies the key without revealing it. A call is sent only with the key
	// it was prepared with. An account includes all calls with its key, so that another
	// profile, or another address of the service, hides none.
	KeyMark string
}

// NewAccount returns the account of a profile and its API key. The key may be empty.
func NewAccount(origin, profile, key string) Account {
	return Account{Origin: origin, Profile: profile, KeyMark: keyMark(key)}
}

func keyMark(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("tonne journal" + key))
	return hex.EncodeToString(sum[:8])
}

// Call is one call of the retirement-request operation (interface section 4.5).
type Call struct {
	Account
	// ExternalID makes it safe to send the call again, with the same body.
	ExternalID string
	// Batch and Reference identify the retirement that the call serves. Request is what was
	// requested, the same for all calls of a line. Its quantity is 0 if it is not known.
	Batch, Reference string
	Request          retirement.RetireRequest
	// Plan is the part of the call, with its expected effect.
	Plan retirement.Call
	// Body is the exact body that is sent.
	Body []byte
	// MadeBy is the user who prepared the call, and MadeAt the time on this machine.
	MadeBy string
	MadeAt time.Time
	// SentAt is when the call was first sent, and AnsweredAt when its outcome became known. Both are
	// zero if the journal does not have them.
	SentAt, AnsweredAt time.Time

	State State
	// Tries counts the attempts. Unsure reports that one of them may have taken effect.
	Tries  int
	Unsure bool
	// RequestID is the retirement request of a done call.
	RequestID string
	// Code and Message state why a call is not done, or are a note on a done one.
	Code, Message string
	// TurnedAway is the HTTP status of the last response, if that rejected the call but
	// not as a refusal: because of the key, or from a proxy. Otherwise it is 0.
	TurnedAway int
	// Elsewhere reports that the call is done, and that another journal made it first.
	Elsewhere bool
	// GivenUp reports that a user abandoned the call.
	GivenUp bool
	// UnderWay reports that another program was sending the call when Unsettled read it,
	// or when this program tried to send it.
	UnderWay bool
	// Err is the error that kept this program from sending the call, or of the last
	// attempt. Unwritten is the error of writing the outcome. The journal has neither.
	Err, Unwritten error

	id int64
	// basis is what the plan of the call assumed of the journal. It may be nil.
	basis *basis
	// owner is the program that is sending the call. It may have ended.
	owner string
}

// Open reports whether the outcome of the call is still to be found out.
func (c Call) Open() bool { return !c.GivenUp && c.unsettled() || c.Unwritten != nil }

// Resumable reports whether the same id must be sent again: the call was sent, or another
// program is sending it, and its outcome is not in the journal.
func (c Call) Resumable() bool {
	return c.UnderWay || c.State != Planned && c.Open() && !c.Confirmed()
}

// serves reports whether the call took effect, may have, or may be sent again, so that
// no other call may replace it.
func (c Call) serves() bool {
	return c.State == Done || c.UnderWay || c.Unwritten != nil ||
		c.unsettled() && (c.Unsure || c.State == Unknown || c.State == Sent && !c.GivenUp)
}

// Requests reports whether the call serves the request. The sell order may differ: after a
// refusal, another one is chosen.
func (c Call) Requests(r retirement.RetireRequest) bool {
	same := func(a, b string) bool { return fold.Identity(a) == fold.Identity(b) }
	own, by := c.Request, c.Request.Retiree
	return c.requestKnown() && own.Quantity == r.Quantity && same(own.VintageID, r.VintageID) &&
		same(by.ID, r.Retiree.ID) &&
		same(by.Name, r.Retiree.Name) && same(by.TaxID, r.Retiree.TaxID) && same(by.Country, r.Retiree.Country)
}

func (c Call) requestKnown() bool { return c.Request.Quantity > 0 }

// Confirmed reports whether the call was confirmed, but neither sent nor abandoned.
func (c Call) Confirmed() bool {
	return c.State == Prepared && !c.GivenUp && c.requestKnown()
}

// Doubtful reports whether the call may have taken effect, whether abandoned or not.
func (c Call) Doubtful() bool { return c.unsettled() && (c.Unsure || c.State == Unknown) }

// Status is the outcome of a call as results show it.
type Status string

// The statuses. A call that was turned away counts as not sent.
const (
	StatusPlanned Status = ""
	StatusDone    Status = "done"
	StatusRefused Status = "refused"
	StatusUnknown Status = "unknown"
	StatusNotSent Status = "not_sent"
)

// Status returns the outcome of the call.
func (c Call) Status() Status {
	switch {
	case c.State == Done:
		return StatusDone
	case c.State == Refused:
		return StatusRefused
	case c.Doubtful(), c.UnderWay:
		return StatusUnknown
	case c.State == Planned:
		return StatusPlanned
	}
	return StatusNotSent
}

// Remark returns why a call is not done, or a note on a done one.
func (c Call) Remark() advice.Text {
	switch {
	case c.UnderWay:
		return advice.Plain(ErrHeld.what)
	case c.Elsewhere:
		return advice.Plain("another journal made this call before")
	case c.GivenUp && c.Doubtful():
		return advice.Format("given up while its outcome was not known; %s", AskOperator("ID"))
	case c.Confirmed():
		return advice.Format("not sent yet: %s of %s", c.Plan.Quantity.FormatTonnes(), c.Request.Quantity.FormatTonnes())
	case c.Doubtful() && c.Message == "":
		return advice.Plain("the program ended before it was answered")
	case c.TurnedAway > 0:
		return advice.Format("turned away with %d: %s; the same id is asked for again", c.TurnedAway, c.Message)
	case c.Code != "":
		return advice.Plain(c.Code + ": " + c.Message)
	}
	return advice.Plain(c.Message)
}

// Effect returns a sentence on the effect of a call that is not sent any more.
func (c Call) Effect() advice.Text {
	switch {
	case c.State == Done:
		return advice.Plain("It was carried out, in the request " + c.RequestID + ".")
	case c.State == Refused:
		return advice.Plain("It was not carried out.")
	case c.Unsure:
		return advice.Format("It may have been carried out: %s.", AskOperator(c.ExternalID))
	case c.State == Sent:
		return advice.Plain("It was not accepted.")
	}
	return advice.Plain("It was never carried out.")
}

func (c Call) unsettled() bool { return c.State != Done && c.State != Refused }

// prepare writes a call, unless the journal has it. The error is ErrOtherBody if the journal
// has it with another body. Otherwise the journal must be as the plan of the call assumed;
// see checkBasis. own are the other calls of the plan.
func prepare(conn *sqlite.Conn, c Call, own []string) error {
	before, found, err := find(conn, c.Account, c.ExternalID)
	switch {
	case err != nil:
		return err
	case found && !bytes.Equal(before.Body, c.Body):
		return fmt.Errorf("%s: %w", c.ExternalID, ErrOtherBody)
	case found:
		return nil
	}
	if err := checkBasis(conn, c, own); err != nil {
		return err
	}
	return dbfile.Execute(conn, insertCall, nil, c.values()...)
}
