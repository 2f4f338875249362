package retire

import (
	"cmp"
	"slices"

	"tonne/api/retire"
	"tonne/model"
)

// callStatus is the outcome of a call, in the words of the results.
type callStatus string

// The statuses. A call that is planned has none yet.
const (
	callPlanned callStatus = ""
	callDone    callStatus = "done"
	callRefused callStatus = "refused"
	callUnknown callStatus = "unknown"
	callNotSent callStatus = "not_sent"
)

func statusOf(c *retire.Call) callStatus {
	switch {
	case c.State == retire.Done:
		return callDone
	case c.State == retire.Refused:
		return callRefused
	case c.Doubtful(), c.UnderWay:
		return callUnknown
	case c.State == retire.Planned:
		return callPlanned
	}
	return callNotSent
}

// status is the status of a call in the results: what is planned is not sent any more.
func (r *permitted) status(c *retire.Call) callStatus {
	if r.dryRun {
		return statusOf(c)
	}
	return cmp.Or(statusOf(c), callNotSent)
}

func (r *permitted) has(status callStatus) func(*retire.Call) bool {
	return func(c *retire.Call) bool { return r.status(c) == status }
}

func (r *permitted) first(calls []*retire.Call, status callStatus) *retire.Call {
	return calls[slices.IndexFunc(calls, r.has(status))]
}

// effectOf is what a call of a status did, or may have done.
func effectOf(c *retire.Call, status callStatus) model.RetireCall {
	if status != callRefused && status != callNotSent {
		return c.Plan
	}
	return model.RetireCall{VintageID: c.Plan.VintageID, Quantity: c.Plan.Quantity, Retiree: c.Plan.Retiree, Price: model.UnknownPrice}
}

func sums(calls []*retire.Call, counts func(*retire.Call) bool) (n int, quantity model.Grams, cost model.Cents) {
	for _, c := range calls {
		if counts(c) {
			n++
			quantity = quantity.AddUpTo(c.Plan.Quantity)
			cost += c.Plan.Cost
		}
	}
	return n, quantity, cost
}

func isAny(*retire.Call) bool { return true }
