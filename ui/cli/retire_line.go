package cli

import (
	"time"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
)

// callStatus is what became of a call, in the words of the results.
type callStatus string

// The statuses. A call that is planned has none yet.
const (
	callPlanned callStatus = ""
	callDone    callStatus = "done"
	callRefused callStatus = "refused"
	callUnknown callStatus = "unknown"
	callNotSent callStatus = "not_sent"
)

// retireCall is a call with what became of it.
type retireCall struct {
	reference, externalID string
	plan                  model.RetireCall
	status                callStatus
	requestID             string
	// elsewhere says that another journal made it before.
	elsewhere bool
	// why is the reason that it is not done, err the error of a call of this run.
	why string
	err error
	// open says that it was prepared by an earlier run, and has to be sent
	// before anything else of its line.
	open bool
	// neverSent says that it stands in the journal as part of a plan that was
	// confirmed, and was not sent.
	neverSent bool
	// madeAt is when it was written down, by the clock of a machine; earlier
	// says that another run did so.
	madeAt  time.Time
	earlier bool
}

// retireLine is a wish, which one call or several serve.
type retireLine struct {
	reference string
	wish      model.RetireRequest
	// maxPrice is the most that a tonne may cost, or model.UnknownPrice.
	maxPrice model.PriceCents
	calls    []*retireCall
	// ids are those of the calls of a single retirement.
	ids *retire.IDs
	// made counts the calls that the journal has of the line.
	made int
}

// wishText is the wish as the journal keeps it.
func (l *retireLine) wishText() string { return retire.WishText(l.wish) }

// rest is what no call serves yet that had an effect or may have had one.
func (l *retireLine) rest() model.Grams {
	rest := l.wish.Quantity
	for _, c := range l.calls {
		if c.status != callRefused {
			rest -= c.plan.Quantity
		}
	}
	return rest
}

// doubtTaxIDs warns of tax ids that may be mistyped: what is sent cannot be
// taken back.
func (r *retireRun) doubtTaxIDs() {
	var doubts []string
	for _, l := range r.lines {
		doubt := retire.TaxIDDoubt(l.wish.Retiree.TaxID)
		switch {
		case doubt != "" && r.batch != "":
			doubts = append(doubts, l.reference+": the tax id "+doubt)
		case doubt != "":
			doubts = append(doubts, "the tax id "+doubt)
		}
	}
	if len(doubts) > 0 {
		r.warn("%s; it is sent as it stands", someOf(doubts))
	}
}

// recall takes what the journal has of the line. A call that certainly had no
// effect and will not be sent again counts as none. It reports whether the line
// wishes what it did when the calls that count were made.
func (l *retireLine) recall(past []journal.Call) (same bool) {
	l.made, same = len(past), true
	for _, c := range past {
		if c.State == journal.Refused || c.GivenUp && !c.Unsure && (c.State == journal.Prepared || c.State == journal.Sent) {
			continue
		}
		same = same && retire.SameWish(c.Wish, l.wishText())
		l.calls = append(l.calls, recalled(c))
	}
	return same
}

// recalled is a call as the journal has it.
func recalled(c journal.Call) *retireCall {
	call := &retireCall{
		reference: c.Reference, externalID: c.ExternalID, plan: c.Plan, requestID: c.RequestID, open: c.Open(), neverSent: c.Planned(),
		madeAt: c.MadeAt, earlier: true,
		status: callUnknown, why: retire.Remark(c), elsewhere: c.Elsewhere,
	}
	switch {
	case c.State == journal.Done:
		call.status = callDone
	case c.State == journal.Refused:
		call.status = callRefused
	case !c.Unsure && c.State != journal.Unknown:
		call.status = callNotSent
	case c.GivenUp:
		call.why = "given up while its outcome was not known"
	}
	return call
}

// effect is what the call did, or may have done.
func (c *retireCall) effect() model.RetireCall {
	if c.status != callRefused && c.status != callNotSent {
		return c.plan
	}
	return model.RetireCall{VintageID: c.plan.VintageID, Quantity: c.plan.Quantity, Retiree: c.plan.Retiree, Price: model.UnknownPrice}
}

// sums is what calls of some statuses come to.
func sums(calls []*retireCall, counts func(*retireCall) bool) (n int, quantity model.Grams, cost model.Cents) {
	for _, c := range calls {
		if counts(c) {
			n++
			quantity = quantity.AddUpTo(c.plan.Quantity)
			cost += c.plan.Cost
		}
	}
	return n, quantity, cost
}

func (c *retireCall) isOpen() bool    { return c.open }
func (c *retireCall) isPlanned() bool { return c.status == callPlanned }
