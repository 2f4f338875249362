package retire

import (
	"fmt"
	"slices"
	"strings"

	"tonne/model/advice"
	"tonne/model/retirement"
)

// Problem is the reason why the workflow stops, with advice.
type Problem struct {
	what string
	// Todo is the advice, without a full stop.
	Todo advice.Text
	// Code is the error code of machine formats, if any.
	Code string
	// Passes reports that a second run may succeed, once Todo is done.
	Passes bool
	// kind is the Problem below that this one specialises, or nil.
	kind error
}

// Error returns the problem without the advice.
func (p *Problem) Error() string { return p.what }

// Unwrap returns the Problem below that this one specialises.
func (p *Problem) Unwrap() error { return p.kind }

// withText returns the problem with another text, and with other advice unless that is empty.
func (p *Problem) withText(todo advice.Text, format string, args ...any) *Problem {
	if todo.IsEmpty() {
		todo = p.Todo
	}
	return &Problem{fmt.Sprintf(format, args...), todo, p.Code, p.Passes, p}
}

var (
	pending    = advice.Tonne("retire pending")
	resume     = advice.Tonne("retire resume")
	seeOutcome = advice.Format("let it end, then look at the ledger and at the calls that %s lists", pending)
)

// The problems of the journal and of plans.
var (
	// ErrNoCall is returned for an external id that is not in the journal.
	ErrNoCall = &Problem{what: "the journal has no such call",
		Todo: advice.Plain("look whether this is the profile that made it, and whether the journal was moved away")}
	// ErrHeld is returned while this or another running program sends the call.
	ErrHeld = &Problem{what: "another program is making this call", Todo: seeOutcome, Passes: true}
	// ErrEnded is returned for a call whose outcome is known, or that was abandoned.
	ErrEnded = &Problem{what: "another program has ended this call", Todo: seeOutcome, Passes: true}
	// ErrOtherBody is returned for an external id that the journal has with another body.
	ErrOtherBody = &Problem{what: "another program has used the id for another call",
		Todo: advice.Plain("make a new plan, which gets new ids"), Passes: true}
	// ErrOtherKey is returned for a call of another API key. For another tenant it would retire again.
	ErrOtherKey = &Problem{what: "the call was made with another API key",
		Todo: advice.Format("use the key that made it, or %s if that was rotated for the same tenant",
			advice.Tonne("retire resume --same-tenant"))}
	// ErrUnsettled is returned for a request that a call outside a batch serves whose outcome is unknown,
	// or that may still be sent: a new call would retire the request twice.
	ErrUnsettled = &Problem{what: "another call for the same is not settled", Code: "unsettled",
		Todo: advice.Format("settle it with %s, or %s if it was given up; a second retirement needs another reference",
			resume, advice.Tonne("retire abandon"))}
	// ErrChanged is returned for a reference with which another program or another batch has retired,
	// or may have, since the plan was made.
	ErrChanged = &Problem{what: "another program has used the reference since the plan was made", Code: "reference_used",
		Todo: advice.Plain("let the other program end"), Passes: true}
	// ErrElsewhere is returned for a retirement that is done and not in the journal. Nothing more
	// may be sent for its reference.
	ErrElsewhere = &Problem{what: "this was retired before, and this journal did not make it", Code: "already_retired"}
	// ErrMoved is returned for a plan that no longer fits the market or the wallet.
	ErrMoved = &Problem{what: "the market moved", Todo: advice.Plain("run it again to see the new plan"), Code: "moved"}
	// ErrNotSent is returned if a user states that a call was carried out that was never sent.
	ErrNotSent = &Problem{what: "the call was never sent, so it is in no request",
		Todo: advice.Format("look at the id once more: %s lists the calls; `--not-carried-out` or no flag settles this one",
			pending)}
	// ErrWalletUnread is returned for a vintage with an unreadable wallet.
	ErrWalletUnread = &Problem{what: "a wallet of the vintage cannot be read, so nothing can be planned with it",
		Code: "incomplete",
		Todo: advice.Format("look at it with %s, and ask the service's operator", advice.Tonne("inventory"))}
	// ErrBookUnread is returned for a vintage with an unreadable sell order.
	ErrBookUnread = &Problem{what: "a sell order of the vintage cannot be read, so nothing can be planned with it",
		Code: "incomplete",
		Todo: advice.Format("look at it with %s, and ask the service's operator", advice.Tonne("market"))}
	// ErrLocked is returned if another program locks the journal for too long.
	ErrLocked = &Problem{what: "another program has locked the journal",
		Todo: advice.Plain("close the program that has the journal open, or wait for it to finish"), Passes: true}
	// ErrDisk is returned if the journal cannot be written: the disk is full or fails.
	ErrDisk = &Problem{what: "the journal cannot be written",
		Todo: advice.Plain("make room on the disk of the journal, or make it writable"), Code: "disk_full", Passes: true}
	// ErrOlder is returned by a workflow that only reads, for a journal of an older version of tonne.
	ErrOlder = &Problem{what: "the journal is of an older version of tonne", Passes: true,
		Todo: advice.Format("run %s, which converts it", pending)}
	// ErrEmptied is returned for a journal that lost its calls.
	ErrEmptied = &Problem{what: "the journal is missing or empty, although calls were sent with it",
		Todo: advice.Plain("restore it from a copy; without one, ask the operator of the service what was retired, then " +
			"move journal.db and journal.db-owners away")}
)

// Elsewhere returns an ErrElsewhere with the retirement requests that contain the retirement.
func Elsewhere(requests ...string) *Problem {
	requests = slices.Compact(slices.Sorted(slices.Values(requests)))
	todo := advice.Format("compare them with your books: %s; what is missing is another retirement, with another "+
		"reference and its own quantity",
		advice.Tonne("retirement", requests...))
	return ErrElsewhere.withText(todo, "%v; retirement requests: %s", ErrElsewhere, strings.Join(requests, ", "))
}

// unsettledProblem returns an ErrUnsettled for a request whose reference a call has. If the call makes another
// request, the user may have edited it because the first attempt seemed to fail.
func unsettledProblem(c Call, a Account, r retirement.RetireRequest) *Problem {
	id := c.ExternalID
	todo := advice.Format("run %s", advice.Tonne("retire resume", id))
	p := ErrUnsettled.withText(todo, "this retirement is in the journal as %s and is not settled", id)
	if remark := c.Remark(); !remark.IsEmpty() {
		p.what += ": " + remark.String()
	}
	switch {
	case c.Confirmed():
		p.what = c.Plan.Quantity.FormatTonnes() + " of this retirement were confirmed and not sent, as " + id
		todo = advice.Format("%s to send it, or %s", todo, advice.Tonne("retire abandon", id))
	case c.Doubtful():
		p.what, p.Code = "it is not known whether this retirement was carried out as "+id, "outcome_unknown"
		if !c.Requests(r) {
			p.what = "it is not known whether " + c.Plan.Quantity.FormatTonnes() + " were retired under this reference as " + id
		}
	}
	if c.Origin != a.Origin {
		p.what += " at " + c.Origin
	}
	if c.GivenUp {
		todo = AskOperator(id)
	}
	another := "another"
	if c.Reference == "" {
		another = "a"
	}
	p.Todo = advice.Format("%s; for a second retirement give %s --reference", todo, another)
	return p
}

// AskOperator returns the advice for an abandoned call with an unknown outcome.
func AskOperator(externalID string) advice.Text {
	return advice.Format("ask the operator of the service, and record the outcome: %s or `--not-carried-out`",
		advice.Tonne("retire abandon", externalID, "--carried-out", "REQUEST"))
}
