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
	"tonne/model/retirement"
)

// Ledger is the local ledger of retirement requests. It survives the loss of the journal.
type Ledger interface {
	// WithReference returns the ids of the requests with a reference.
	WithReference(ctx context.Context, reference string) ([]string, error)
	// Remember records requests in order, each with its references.
	Remember(ctx context.Context, requestIDs []string, references map[string][]string) error
}

// History is what is known about a reference before planning.
type History struct {
	// Origin is the base URL of the service.
	Origin string
	// Made are all calls with the reference.
	Made []Call
}

// Recall returns the history of a reference, or of the calls without one if it is empty.
// If the journal has no call with the reference, Recall searches the ledger, and returns
// an ErrElsewhere for requests that are not in the journal.
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
	// Another profile may belong to another tenant with the same reference.
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

// externalID returns the id of a call outside a batch. With a reference it is derived, so
// that a program without the journal uses the same ids. An id in the journal is reused
// only for the same call, if that was never sent. n counts the ids that the plan has used
// or skipped.
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

// Reuse is the remaining lines of a batch with the reference of calls outside it that have
// retired, or may have.
type Reuse struct {
	// Same are the references of lines that make the same request again, and Last is the
	// last of its calls. Other are the references of lines with another request.
	Same, Other []string
	Last        Call
}

// Reuse returns the lines that reuse a reference of the calls.
func (s *Submission) Reuse(all []Call) (r Reuse) {
	made := make(map[string][]Call)
	for _, c := range all {
		if c.Batch != s.Batch && (c.State == Done || c.Doubtful()) {
			made[c.Reference] = append(made[c.Reference], c)
		}
	}
	for _, l := range s.Lines {
		if calls := made[l.Reference]; l.Left() > 0 && len(calls) > 0 {
			r.add(l, calls)
		}
	}
	return r
}

func (r *Reuse) add(l *Line, calls []Call) {
	same := false
	for _, c := range calls {
		if c.Request == l.text() {
			r.Last, same = c, true
		}
	}
	if same {
		r.Same = append(r.Same, l.Reference)
	} else {
		r.Other = append(r.Other, l.Reference)
	}
}

// RecallBatch sets the calls of earlier runs of a batch. changed has the references of lines
// whose request has changed since then.
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
