package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tonne/api"
	"tonne/api/retire"
)

func (r *retiring) sendFailure(calls []*retire.Call, err error) error {
	unwritten := slices.IndexFunc(calls, func(c *retire.Call) bool { return c.Unwritten != nil })
	switch {
	case err == nil:
		return nil
	case unwritten >= 0:
		c := calls[unwritten]
		return &failure{
			what: fmt.Sprintf("%s was sent and is %s, which could not be written down: %v", c.ExternalID, statusOf(c), c.Unwritten),
			todo: "make room on the disk of " + r.journalPath(), again: "run `tonne retire resume`: it sends the same id", status: statusFailed, code: "disk_full",
		}
	}
	return alreadyRetired(r.unsent(err))
}

func (a *app) unsent(err error) error {
	const runThis = "run this again"
	again := func(todo, format string, args ...any) error {
		return &failure{what: fmt.Sprintf(format, args...), todo: todo, again: runThis, status: statusFailed, cause: err}
	}
	switch {
	case errors.Is(err, retire.ErrHeld), errors.Is(err, retire.ErrEnded), errors.Is(err, retire.ErrOtherBody):
		return again("let it end, and see with `tonne retire pending` and `tonne ledger` what became of it", "another program retires the same at this moment: %v", err)
	case errors.Is(err, retire.ErrUnsettled):
		return failed("run `tonne retire resume`; for a second retirement give another --reference", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrNotSent):
		return failed("look at the id once more: `tonne retire pending` lists the calls; `--not-carried-out` or no flag settles this one", "%w, so it is in no request", err)
	case errors.Is(err, retire.ErrNoCall):
		return failed("look whether this is the profile that made it, and whether "+a.journalPath()+" was moved away", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrOtherKey):
		return failed("use the key it was made with; if the key was rotated for the same tenant, add --same-tenant", "%w; it was not sent again, nor is any after it", err)
	case errors.Is(err, retire.ErrEmptied):
		return failed("restore it from a copy; without one, ask the operator of the service what was retired, then move the file and its -owners directory away", "%w; nothing was sent", err)
	case errors.Is(err, retire.ErrLocked):
		return again("close the program that has "+a.journalPath()+" open", "%v; the call was not sent, nor is any after it", err)
	case errors.Is(err, retire.ErrDisk):
		return &failure{
			what: err.Error() + "; the call was not sent, nor is any after it", status: statusFailed, code: "disk_full",
			todo: "make room on the disk of " + a.journalPath(), again: runThis,
		}
	}
	return err
}

func (r *retiring) remember(ctx context.Context, calls []*retire.Call) {
	if err := r.flow.Remember(ctx, calls); err != nil {
		r.warn("the requests were not entered in the ledger: %v", err)
	}
}

// ended is the failure of calls that are not all done, or nil.
func (r *retiring) ended(ctx context.Context, calls []*retire.Call, advice *retireAdvice) error {
	unknown, _, _ := sums(calls, r.has(callUnknown))
	refused, _, _ := sums(calls, r.has(callRefused))
	unsent, _, _ := sums(calls, r.has(callNotSent))
	var err error
	switch {
	case unknown+refused+unsent == 0:
		return nil
	case ctx.Err() != nil && unknown+unsent > 0:
		return context.Cause(ctx)
	case unknown > 0 && !slices.ContainsFunc(calls, (*retire.Call).Resumable):
		err = leftOpen("", "%d of %d calls were given up while their outcome was not known: %s", unknown, len(calls), r.first(calls, callUnknown).ExternalID)
	case unknown > 0:
		err = leftOpen("", "the outcome of %d of %d calls is not known: %s", unknown, len(calls), errorOf(r.first(calls, callUnknown)))
	case refused > 0:
		call := r.first(calls, callRefused)
		err = unmet("retire_refused", refusalTodo(call.Err), "%d of %d calls were refused: %s (%s)", refused, len(calls), api.RefusalOf(call.Err).What, errorOf(call))
	default:
		err = failed("", "%d of %d calls were not sent", unsent, len(calls))
		if call := r.first(calls, callNotSent); call.Err != nil {
			err = call.Err
		}
	}
	return advice.advised(err)
}
