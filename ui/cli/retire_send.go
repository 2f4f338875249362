package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/api/wire"
)

// sendAll sends the calls in order, and stops at one whose outcome nobody
// knows, or that could not be sent: the rest would meet the same. After a
// refusal no other call of the vintage is sent, since its plan counted on what
// the refused one would have left in the wallet.
func (r *retireRun) sendAll(ctx context.Context) error {
	refused := make(map[string]bool)
	for n, line := range r.lines {
		r.progress.tell("line %d of %d", n+1, len(r.lines))
		for _, call := range line.calls {
			if !call.isPlanned() {
				continue
			}
			if refused[line.wish.VintageID] {
				call.status, call.why = callNotSent, "a call before it was refused, and its plan counted on that"
				continue
			}
			if err := r.stillAffordable(ctx, call); err != nil {
				return err
			}
			outcome, err := r.sender.SendNew(ctx, r.entry(line, call))
			if err := r.keep(call, outcome, err); err != nil || call.status != callDone && call.status != callRefused {
				return err
			}
			if err := r.stopsElsewhere(call); err != nil {
				return err
			}
			refused[line.wish.VintageID] = call.status == callRefused
		}
	}
	return nil
}

// entry is a call of this run as the journal keeps it.
func (r *retireRun) entry(line *retireLine, call *retireCall) journal.Call {
	return journal.Call{
		Account: r.sender.Account, ExternalID: call.externalID, Batch: r.batch, Reference: line.reference, Wish: line.wishText(),
		Plan: call.plan, Body: wire.AppendRetireCall(nil, call.externalID, call.plan), MadeBy: r.madeBy(), MadeAt: r.Now(),
	}
}

// keep keeps what became of a call that was sent. The error says that nothing
// more can be sent.
func (r *retiring) keep(call *retireCall, outcome retire.Outcome, err error) error {
	if outcome.State == "" {
		if errors.Is(err, journal.ErrHeld) {
			call.status, call.open, call.neverSent, call.why = callUnknown, true, false, err.Error()
		}
		return r.unsent(err)
	}
	call.open, call.neverSent, call.requestID, call.why = false, false, outcome.RequestID, ""
	switch outcome.State {
	case journal.Done:
		call.status = callDone
	case journal.Refused:
		call.status = callRefused
	case journal.Unknown:
		call.status, call.open = callUnknown, true
	default:
		call.status, call.open = callNotSent, true
	}
	if outcome.Err != nil {
		call.why, call.err = whyNot(outcome), outcome.Err
	}
	if call.elsewhere = outcome.Elsewhere; call.elsewhere {
		call.why = retire.MadeElsewhere
	}
	if err != nil {
		call.open = true
		return &failure{
			what: fmt.Sprintf("%s was sent and is %s, which could not be written down: %v", call.externalID, call.status, err),
			todo: "make room on the disk of " + r.journalPath(), again: "run `tonne retire resume`: it sends the same id", status: statusFailed, code: "disk_full",
		}
	}
	return nil
}

// whyNot returns why a call is not done, for the results.
func whyNot(o retire.Outcome) string {
	if retire.TurnedAway(o.Err) > 0 {
		return retire.Reason(o.Err) + "; the same id is asked for again"
	}
	return retire.Reason(o.Err)
}

// unsent explains why a call could not be sent: another program is at it, or
// it cannot be written down.
func (a *app) unsent(err error) error {
	const runThis = "run this again"
	again := func(todo, format string, args ...any) error {
		return &failure{what: fmt.Sprintf(format, args...), todo: todo, again: runThis, status: statusFailed, cause: err}
	}
	switch {
	case errors.Is(err, journal.ErrHeld), errors.Is(err, journal.ErrEnded), errors.Is(err, journal.ErrOtherBody):
		return again("let it end, and see with `tonne retire pending` and `tonne ledger` what became of it", "another program retires the same at this moment: %v", err)
	case errors.Is(err, journal.ErrUnsettled):
		return failed("run `tonne retire resume`; for a second retirement give another --reference", "%w; nothing was sent", err)
	case errors.Is(err, journal.ErrNotSent):
		return failed("look at the id once more: `tonne retire pending` lists the calls; `--not-carried-out` or no flag settles this one", "%w, so it is in no request", err)
	case errors.Is(err, journal.ErrNoCall):
		return failed("look whether this is the profile that made it, and whether "+a.journalPath()+" was moved away", "%w; nothing was sent", err)
	case errors.Is(err, journal.ErrOtherKey):
		return failed("use the key it was made with; if the key was rotated for the same tenant, add --same-tenant", "%w; it was not sent again, nor is any after it", err)
	case errors.Is(err, journal.ErrEmptied):
		return failed("restore it from a copy; without one, ask the operator of the service what was retired, then move the file and its -owners directory away", "%w; nothing was sent", err)
	case errors.Is(err, journal.ErrLocked):
		return again("close the program that has "+a.journalPath()+" open", "%v; the call was not sent, nor is any after it", err)
	case errors.Is(err, journal.ErrDisk):
		return &failure{
			what: err.Error() + "; the call was not sent, nor is any after it", status: statusFailed, code: "disk_full",
			todo: "make room on the disk of " + a.journalPath(), again: runThis,
		}
	}
	return err
}

// remember enters the requests of calls that are done in the ledger, with their
// references.
func (r *retiring) remember(ctx context.Context, calls []*retireCall) {
	var ids []string
	references := make(map[string][]string)
	for _, c := range calls {
		if c.status == callDone {
			ids = append(ids, c.requestID)
			references[c.requestID] = append(references[c.requestID], c.reference)
		}
	}
	if len(references) == 0 {
		return
	}
	if err := r.ledger().keep(context.WithoutCancel(ctx), ids, references); err != nil {
		r.warn("the requests were not entered in the ledger: %v", err)
	}
}

func (r *retiring) ledger() referenceLedger {
	return referenceLedger{r.app, string(r.settings.baseURL)}
}

// ended is the failure of calls that are not all done, or nil.
func (r *retiring) ended(ctx context.Context, calls []*retireCall, advice *retireAdvice) error {
	is := func(status callStatus) func(*retireCall) bool {
		return func(c *retireCall) bool { return c.status == status }
	}
	unknown, _, _ := sums(calls, is(callUnknown))
	refused, _, _ := sums(calls, is(callRefused))
	unsent, _, _ := sums(calls, is(callNotSent))
	var err error
	switch {
	case unknown+refused+unsent == 0:
		return nil
	case ctx.Err() != nil && unknown+unsent > 0:
		return context.Cause(ctx)
	case unknown > 0 && !slices.ContainsFunc(calls, (*retireCall).isOpen):
		err = leftOpen("", "%d of %d calls were given up while their outcome was not known: %s", unknown, len(calls), first(calls, callUnknown).externalID)
	case unknown > 0:
		err = leftOpen("", "the outcome of %d of %d calls is not known: %s", unknown, len(calls), first(calls, callUnknown).why)
	case refused > 0:
		call := first(calls, callRefused)
		err = unmet("retire_refused", refusalTodo(call.err), "%d of %d calls were refused: %s (%s)", refused, len(calls), retire.RefusalOf(call.err).What, call.why)
	default:
		err = failed("", "%d of %d calls were not sent", unsent, len(calls))
		if call := first(calls, callNotSent); call.err != nil {
			err = call.err
		}
	}
	return advice.advised(err)
}

// first is the first call of a status, of which there is one.
func first(calls []*retireCall, status callStatus) *retireCall {
	return calls[slices.IndexFunc(calls, func(c *retireCall) bool { return c.status == status })]
}
