package session

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"tonne/api"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// A pending request is fetched again after a twentieth of the time waited so far, within
// these limits.
const (
	followPart     = 20
	shortestFollow = 30 * time.Second
	longestFollow  = 15 * time.Minute
)

// Request is a retirement request of the ledger.
type Request struct {
	// ID is the id at the service, and Label the user's label.
	ID, Label string
	// FirstSeen is the time of entry.
	FirstSeen time.Time
	// Answer is the last valid response, or nil before the first, and AnsweredAt its time.
	// Err is the error of the last look-up, or nil after a success.
	Answer     *retirement.Request
	AnsweredAt time.Time
	Err        error
	// Looked is the last state that the user saw, or that of the first response. It is empty
	// before that.
	Looked retirement.Status
	// Fetching reports a look-up in progress. NextAt is when the next one is due, or zero if
	// none is planned.
	Fetching bool
	NextAt   time.Time
	// wanted reports that the user waits for a response. failures counts consecutive failed
	// look-ups.
	wanted   bool
	failures int
	// Certificate is the saved file, and FileStatus its status.
	Certificate retirement.Certificate
	FileStatus  FileStatus
}

func newRequest(kept store.LedgerEntry) *Request {
	r := &Request{
		ID: kept.ID, Label: plainLabel(kept.Label), FirstSeen: kept.FirstSeen,
		Answer: kept.Answer, AnsweredAt: kept.AnsweredAt, Certificate: kept.Certificate, Looked: kept.Looked,
	}
	if kept.Error != "" {
		r.Err = errors.New(kept.Error)
	}
	return r
}

// Pending reports whether the state of the request may still change.
func (r *Request) Pending() bool { return r.Answer != nil && !r.Answer.Status.Final() }

// Changed reports whether the request has reached another state since the user looked at it.
func (r *Request) Changed() bool {
	return r.Answer != nil && r.Looked != "" && r.Looked != r.Answer.Status
}

func (r *Request) updated(kept *Request) *Request {
	answered, saved := kept.AnsweredAt.After(r.AnsweredAt), kept.Certificate.FetchedAt.After(r.Certificate.FetchedAt)
	looked := cmp.Or(kept.Looked, r.Looked)
	if !answered && !saved && kept.Label == r.Label && looked == r.Looked && kept.FirstSeen.Equal(r.FirstSeen) {
		return r
	}
	next := *r
	next.Label, next.FirstSeen, next.Looked = kept.Label, kept.FirstSeen, looked
	if answered {
		next.Answer, next.AnsweredAt, next.Err = kept.Answer, kept.AnsweredAt, kept.Err
		switch {
		case !next.Pending():
			next.NextAt = time.Time{}
		case next.NextAt.IsZero():
			next.NextAt = next.AnsweredAt
		}
	}
	if saved {
		next.Certificate, next.FileStatus = kept.Certificate, NotVerified
	}
	return &next
}

func (r *Request) plan(now time.Time) {
	wait := followWait(now.Sub(r.FirstSeen))
	if r.failures++; r.Err == nil {
		r.failures = 0
	} else {
		wait = min(followWait(0)*time.Duration(r.failures), longestFollow)
	}
	r.NextAt = now.Add(wait)
	kind := api.KindOf(r.Err)
	if r.Answer == nil && (kind == api.NotFound || kind == api.Invalid) || r.Answer != nil && !r.Pending() {
		r.NextAt = time.Time{}
	}
}

// followWait returns a part of the time waited so far, within limits, with some randomness
// so that many requests do not become due at once.
func followWait(waited time.Duration) time.Duration {
	wait := min(max(waited/followPart, shortestFollow), longestFollow)
	return wait - wait/5 + rand.N(wait*2/5)
}

func (r *Request) due(now time.Time) (left time.Duration, followed bool) {
	left = r.NextAt.Sub(now)
	if left > 2*longestFollow {
		left = 0
	}
	return left, !r.NextAt.IsZero() && !r.Fetching && !r.wanted
}

const longestLabel = 80

// plainLabel removes invisible characters from a label, because terminal notifications
// contain it.
func plainLabel(typed string) string {
	shown := strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(strings.TrimSpace(typed), ""))
	letters := []rune(shown)
	return string(letters[:min(len(letters), longestLabel)])
}

// requests is a list of requests with an index by id. The zero value is empty.
type requests struct {
	all    []*Request
	places map[string]int
	// shared reports that readers have the list, which must be copied before a change.
	shared bool
}

func (l *requests) find(id string) *Request {
	if place, ok := l.places[id]; ok {
		return l.all[place]
	}
	return nil
}

func (l *requests) put(r *Request) {
	if l.shared {
		l.all, l.shared = slices.Clone(l.all), false
	}
	if place, ok := l.places[r.ID]; ok {
		l.all[place] = r
		return
	}
	if l.places == nil {
		l.places = make(map[string]int)
	}
	l.places[r.ID] = len(l.all)
	l.all = append(l.all, r)
}

func (l *requests) change(id string, change func(*Request)) {
	if r := l.find(id); r != nil {
		next := *r
		change(&next)
		l.put(&next)
	}
}

func (l *requests) remove(removed func(*Request) bool) {
	var kept requests
	for _, r := range l.all {
		if !removed(r) {
			kept.put(r)
		}
	}
	*l = kept
}
