package retire

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tonne/api/retire/journal"
	"tonne/api/wire"
	"tonne/model"
)

// Ledger is the local ledger of retirement requests, which outlives a lost journal.
type Ledger interface {
	// WithReference returns the ids of the requests that have a reference.
	WithReference(ctx context.Context, reference string) ([]string, error)
	// Remember enters a request with its reference.
	Remember(ctx context.Context, requestID, reference string) error
}

// ElsewhereError is returned for a retirement that was made before and that the
// journal does not know. Nothing more may be sent for its reference.
type ElsewhereError struct {
	// Requests are the ids of the retirement requests that it went into.
	Requests []string
}

// Error names the retirement requests.
func (e *ElsewhereError) Error() string {
	return "this was retired before, and this journal did not make it; retirement requests: " + strings.Join(e.Requests, ", ")
}

// Recall returns the calls of the journal with a reference, whatever they are for.
// If there is none, the ledger, which may be nil, is searched: the error is then
// an *ElsewhereError for requests that the journal does not know. Without a
// reference each retirement is one of its own, and there are no calls.
func Recall(ctx context.Context, j *journal.Journal, a journal.Account, l Ledger, reference string) (made []journal.Call, err error) {
	if reference == "" {
		return nil, nil
	}
	if j != nil {
		if made, err = j.Referenced(a, reference); len(made) > 0 || err != nil {
			return made, err
		}
	}
	if l == nil {
		return nil, nil
	}
	requests, err := l.WithReference(ctx, reference)
	if err != nil || len(requests) == 0 {
		return nil, err
	}
	// Another profile may be another tenant, who uses the same reference.
	var others []journal.Call
	if j != nil {
		if others, err = j.Of(a.Origin); err != nil {
			return nil, err
		}
	}
	requests = slices.DeleteFunc(requests, func(id string) bool {
		return slices.ContainsFunc(others, func(c journal.Call) bool { return c.RequestID == id })
	})
	if len(requests) > 0 {
		return nil, &ElsewhereError{requests}
	}
	return nil, nil
}

// Serving returns those of the calls that Recall returned that are for a wish. The
// error is an *ElsewhereError if the journal did not make one of them.
func Serving(made []journal.Call, wish string) (serving []journal.Call, err error) {
	var requests []string
	elsewhere := false
	for _, c := range made {
		if !SameWish(c.Wish, wish) {
			continue
		}
		serving = append(serving, c)
		elsewhere = elsewhere || c.Elsewhere
		if c.State == journal.Done && !slices.Contains(requests, c.RequestID) {
			requests = append(requests, c.RequestID)
		}
	}
	if elsewhere {
		return serving, &ElsewhereError{requests}
	}
	return serving, nil
}

// IDs makes the external ids of the calls of one retirement.
type IDs struct {
	base, reference, wish string
	of                    model.RetireRequest
	made                  map[string]journal.Call
	n                     int
}

// NewIDs returns the ids for what is to be retired in all, at a base URL and with
// a reference. Made is what Recall returned for it; wish is the text by which the
// journal knows it.
func NewIDs(base, reference, wish string, of model.RetireRequest, made []journal.Call) *IDs {
	ids := &IDs{base: base, reference: reference, wish: wish, of: of, made: make(map[string]journal.Call)}
	for _, c := range made {
		ids.made[c.ExternalID] = c
	}
	return ids
}

// Next returns the id of the next call. With a reference it is derived, so that a
// program without the journal sends the id that the service knows. An id that the
// journal has is used again only for the same call, if that was never sent.
func (i *IDs) Next(c model.RetireCall) string {
	if i.reference == "" {
		return "tonne-" + rand.Text()
	}
	for {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d", i.base, i.reference, i.of.VintageID, i.of.Quantity, i.n))
		id := "tonne-" + hex.EncodeToString(sum[:16])
		i.n++
		old, there := i.made[id]
		if !there || old.Planned() && SameWish(old.Wish, i.wish) && bytes.Equal(old.Body, wire.AppendRetireCall(nil, id, c)) {
			return id
		}
	}
}
