package retire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/retirement"
)

// State is how far a call has come. It goes from Prepared over Sent to one of
// the others, and never back.
type State string

// The states of a call. An Unknown call may have had its effect: the same id
// with the same body is sent again until the answer is known. The journal has no
// call that is only Planned.
const (
	Planned  State = ""
	Prepared State = "prepared"
	Sent     State = "sent"
	Done     State = "done"
	Refused  State = "refused"
	Unknown  State = "unknown"
)

// Account is in whose name calls are made.
type Account struct {
	// Origin is the base URL of the service, Profile the profile whose key is used.
	Origin, Profile string
	// KeyMark identifies that key without revealing it: a call is sent with the key
	// it was prepared with. Calls of the same key belong to the account regardless
	// of their profile: adding or renaming a profile hides none of them.
	KeyMark string
}

// NewAccount returns the account of a profile and its API key, which may be empty.
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
	// ExternalID makes the call harmless when it is sent again, always with the same body.
	ExternalID string
	// Batch and Reference name the request that the call serves, Request is its text.
	// All calls of a line have the same.
	Batch, Reference, Request string
	Plan                      retirement.Call
	// Body is what is sent, to the byte.
	Body []byte
	// MadeBy is who prepared the call, MadeAt when by the clock of the machine.
	MadeBy string
	MadeAt time.Time

	State State
	// Tries counts how often it was sent. Unsure says that one of them may have had an effect.
	Tries  int
	Unsure bool
	// RequestID is the retirement request of a call that is done.
	RequestID string
	// Code and Message are why a call is not done, or what is to be said of one that is.
	Code, Message string
	// TurnedAway is the HTTP status with which the last attempt that got an answer was
	// turned away without a refusal: for the key, or by something in front of the
	// service. It is 0 if it was not.
	TurnedAway int
	// Elsewhere says that another journal made the call, which is done, before.
	Elsewhere bool
	// GivenUp says that a person decided not to ask any more.
	GivenUp bool
	// UnderWay says that another program was sending the call when Unsettled read it,
	// or when this one was about to.
	UnderWay bool
	// Err is why this program could not send the call, or what the last attempt
	// ended with; Unwritten is why the journal does not have the outcome. The journal
	// keeps neither.
	Err, Unwritten error

	id int64
	// owner is the program that is sending it, alive or not.
	owner string
}

// Open reports whether it is unknown what effect the call had.
func (c Call) Open() bool { return !c.GivenUp && c.unsettled() || c.Unwritten != nil }

// Resumable reports whether the same id is to be sent again: the call was sent, or
// another program is sending it, and the journal does not have its outcome.
func (c Call) Resumable() bool {
	return c.UnderWay || c.State != Planned && c.Open() && !c.Confirmed()
}

// serves reports whether the call had its effect, may have it or may be sent again,
// so that nothing is sent instead of it.
func (c Call) serves() bool {
	return c.State == Done || c.UnderWay || c.Unwritten != nil || c.unsettled() && (c.Unsure || c.State == Unknown || c.State == Sent && !c.GivenUp)
}

// Confirmed reports whether the call was confirmed, and neither sent nor abandoned.
func (c Call) Confirmed() bool {
	return c.State == Prepared && !c.GivenUp && c.Batch == "" && c.Request != ""
}

// Doubtful reports whether it is unknown if the call, abandoned or not, had its effect.
func (c Call) Doubtful() bool { return c.unsettled() && (c.Unsure || c.State == Unknown) }

// Status is the outcome of a call in the words of the results.
type Status string

// The statuses. A planned call has none yet, and one that was turned away was not sent.
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

// Remark says why a call is not done, or what else is to be known of it.
func (c Call) Remark() string {
	whole, ok := RequestQuantity(c.Request)
	switch {
	case c.UnderWay:
		return ErrHeld.what
	case c.Elsewhere:
		return "another journal made this call before"
	case c.GivenUp && c.Doubtful():
		return "given up while its outcome was not known; " + AskOperator("ID")
	case c.Confirmed() && ok:
		return "not sent yet: " + c.Plan.Quantity.FormatTonnes() + " of " + whole.FormatTonnes()
	case c.Doubtful() && c.Message == "":
		return "the program ended before it was answered"
	case c.TurnedAway > 0:
		return fmt.Sprintf("turned away with %d: %s; the same id is asked for again", c.TurnedAway, c.Message)
	case c.Code != "":
		return c.Code + ": " + c.Message
	}
	return c.Message
}

// Effect says what a call did that is not sent any more.
func (c Call) Effect() string {
	switch {
	case c.State == Done:
		return "It was carried out, in the request " + c.RequestID + "."
	case c.State == Refused:
		return "It was not carried out."
	case c.Unsure:
		return "It may have been carried out: " + AskOperator(c.ExternalID) + "."
	case c.State == Sent:
		return "It was not accepted."
	}
	return "It was never carried out."
}

func (c Call) unsettled() bool { return c.State != Done && c.State != Refused }

// prepare writes a call down, unless it is there already: with another body the error is
// ErrOtherBody. A new one is written unless may, which may be nil, returns an error.
func prepare(conn *sqlite.Conn, c Call, may func() error) error {
	before, found, err := find(conn, c.Account, c.ExternalID)
	switch {
	case err != nil:
		return err
	case found && !bytes.Equal(before.Body, c.Body):
		return fmt.Errorf("%s: %w", c.ExternalID, ErrOtherBody)
	case found:
		return nil
	}
	if may != nil {
		if err := may(); err != nil {
			return err
		}
	}
	plan, err := json.Marshal(c.Plan)
	if err != nil {
		return err
	}
	return sqlitex.Execute(conn, `INSERT INTO call
		(origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state, key_mark)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'prepared', ?)`, &sqlitex.ExecOptions{Args: []any{
		c.Origin, c.Profile, c.ExternalID, c.Batch, c.Reference, c.Request, string(plan), c.Body, c.MadeBy, c.MadeAt.UnixMilli(), c.KeyMark,
	}})
}
