package retire

import (
	"cmp"
	"slices"

	"tonne/model"
	"tonne/model/retirement"
)

// Line is one request with the calls that serve it.
type Line struct {
	Reference string
	Request   retirement.RetireRequest
	// ProjectID is the project of the vintage. It is needed only if several projects have a vintage with its id.
	ProjectID string
	// MaxPrice is the limit per tonne, or model.UnknownPrice.
	MaxPrice model.PriceCents
	// Made are the calls of the journal with the reference, or of this line of the batch.
	// Past are the ones of them that serve the request, and Calls those of the plan.
	Made        []Call
	Past, Calls []*Call
	// Plan is the last plan, and Wanted its quantity in grams.
	Plan   retirement.Plan
	Wanted model.Grams
	// Gone is the unusable order of the request, if the plan uses others instead.
	Gone string

	// others are the calls with the reference of other batches and commands, for a line of a batch.
	others []Call
	// replaced are the ids of confirmed and unsent calls, which the plan replaces.
	replaced []string
	account  Account
}

// All returns the calls of the line.
func (l *Line) All() []*Call { return slices.Concat(l.Past, l.Calls) }

// Left returns the quantity that no call serves, in grams.
func (l *Line) Left() model.Grams {
	left := l.Request.Quantity
	for _, c := range l.Past {
		if c.State != Refused || c.Unwritten != nil {
			left -= c.Plan.Quantity
		}
	}
	for _, c := range l.Calls {
		if c.serves() {
			left -= c.Plan.Quantity
		}
	}
	return left
}

// basis returns what the plan of the line assumes of the journal.
func (l *Line) basis() *basis {
	b := &basis{known: slices.Concat(l.Made, l.others), own: slices.Clone(l.replaced)}
	for _, c := range l.All() {
		b.own = append(b.own, c.ExternalID)
	}
	slices.SortFunc(b.known, func(a, b Call) int { return cmp.Compare(a.id, b.id) })
	return b
}

// TooDear returns the last call of the plan with a price above the limit.
func (l *Line) TooDear() (dear retirement.Call, found bool) {
	for _, c := range l.Plan.Calls {
		if l.MaxPrice.Known() && c.Price > l.MaxPrice {
			dear, found = c, true
		}
	}
	return dear, found
}

// recall sets the history of a line outside a batch. Retirements without a reference are
// independent; only unsettled ones matter.
func (l *Line) recall(h History) error {
	l.Made, l.Past, l.replaced, l.account = h.Made, nil, nil, h.Account
	serving := slices.DeleteFunc(slices.Clone(h.Made), func(c Call) bool { return !c.Requests(l.Request) })
	if l.Reference != "" && slices.ContainsFunc(serving, func(c Call) bool { return c.Elsewhere }) {
		var requests []string
		for _, c := range serving {
			if c.State == Done {
				requests = append(requests, c.RequestID)
			}
		}
		return Elsewhere(requests...)
	}
	for _, c := range h.Made {
		if l.Reference != "" && !c.Requests(l.Request) && (c.Open() || c.Doubtful()) {
			return unsettledProblem(c, h.Account, l.Request)
		}
	}
	for _, c := range serving {
		replaced := c.Confirmed() && l.Reference != ""
		switch {
		case c.Open() && !replaced, c.Doubtful():
			return unsettledProblem(c, h.Account, l.Request)
		case replaced:
			l.replaced = append(l.replaced, c.ExternalID)
		case c.State == Done && l.Reference != "":
			l.Past = append(l.Past, &c)
		}
	}
	return nil
}
