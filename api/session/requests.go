package session

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"tonne/api"
	"tonne/model/retirement"
	"tonne/model/store"
)

const (
	// lookUpsAtOnce limits the concurrent look-ups of retirement requests.
	lookUpsAtOnce = 4
	// A pending request is fetched again after a twentieth of the time waited so far, within
	// these limits.
	followPart     = 20
	shortestFollow = 30 * time.Second
	longestFollow  = 15 * time.Minute
)

// lookUps looks up the requests of the ledger: at once for the user, and periodically until
// they are final.
type lookUps struct {
	l        *loop
	inFlight int
	// hold is the wait that the service demanded.
	hold   schedule
	limits int // how often in a row it did
	// refused reports that the service rejected the key or the role. Then, and while polling
	// is paused, only look-ups for the user run.
	refused, paused bool
}

func (u *lookUps) want(id string) {
	u.l.ledger.change(id, func(r *Request) { r.wanted = !r.Fetching })
}

// followWait returns a part of the time waited so far, within limits, with some randomness
// so that many requests do not become due at once.
func followWait(waited time.Duration) time.Duration {
	wait := min(max(waited/followPart, shortestFollow), longestFollow)
	return wait - wait/5 + rand.N(wait*2/5)
}

func (u *lookUps) refresh() {
	u.refused, u.hold.on = false, false
	now := u.l.wall()
	for _, r := range u.l.ledger.all {
		if !r.NextAt.IsZero() && now.Sub(r.AnsweredAt).Abs() > refreshGap {
			u.l.ledger.change(r.ID, func(r *Request) { r.NextAt = now })
		}
	}
}

func (u *lookUps) startDue() (next time.Duration, planned bool) {
	now := u.l.wall()
	if u.hold.on {
		if left := u.hold.left(now, 1); left > 0 {
			return left, true
		}
		u.hold.on = false
	}
	for _, r := range u.l.ledger.all {
		if r.wanted && u.inFlight < lookUpsAtOnce {
			u.start(r.ID)
		}
	}
	if u.paused || u.refused {
		return 0, false
	}
	for _, r := range u.l.ledger.all {
		switch left, followed := r.due(now); {
		case followed && left > 0:
			next, planned = soonest(next, planned, left), true
		case followed && u.inFlight < lookUpsAtOnce:
			u.start(r.ID)
		}
	}
	return next, planned
}

func (u *lookUps) start(id string) {
	u.inFlight++
	u.l.ledger.due = true
	u.l.ledger.change(id, func(r *Request) { r.Fetching, r.wanted = true, false })
	ctx := u.l.requests()
	u.l.spawn(func() {
		found, err := u.l.source.retirement(ctx, id)
		u.l.whileRunning(func(*loop) {
			if u.inFlight--; err == nil {
				u.limits = 0
				u.l.source.wantProject(found.ProjectID)
				u.l.ledger.answered(id, &found, nil)
				return
			}
			u.l.ledger.answered(id, nil, err)
			u.handle(id, err)
		})
	})
}

// handle applies a failure to all look-ups. After a rate limit, it repeats the look-up when
// the service permits.
func (u *lookUps) handle(id string, err error) {
	switch api.KindOf(err) {
	case api.Unauthorized, api.Forbidden:
		u.refused = true
		for _, r := range u.l.ledger.all {
			if r.wanted {
				u.l.ledger.answered(r.ID, nil, err)
			}
		}
		if u.l.polls != nil && api.KindOf(err) == api.Unauthorized {
			u.l.polls.refuse(err)
		}
	case api.RateLimited:
		u.limits++
		u.hold.in(api.Backoff(u.limits, retryAfter(err)), u.l.wall())
		u.want(id)
	}
}

func (p *polls) retirement(ctx context.Context, id string) (retirement.Request, error) {
	return p.l.client.Retirement(ctx, id)
}

func (p *polls) wantProject(id string) { p.projects.want([]string{id}) }

// rereadEvery is how often the session checks whether another process changed the ledger.
const rereadEvery = time.Minute

// answered records the outcome of a look-up, if the ledger has the request.
func (g *ledger) answered(id string, found *retirement.Request, err error) {
	was := g.find(id)
	if was == nil || err != nil && g.l.ctx.Err() != nil {
		// The session ended the look-up.
		return
	}
	now := g.l.wall()
	g.due = true
	g.change(id, func(r *Request) {
		r.Fetching, r.wanted, r.Err = false, false, err
		if found != nil && !now.Before(r.AnsweredAt) {
			r.AnsweredAt = now
			// An identical response keeps its pointer, so that its checks are not repeated.
			if r.Answer == nil || !reflect.DeepEqual(r.Answer, found) {
				r.Answer = found
			}
			r.Looked = cmp.Or(r.Looked, r.Answer.Status)
		}
		r.plan(now)
	})
	g.outcome(was, g.find(id))
}

func (g *ledger) outcome(was, is *Request) {
	if api.KindOf(is.Err) == api.RateLimited {
		// The look-up is repeated.
		return
	}
	g.differ = g.differ || is.Answer != was.Answer
	g.followed = g.followed || g.l.options.Journal != nil && mayHaveMoved(was.Answer, is.Answer)
	if !is.AnsweredAt.Equal(was.AnsweredAt) || is.Err != nil && is.Err != was.Err {
		l := store.LookUp{ID: is.ID, At: is.AnsweredAt, Answer: is.Answer}
		if is.Err != nil {
			l = store.LookUp{ID: is.ID, At: g.l.now(), Error: is.Err.Error()}
		}
		g.lookUps = append(g.lookUps, l)
		g.outcomes = latest(g.outcomes, []Outcome{{is.ID, is.Err}}, func(o Outcome) string { return o.ID })
	}
	if was.Answer != nil && is.Answer != nil && was.Answer.Status != is.Answer.Status {
		g.changed = append(g.changed, Change{is.ID, was.Answer.Status, is.Answer.Status})
	}
}

// mayHaveMoved reports whether fractions may have moved to another request since the previous
// response. was may be nil.
func mayHaveMoved(was, is *retirement.Request) bool {
	switch {
	case is == was || is.Type != retirement.Fractionalised:
		return false
	case was == nil:
		return true
	}
	return is.Status != was.Status || is.TotalQuantity != was.TotalQuantity || !slices.EqualFunc(is.Items, was.Items, func(a, b retirement.Item) bool {
		return a.ID == b.ID && a.Quantity == b.Quantity && a.CreatedAt.Time.Equal(b.CreatedAt.Time)
	})
}

func (g *ledger) record() {
	if len(g.lookUps) == 0 || g.writing && g.l.ctx.Err() == nil {
		return
	}
	lookUps, differ := g.lookUps, g.differ
	g.lookUps, g.differ, g.writing = nil, false, true
	g.l.write(func(ctx context.Context) error { return g.l.memory.Ledger.Record(ctx, lookUps...) }, func(error) {
		g.writing = false
		if differ {
			g.l.checkRequests()
		}
	})
}

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

func (l *requests) remove(gone func(*Request) bool) {
	var kept requests
	for _, r := range l.all {
		if !gone(r) {
			kept.put(r)
		}
	}
	*l = kept
}
