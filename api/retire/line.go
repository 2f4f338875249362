package retire

import (
	"slices"

	"tonne/model"
	"tonne/model/retirement"
)

// Line is one request with the calls that serve it.
type Line struct {
	Reference string
	Request   retirement.RetireRequest
	// MaxPrice is the most that a tonne may cost, or model.UnknownPrice.
	MaxPrice model.PriceCents
	// Made are the calls with the reference that the journal has, or of the line of a
	// batch; Past are those that count, Calls those of the plan.
	Made        []Call
	Past, Calls []*Call
	// Plan is the last plan, and Wanted the quantity that it is for, in grams.
	Plan   retirement.Plan
	Wanted model.Grams
	// Gone is the order that the request names and that cannot serve: the plan takes any other.
	Gone string

	// replaced are confirmed calls that were never sent: the plan takes their place.
	replaced []string
	origin   string
}

func (l *Line) text() string { return RequestText(l.Request) }

// All returns the calls of the line.
func (l *Line) All() []*Call { return slices.Concat(l.Past, l.Calls) }

// Left returns what no call of the line serves, in grams.
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

// recall takes the history of a line that is no part of a batch. Without a reference
// each retirement is one of its own, and only an unsettled one counts.
func (l *Line) recall(h History) error {
	l.Made, l.Past, l.replaced, l.origin = h.Made, nil, nil, h.Origin
	serving := slices.DeleteFunc(slices.Clone(h.Made), func(c Call) bool { return !SameRequest(c.Request, l.text()) })
	if l.Reference != "" && slices.ContainsFunc(serving, func(c Call) bool { return c.Elsewhere }) {
		var requests []string
		for _, c := range serving {
			if c.State == Done {
				requests = append(requests, c.RequestID)
			}
		}
		return Elsewhere(requests...)
	}
	for _, c := range serving {
		replaced := c.Confirmed() && l.Reference != ""
		switch {
		case c.Open() && !replaced, c.Doubtful():
			return unsettled(c)
		case replaced:
			l.replaced = append(l.replaced, c.ExternalID)
		case c.State == Done && l.Reference != "":
			l.Past = append(l.Past, &c)
		}
	}
	return nil
}
