package session

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
)

const (
	// lookUps is how many retirement requests are fetched at once.
	lookUps = 4
	// A followed request is fetched after a twentieth of the time that it has
	// been waited for, within these limits.
	followPart     = 20
	shortestFollow = 30 * time.Second
	longestFollow  = 15 * time.Minute
	// mostAnswers is how many requests that nobody waits for are remembered.
	mostAnswers = 1000
)

// retirements looks up retirement requests: once, or followed until they are
// final.
type retirements struct {
	l        *loop
	requests map[string]*request
	// sweepAt is how many requests there are when those are forgotten that nobody
	// waits for.
	sweepAt int
	// asked are the ids that the user waits for, in order.
	asked    []string
	inFlight int
	// hold is how long the service asked to be left alone.
	hold   schedule
	limits int // how often in a row it asked
	// refused says that the key or the role is not accepted: followed
	// requests wait for a refresh.
	refused bool
}

type request struct {
	news     RetirementEvent
	followed bool
	since    time.Time
	plan     schedule
	failures int
}

func newRetirements(l *loop) *retirements {
	return &retirements{l: l, requests: make(map[string]*request), sweepAt: mostAnswers}
}

func (r *retirements) request(id string) *request {
	q, known := r.requests[id]
	if !known {
		r.sweep()
		q = &request{news: RetirementEvent{ID: id}}
		r.requests[id] = q
	}
	return q
}

func (r *retirements) sweep() {
	if len(r.requests) < r.sweepAt {
		return
	}
	asked := make(map[string]bool, len(r.asked))
	for _, id := range r.asked {
		asked[id] = true
	}
	maps.DeleteFunc(r.requests, func(id string, q *request) bool { return !q.followed && !q.news.Fetching && !asked[id] })
	r.sweepAt = max(mostAnswers, 2*len(r.requests))
}

func (r *retirements) send(q *request) {
	q.news.NextAt = time.Time{}
	if q.followed && q.plan.on {
		q.news.NextAt = q.plan.from.Add(q.plan.wait)
		if held := r.hold.from.Add(r.hold.wait); r.hold.on && held.After(q.news.NextAt) {
			q.news.NextAt = held
		}
	}
	r.l.tell(q.news)
}

func (r *retirements) lookUp(id string) {
	if q := r.request(id); q.news.Fetching || slices.Contains(r.asked, id) {
		return
	}
	r.asked = append(r.asked, id)
}

func (r *retirements) follow(id string, since time.Time) {
	q := r.request(id)
	if q.final() {
		// Somebody else may have found out.
		r.send(q)
		return
	}
	if q.followed {
		return
	}
	if since.IsZero() {
		since = r.l.wall()
	}
	q.followed, q.since = true, since
	now, wait := r.l.wall(), time.Duration(0)
	if !q.news.At.IsZero() {
		wait = followWait(now.Sub(since))
	}
	q.plan.in(wait, now)
	r.send(q)
}

func (r *retirements) unfollow(id string) {
	if q, known := r.requests[id]; known && q.followed {
		q.followed, q.plan.on = false, false
		r.send(q)
	}
}

func (q *request) final() bool { return q.news.Retirement != nil && q.news.Retirement.Status.Final() }

// followWait returns the pause of a request that has been waited for, give or
// take a fifth, so that many of them do not come at once.
func followWait(waited time.Duration) time.Duration {
	wait := min(max(waited/followPart, shortestFollow), longestFollow)
	return wait - wait/5 + rand.N(wait*2/5)
}

func (r *retirements) refresh() {
	r.refused, r.hold.on = false, false
	now := r.l.wall()
	for _, q := range r.requests {
		if q.followed && q.plan.on && now.Sub(q.news.At).Abs() > refreshGap {
			q.plan.in(0, now)
		}
	}
}

func (r *retirements) startDue() (next time.Duration, planned bool) {
	now := r.l.wall()
	if r.hold.on {
		if left := r.hold.left(now, 1); left > 0 {
			return left, true
		}
		r.hold.on = false
	}
	for len(r.asked) > 0 && r.inFlight < lookUps {
		id := r.asked[0]
		r.asked = r.asked[1:]
		r.start(id)
	}
	if r.l.polls.paused || r.refused {
		return 0, false
	}
	for id, q := range r.requests {
		if !q.followed || !q.plan.on || q.news.Fetching {
			continue
		}
		left := q.plan.left(now, 1)
		if left == 0 && r.inFlight < lookUps {
			r.start(id)
		} else if left > 0 {
			next, planned = soonest(next, planned, left), true
		}
	}
	return next, planned
}

func (r *retirements) start(id string) {
	q := r.request(id)
	r.inFlight++
	q.news.Fetching = true
	r.send(q)
	ctx := r.l.polls.requests()
	r.l.spawn(func() {
		found, err := r.l.client.Retirement(ctx, id)
		r.l.postNews(func(*loop) { r.finish(q, found, err) })
	})
}

func (r *retirements) finish(q *request, found model.Retirement, err error) {
	r.inFlight--
	now := r.l.wall()
	q.news.Fetching, q.news.Err = false, err
	if err == nil {
		q.news.Retirement, q.news.At = &found, now
		q.failures, r.limits = 0, 0
		r.l.polls.projects.want([]string{found.ProjectID})
		q.plan.in(followWait(now.Sub(q.since)), now)
	} else {
		q.failures++
		q.plan.in(min(followWait(0)*time.Duration(q.failures), longestFollow), now)
		r.handle(q.news.ID, err, now)
	}
	if q.final() {
		q.followed, q.plan.on = false, false
	}
	r.send(q)
}

// handle does what a failure says of all look-ups. One that came too soon is
// repeated when the service allows it.
func (r *retirements) handle(id string, err error, now time.Time) {
	var failed *api.Error
	if !errors.As(err, &failed) {
		return
	}
	switch failed.Kind {
	case api.Unauthorized:
		r.failAsked(err)
		r.l.polls.refuse(err)
	case api.Forbidden:
		r.failAsked(err)
		r.refused = true
	case api.RateLimited:
		r.limits++
		r.hold.in(api.Backoff(r.limits, failed.RetryAfter), now)
		r.asked = append(r.asked, id)
	}
}

func (r *retirements) failAsked(err error) {
	for _, id := range r.asked {
		q := r.request(id)
		q.news.Err = err
		r.send(q)
	}
	r.asked = nil
}
