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
	"tonne/model/fold"
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
	// Account is the account that retires.
	Account Account
	// Made are all calls with the reference.
	Made []Call
}

// Recall returns the history of a reference, or of the calls without one if it is empty.
// If the journal has no call with the reference, Recall searches the ledger, and returns
// an ErrElsewhere for requests that are not in the journal.
func (w *Workflow) Recall(ctx context.Context, reference string) (History, error) {
	made, err := w.Calls(ctx, withReference(reference))
	h := History{Account: w.Account, Made: made}
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

// externalIDs chooses the ids of the calls of a plan.
type externalIDs struct {
	line *Line
	// derive returns the n-th id of a line.
	derive func(l *Line, n int) string
	// next is the number of the next id to derive, and used has the ids of the plan.
	next int
	used []string
}

// id returns the id of the next call. A confirmed call that was never sent is the same call if it has
// the same body: it keeps its id, however that was derived. Otherwise the id is derived from the text as
// it was typed, so that a program without the journal, or an older one, sends the same ids. An id of the
// journal is not used for another call. Without a reference, the id is random.
func (x *externalIDs) id(c retirement.Call) string {
	l := x.line
	if l.Reference == "" {
		return "tonne-" + rand.Text()
	}
	for _, made := range l.Made {
		if id := made.ExternalID; !slices.Contains(x.used, id) && x.isSame(made, c) {
			x.used = append(x.used, id)
			return id
		}
	}
	for {
		id := x.derive(l, x.next)
		x.next++
		if !slices.Contains(x.used, id) && !slices.ContainsFunc(l.Made, func(c Call) bool { return c.ExternalID == id }) {
			x.used = append(x.used, id)
			return id
		}
	}
}

func (x *externalIDs) isSame(made Call, c retirement.Call) bool {
	return made.Confirmed() && made.Requests(x.line.Request) &&
		(made.KeyMark == "" || made.KeyMark == x.line.account.KeyMark) &&
		bytes.Equal(made.Body, wire.AppendRetireCall(nil, made.ExternalID, c))
}

// deriveID returns the n-th external id of a single retirement.
func (l *Line) deriveID(n int) string {
	return derivedID("%q %q %q %d %d", l.account.Origin, l.Reference, l.Request.VintageID, l.Request.Quantity, n)
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

// Reuse returns the lines that reuse a reference of calls outside the batch. RecallBatch has read them.
func (s *Submission) Reuse() (r Reuse) {
	for _, l := range s.Lines {
		if l.Left() > 0 && slices.ContainsFunc(l.others, Call.retires) {
			r.add(l)
		}
	}
	return r
}

func (r *Reuse) add(l *Line) {
	same := false
	for _, c := range l.others {
		if c.retires() && c.Requests(l.Request) {
			r.Last, same = c, true
		}
	}
	if same {
		r.Same = append(r.Same, l.Reference)
	} else {
		r.Other = append(r.Other, l.Reference)
	}
}

// retires reports whether the call took effect, may have, or may still be sent.
func (c Call) retires() bool { return c.State == Done || c.Open() || c.Doubtful() }

// RecallBatch sets the calls of earlier runs of a batch, from all calls of the account. changed has the
// references of lines whose request has changed since then.
func (s *Submission) RecallBatch(all []Call) (changed []string) {
	made := make(map[string][]Call)
	for _, c := range all {
		identity := fold.Identity(c.Reference)
		made[identity] = append(made[identity], c)
	}
	for _, l := range s.Lines {
		l.Made, l.Past, l.others = nil, nil, nil
		for _, c := range made[fold.Identity(l.Reference)] {
			if s.IsOf(c) {
				l.Made = append(l.Made, c)
			} else {
				l.others = append(l.others, c)
			}
		}
		if !l.recallMade() {
			changed = append(changed, l.Reference)
		}
	}
	return changed
}

// IsOf reports whether the call is of the batch.
func (s *Submission) IsOf(c Call) bool { return fold.Identity(c.Batch) == fold.Identity(s.Batch) }

// recallMade sets the calls of the batch that serve the line, and reports whether all of them request what
// it requests.
func (l *Line) recallMade() (same bool) {
	same = true
	for _, c := range l.Made {
		if c.State == Refused || c.GivenUp && c.State != Done && !c.Doubtful() {
			continue
		}
		same = same && c.Requests(l.Request)
		l.Past = append(l.Past, &c)
	}
	return same
}

// Unsettled returns an ErrUnsettled if an open or Doubtful call of another batch or a command has the
// reference of a remaining line. RecallBatch has read them.
func (s *Submission) Unsettled() error {
	for _, l := range s.Lines {
		for _, c := range l.others {
			if l.Left() > 0 && (c.Open() || c.Doubtful()) {
				return unsettledProblem(c, c.Account, l.Request)
			}
		}
	}
	return nil
}

// GoneFrom returns the calls of the batch whose lines are not in it any more, and that are open or Doubtful.
func (s *Submission) GoneFrom(all []Call) (gone []Call) {
	there := make(map[string]bool)
	for _, l := range s.Lines {
		there[fold.Identity(l.Reference)] = true
	}
	for _, c := range all {
		if s.IsOf(c) && !there[fold.Identity(c.Reference)] && (c.Open() || c.Doubtful()) {
			gone = append(gone, c)
		}
	}
	return gone
}
