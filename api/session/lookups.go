package session

import (
	"cmp"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"tonne/api"
	"tonne/model/retirement"
	"tonne/model/store"
)

const (
	// lookUpsAtOnce is how many retirement requests are fetched at once.
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
	// hold is how long the service asked to wait.
	hold   schedule
	limits int // how often in a row it did
	// refused says that the service does not accept the key or the role. Then, and while
	// polling is paused, only the user's look-ups run.
	refused, paused bool
}

func (u *lookUps) want(id string) {
	u.l.ledger.change(id, func(r *Request) { r.wanted = !r.Fetching })
}

// followWait is a part of the time waited so far, within limits, with some randomness so that
// many requests do not come due at once.
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

// handle applies a failure to all look-ups. One that came too soon is repeated when the
// service allows it.
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

// rereadEvery is how often the ledger is read if another process has changed it.
const rereadEvery = time.Minute

// answered takes the outcome of a look-up, if the request is in the ledger.
func (g *ledger) answered(id string, found *retirement.Request, err error) {
	was := g.find(id)
	if was == nil || err != nil && g.l.ctx.Err() != nil {
		// The end of the session says nothing of the request.
		return
	}
	now := g.l.wall()
	g.due = true
	g.change(id, func(r *Request) {
		r.Fetching, r.wanted, r.Err = false, false, err
		if found != nil && !now.Before(r.AnsweredAt) {
			r.AnsweredAt = now
			// The checks of a response are not repeated if it is the same.
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
		// The poller retries by itself.
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
// response, nil for none.
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
