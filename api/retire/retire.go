// Package retire is the workflow that retires credits, exactly once, and its journal:
// no other package writes or sends such a call. The command line and the dashboard
// read input and draw.
//
// A Submission has the lines to retire and the calls that serve them. A single
// retirement is a submission of one line. Recall takes what the journal has of the
// lines, PlanLine plans what is left, and Send does the rest:
//
//  1. It reads the market and the wallets once more. If a price, an order or a wallet
//     changed, the error is a *ChangedError, and nothing is written or sent.
//  2. It writes all calls of a single retirement. A batch is not written as a whole:
//     the same batch plans its lines again.
//  3. It sends the calls in order. Each is in the journal before its first byte leaves,
//     with the price that was shown, and is sent again with the same id and body
//     while its outcome is unknown.
//
// The first call that is not done ends the submission, whichever screen sent it:
//
//   - Refused: the call had no effect. No other call of its vintage is sent, since it
//     counted on this one; a batch goes on with its other vintages. The rest of a single
//     retirement is abandoned. A price that changed before the call was carried out
//     is such a refusal.
//   - Made by another journal: nothing more is sent, and the rest is abandoned. A batch
//     goes on if it takes over.
//   - Unknown, turned away, or the connection was lost: nothing more is sent, and the
//     rest stays in the journal until a person resumes or abandons it, or a new plan
//     takes its place. Resume sends the same ids, and stops at the first call that
//     stays open.
//   - If no call of a single retirement had an effect or may have one, the rest is
//     abandoned.
//
// A refusal after an attempt with an unknown outcome counts only if it is received
// twice; see Workflow.Resume. A call that was abandoned while its outcome was unknown
// bars the same request until Settle records what the operator found.
package retire

import "tonne/api/retire/journal"

// What the screens need of the journal. They do not write it.
type (
	// Call is one call, from its plan to its outcome.
	Call = journal.Call
	// State is how far a call has come.
	State = journal.State
	// Account is in whose name calls are made.
	Account = journal.Account
	// Confirmed is a plan that a person confirmed.
	Confirmed = journal.Confirmed
)

// The states of a call.
const (
	Planned  = journal.Planned
	Prepared = journal.Prepared
	Sent     = journal.Sent
	Done     = journal.Done
	Refused  = journal.Refused
	Unknown  = journal.Unknown
)

// The errors of the journal.
var (
	ErrNoCall    = journal.ErrNoCall
	ErrHeld      = journal.ErrHeld
	ErrEnded     = journal.ErrEnded
	ErrOtherBody = journal.ErrOtherBody
	ErrOtherKey  = journal.ErrOtherKey
	ErrUnsettled = journal.ErrUnsettled
	ErrNotSent   = journal.ErrNotSent
	ErrLocked    = journal.ErrLocked
	ErrDisk      = journal.ErrDisk
	ErrEmptied   = journal.ErrEmptied
)

// NewAccount returns the account of a profile and its API key at a base URL.
func NewAccount(origin, profile, key string) Account {
	return Account{Origin: origin, Profile: profile, KeyMark: journal.KeyMark(key)}
}

// NotKnown returns the calls that may have had an effect, and that no program is
// sending.
func NotKnown(unsettled []Call) []Call { return journal.NotKnown(unsettled) }
