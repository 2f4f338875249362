package retire

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"tonne/api/wire"
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

// recall takes the history of a line that is no part of a batch. Retirements without a
// reference are independent: only an unsettled one counts.
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

// Ledger is the local ledger of retirement requests, which outlives a lost journal.
type Ledger interface {
	// WithReference returns the ids of the requests that have a reference.
	WithReference(ctx context.Context, reference string) ([]string, error)
	// Remember enters requests in their order, with the references of each.
	Remember(ctx context.Context, requestIDs []string, references map[string][]string) error
}

// History is what is known of a reference before a plan is made with it.
type History struct {
	// Origin is the base URL of the service.
	Origin string
	// Made are all calls with the reference.
	Made []Call
}

// Recall returns the history of a reference; of the calls without a reference, if
// it is empty. If the journal has no call with it, the ledger is searched: the error
// is then an ErrElsewhere for requests that the journal does not know.
func (w *Workflow) Recall(ctx context.Context, reference string) (History, error) {
	h := History{Origin: w.Account.Origin}
	var err error
	h.Made, err = w.Calls(ctx, withReference(reference))
	if err != nil || len(h.Made) > 0 || reference == "" || w.Ledger == nil {
		return h, err
	}
	requests, err := w.Ledger.WithReference(ctx, reference)
	if err != nil || len(requests) == 0 {
		return h, err
	}
	// Another profile may be another tenant, who uses the same reference.
	others, err := w.Calls(ctx, OfService)
	if err != nil {
		return h, err
	}
	requests = slices.DeleteFunc(requests, func(id string) bool {
		return slices.ContainsFunc(others, func(c Call) bool { return c.RequestID == id })
	})
	if len(requests) > 0 {
		return h, Elsewhere(requests...)
	}
	return h, nil
}

// externalID returns the id of a call of a retirement that is in no batch. With a
// reference it is derived, so that a program without the journal sends the ids that the
// service knows. An id that the journal has is used again only for the same call, if that
// was never sent. N counts the ids that a plan took or passed over.
func (l *Line) externalID(c retirement.Call, n *int) string {
	if l.Reference == "" {
		return "tonne-" + rand.Text()
	}
	for {
		id := derivedID("%q %q %q %d %d", l.origin, l.Reference, l.Request.VintageID, l.Request.Quantity, *n)
		*n++
		at := slices.IndexFunc(l.Made, func(made Call) bool { return made.ExternalID == id })
		if at < 0 {
			return id
		}
		if old := l.Made[at]; old.Confirmed() && SameRequest(old.Request, l.text()) && bytes.Equal(old.Body, wire.AppendRetireCall(nil, id, c)) {
			return id
		}
	}
}

func derivedID(format string, of ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, of...))
	return "tonne-" + hex.EncodeToString(sum[:16])
}

// RecallBatch takes the calls of earlier runs of a batch. Changed are the references of
// lines that request something else than when calls were made for them.
func (s *Submission) RecallBatch(made []Call) (changed []string) {
	past := make(map[string][]Call)
	for _, c := range made {
		past[c.Reference] = append(past[c.Reference], c)
	}
	for _, l := range s.Lines {
		l.Made, l.Past = past[l.Reference], nil
		same := true
		for _, c := range l.Made {
			if c.State == Refused || c.GivenUp && c.State != Done && !c.Doubtful() {
				continue
			}
			same = same && SameRequest(c.Request, l.text())
			l.Past = append(l.Past, &c)
		}
		if !same {
			changed = append(changed, l.Reference)
		}
	}
	return changed
}
