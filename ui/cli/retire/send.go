package retire

import (
	"context"
	"fmt"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
)

func (r *permitted) sendFailure(calls []*retire.Call, err error) error {
	unwritten := slices.IndexFunc(calls, func(c *retire.Call) bool { return c.Unwritten != nil })
	switch {
	case err == nil:
		return nil
	case unwritten >= 0:
		c := calls[unwritten]
		return &command.Failure{
			What: fmt.Sprintf("%s was sent and is %s, which could not be written down: %v", c.ExternalID, statusOf(c), c.Unwritten),
			Todo: "make room on the disk of " + retiring.Path(r.App), Again: "run `tonne retire resume`: it sends the same id", Status: command.StatusFailed, Code: "disk_full",
		}
	}
	return alreadyRetired(retiring.Unsent(r.App, err))
}

func (r *permitted) remember(ctx context.Context, calls []*retire.Call) {
	if err := r.flow.Remember(ctx, calls); err != nil {
		r.Warn("the requests were not entered in the ledger: %v", err)
	}
}

// ended is the failure of calls that are not all done, or nil.
func (r *permitted) ended(ctx context.Context, calls []*retire.Call, advice *advice) error {
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
		err = command.LeftOpen("", "%d of %d calls were given up while their outcome was not known: %s", unknown, len(calls), r.first(calls, callUnknown).ExternalID)
	case unknown > 0:
		err = command.LeftOpen("", "the outcome of %d of %d calls is not known: %s", unknown, len(calls), retiring.ErrorOf(r.first(calls, callUnknown)))
	case refused > 0:
		call := r.first(calls, callRefused)
		err = command.Unmet("retire_refused", refusalTodo(call.Err), "%d of %d calls were refused: %s (%s)", refused, len(calls), api.RefusalOf(call.Err).What, retiring.ErrorOf(call))
	default:
		err = command.Failed("", "%d of %d calls were not sent", unsent, len(calls))
		if call := r.first(calls, callNotSent); call.Err != nil {
			err = call.Err
		}
	}
	return advice.advised(err)
}
