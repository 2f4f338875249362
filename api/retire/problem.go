package retire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tonne/model/retirement"
)

// Problem is the reason why the workflow stops, with advice.
type Problem struct {
	what string
	// Todo is the advice, without a full stop.
	Todo string
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

func (p *Problem) withText(todo, format string, args ...any) *Problem {
	return &Problem{fmt.Sprintf(format, args...), cmp.Or(todo, p.Todo), p.Code, p.Passes, p}
}

const seeOutcome = "let it end, then look at the ledger and at the calls that `tonne retire pending` lists"

// The problems of the journal and of plans.
var (
	// ErrNoCall is returned for an external id that is not in the journal.
	ErrNoCall = &Problem{what: "the journal has no such call", Todo: "look whether this is the profile that made it, and whether the journal was moved away"}
	// ErrHeld is returned while this or another running program sends the call.
	ErrHeld = &Problem{what: "another program is making this call", Todo: seeOutcome, Passes: true}
	// ErrEnded is returned for a call whose outcome is known, or that was abandoned.
	ErrEnded = &Problem{what: "another program has ended this call", Todo: seeOutcome, Passes: true}
	// ErrOtherBody is returned for an external id that the journal has with another body.
	ErrOtherBody = &Problem{what: "another program has used the id for another call", Todo: "make a new plan, which gets new ids", Passes: true}
	// ErrOtherKey is returned for a call of another API key. For another tenant it would retire again.
	ErrOtherKey = &Problem{what: "the call was made with another API key",
		Todo: "use the key that made it, or `tonne retire resume --same-tenant` if that was rotated for the same tenant"}
	// ErrUnsettled is returned for a request that a call outside a batch serves whose outcome is unknown,
	// or that may still be sent: a new call would retire the request twice.
	ErrUnsettled = &Problem{what: "another call for the same is not settled", Code: "unsettled",
		Todo: "settle it with `tonne retire resume`, or `tonne retire abandon` if it was given up; a second retirement needs another reference"}
	// ErrChanged is returned for a reference with which another program or another batch has retired,
	// or may have, since the plan was made.
	ErrChanged = &Problem{what: "another program has used the reference since the plan was made", Code: "reference_used",
		Todo: "let the other program end", Passes: true}
	// ErrElsewhere is returned for a retirement that is done and not in the journal. Nothing more
	// may be sent for its reference.
	ErrElsewhere = &Problem{what: "this was retired before, and this journal did not make it", Code: "already_retired"}
	// ErrMoved is returned for a plan that no longer fits the market or the wallet.
	ErrMoved = &Problem{what: "the market moved", Todo: "run it again to see the new plan", Code: "moved"}
	// ErrNotSent is returned if a user states that a call was carried out that was never sent.
	ErrNotSent = &Problem{what: "the call was never sent, so it is in no request",
		Todo: "look at the id once more: `tonne retire pending` lists the calls; `--not-carried-out` or no flag settles this one"}
	// ErrWalletUnread is returned for a vintage with an unreadable wallet.
	ErrWalletUnread = &Problem{what: "a wallet of the vintage cannot be read, so nothing can be planned with it", Code: "incomplete",
		Todo: "look at it with `tonne inventory`, and ask the service's operator"}
	// ErrBookUnread is returned for a vintage with an unreadable sell order.
	ErrBookUnread = &Problem{what: "a sell order of the vintage cannot be read, so nothing can be planned with it", Code: "incomplete",
		Todo: "look at it with `tonne market`, and ask the service's operator"}
	// ErrLocked is returned if another program locks the journal for too long.
	ErrLocked = &Problem{what: "another program has locked the journal", Todo: "close the program that has the journal open, or wait for it to finish", Passes: true}
	// ErrDisk is returned if the journal cannot be written: the disk is full or fails.
	ErrDisk = &Problem{what: "the journal cannot be written", Todo: "make room on the disk of the journal, or make it writable", Code: "disk_full", Passes: true}
	// ErrEmptied is returned for a journal that lost its calls.
	ErrEmptied = &Problem{what: "the journal is missing or empty, although calls were sent with it",
		Todo: "restore it from a copy; without one, ask the operator of the service what was retired, then move journal.db and journal.db-owners away"}
)

// Elsewhere returns an ErrElsewhere with the retirement requests that contain the retirement.
func Elsewhere(requests ...string) *Problem {
	requests = slices.Compact(slices.Sorted(slices.Values(requests)))
	return ErrElsewhere.withText("compare them with your books: `tonne retirement "+strings.Join(requests, " ")+
		"`; what is missing is another retirement, with another reference and its own quantity",
		"%v; retirement requests: %s", ErrElsewhere, strings.Join(requests, ", "))
}

// unsettledProblem returns an ErrUnsettled for a request whose reference a call has. If the call makes another
// request, the user may have edited it because the first attempt seemed to fail.
func unsettledProblem(c Call, a Account, r retirement.RetireRequest) *Problem {
	p := ErrUnsettled.withText("run `tonne retire resume "+c.ExternalID+"`",
		"%s", strings.TrimSuffix("this retirement is in the journal as "+c.ExternalID+" and is not settled: "+c.Remark(), ": "))
	another := "another"
	if c.Reference == "" {
		another = "a"
	}
	switch {
	case c.Confirmed():
		p.what = c.Plan.Quantity.FormatTonnes() + " of this retirement were confirmed and not sent, as " + c.ExternalID
		p.Todo += " to send it, or `tonne retire abandon " + c.ExternalID + "`"
	case c.Doubtful():
		p.what, p.Code = "it is not known whether this retirement was carried out as "+c.ExternalID, "outcome_unknown"
		if !c.Requests(r) {
			p.what = "it is not known whether " + c.Plan.Quantity.FormatTonnes() + " were retired under this reference as " + c.ExternalID
		}
	}
	if c.Origin != a.Origin {
		p.what += " at " + c.Origin
	}
	if c.GivenUp {
		p.Todo = AskOperator(c.ExternalID)
	}
	p.Todo += "; for a second retirement give " + another + " --reference"
	return p
}

// AskOperator returns the advice for an abandoned call with an unknown outcome.
func AskOperator(externalID string) string {
	return "ask the operator of the service, and record the outcome: `tonne retire abandon " + externalID + " --carried-out REQUEST` or `--not-carried-out`"
}
