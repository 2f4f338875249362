package api

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// patience is how long a bulk read retries while every request is refused.
	patience = 2 * time.Minute
	// impatient is the longest wait of an interactive request.
	impatient = time.Second
	// The rate doubles every doubling after a refusal. The next refusal reduces it to
	// no less than cut of its value.
	doubling = 5 * time.Second
	cut      = 0.75
	// unlimited is how long after the last refusal the limit is forgotten.
	unlimited = time.Minute
	// window is the time over which the rate before the first refusal is measured. Over the
	// whole time of a client that was mostly idle it would be far too low.
	window = 2 * time.Second
)

// pacer keeps the requests of a client to one host below its rate limit, which is
// unknown at first. After a refusal (429) the pacer waits as long as the service demands,
// and then sends one request. If it is answered, the others follow: first a burst of as
// many as the service has become able to answer during the wait, then at the rate before
// the refusal, which grows until the next refusal. Callers that share the client take turns.
type pacer struct {
	mu       sync.Mutex
	queue    queue
	underWay int
	// hold is the end of the demanded wait. heldAt is the time of the last failed
	// request, which may have set it.
	hold, heldAt time.Time

	// limit admits requests. Its rate is base, plus the growth since hold; it is
	// unlimited until the first refusal.
	limit *rate.Limiter
	base  rate.Limit
	// answered counts requests since the last refusal. Before the first refusal it counts
	// those since the beginning of a window, and before those of the previous window.
	answered, before int
	since            time.Time
	// gathers is the burst that the service allows, or 0 if unknown.
	gathers int

	// refusing is the time since which the service has refused every request, or zero.
	// During that time at most one request is under way. refusals counts refusals.
	refusing time.Time
	refusals int
}

func newPacer() *pacer {
	return &pacer{queue: queue{lines: make(map[caller][]*waiter)}, limit: rate.NewLimiter(rate.Inf, 1)}
}

// wait blocks until a request may be made, and returns the number of earlier refusals.
// If the wait would be long, it returns an error of kind RateLimited instead; for a
// caller that is not patient, more than a second is long.
func (p *pacer) wait(ctx context.Context, c caller, patient bool) (refusals int, failed *Error) {
	if at, ok := ctx.Value(refreshed{}).(time.Time); ok {
		p.release(at)
	}
	limit := impatient
	if patient {
		limit = longestRetry
	}
	p.mu.Lock()
	w := p.queue.join(c)
	p.mu.Unlock()
	defer p.leave(w)
	for {
		refusals, left, held := p.take(w, time.Now())
		switch {
		case left == 0:
			return refusals, nil
		case left > limit && held:
			return 0, &Error{Kind: RateLimited, Status: http.StatusTooManyRequests, RetryAfter: left}
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-w.look:
		case <-ctx.Done():
			timer.Stop()
			return 0, transportError(ctx, ctx.Err())
		}
		timer.Stop()
	}
}

func (p *pacer) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.leave(w)
	p.queue.wakeFirst()
}

// take admits a request (left is 0), or returns the time after which to try again at
// the latest. held reports that the service demands this wait.
func (p *pacer) take(w *waiter, now time.Time) (refusals int, left time.Duration, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.hold.Sub(now); left > 0 {
		return 0, left, true
	}
	answering := p.refusing.IsZero()
	if p.queue.first() != w || p.underWay == connections || !answering && p.underWay > 0 {
		return 0, patience, false
	}
	switch {
	case p.since.IsZero() || p.base > 0 && now.Sub(p.hold) > unlimited:
		p.base, p.since, p.answered, p.before = 0, now, 0, 0
	case p.base == 0 && now.Sub(p.since) > window:
		p.since, p.answered, p.before = now, 0, p.answered
	}
	p.limit.SetLimitAt(now, p.rate(now))
	place := p.limit.ReserveN(now, 1)
	if left := place.DelayFrom(now); left > 0 && answering {
		place.CancelAt(now)
		return 0, left, false
	}
	p.underWay++
	return p.refusals, 0, false
}

func (p *pacer) rate(now time.Time) rate.Limit {
	if p.base == 0 {
		return rate.Inf
	}
	return p.base * rate.Limit(math.Exp2(float64(now.Sub(p.hold))/float64(doubling)))
}

func (p *pacer) done(refusals int, failed *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	current := refusals == p.refusals
	switch {
	case failed == nil || failed.Status != 0 && failed.Kind != RateLimited:
		p.answered++
		if current {
			p.refusing = time.Time{}
		}
	case failed.Kind == RateLimited && current:
		p.refuse(failed.RetryAfter, now)
	}
	if failed != nil {
		p.heldAt = now
		p.holdFor(failed.RetryAfter, now)
	}
	if p.hold.After(now) {
		p.queue.wakeAll()
	} else {
		p.queue.wakeFirst()
	}
}

func (p *pacer) holdFor(wait time.Duration, now time.Time) {
	if until := now.Add(min(wait, longestHold)); until.After(p.hold) {
		p.hold = until
	}
}

// refuse records a refusal. Refusals of requests that were under way at the first
// one are ignored.
func (p *pacer) refuse(asked time.Duration, now time.Time) {
	p.refusals++
	if p.refusing.IsZero() {
		p.refusing, asked = now, cmp.Or(asked, firstWait)
		p.measure(asked, now)
	}
	p.holdFor(cmp.Or(asked, 2*firstWait), now)
	// The service regains capacity from the first refusal on.
	gathered := max(int(float64(p.base)*p.hold.Sub(p.refusing).Seconds()), 1)
	if p.gathers > 0 {
		gathered = min(gathered, p.gathers)
	}
	p.limit = rate.NewLimiter(p.base, gathered)
	p.limit.ReserveN(p.refusing, gathered)
}

// measure estimates the rate at a refusal. Between two refusals, the service has
// answered at its limit. Before the first one it also answered a burst, which it will
// allow again after the wait.
func (p *pacer) measure(wait time.Duration, now time.Time) {
	if p.base == 0 && p.answered+p.before == 0 {
		// Other clients have used up the limit: nothing is known until the next refusal.
		p.since = now
		return
	}
	took, least := now.Sub(p.since), rate.Limit(0)
	if p.base == 0 {
		took += wait
		least = rate.Limit(float64(p.answered+p.before) / (took + window).Seconds())
	} else {
		least = cut * p.rate(now)
		if p.answered < p.limit.Burst()/2 {
			p.gathers = max(p.answered, 1)
		}
	}
	p.base = max(rate.Limit(float64(max(p.answered, 1))/took.Seconds()), least)
	p.since, p.answered, p.before = now, 0, 0
}

func (p *pacer) release(refreshed time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heldAt.Before(refreshed) && p.hold.After(refreshed) {
		p.hold = refreshed
		p.queue.wakeFirst()
	}
}

// Refreshed returns a context for requests that the user makes at a time: a wait that
// the service demanded earlier does not apply to them.
func Refreshed(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, refreshed{}, at)
}

type refreshed struct{}

func (p *pacer) gaveUp(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.refusing.IsZero() && now.Sub(p.refusing) >= patience
}

// InBulk returns a context for the many requests of one task: they wait instead of failing if a
// service limits the rate, also those of a client without retries.
func InBulk(ctx context.Context) context.Context { return context.WithValue(ctx, bulk{}, true) }

type bulk struct{}

// isBulk reports whether requests with ctx wait for their turn.
func (c *Client) isBulk(ctx context.Context) bool {
	return c.options.Retries > 0 || ctx.Value(bulk{}) != nil
}

// OnBehalfOf returns a context for the calls of one of several users of a client.
// If requests have to wait, the users take turns. The name is not sent.
func OnBehalfOf(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, behalf{}, person)
}

type behalf struct{}

// caller is the user and the path of a request.
type caller struct{ person, path string }

func callerOf(ctx context.Context, path string) caller {
	person, _ := ctx.Value(behalf{}).(string)
	return caller{person, path}
}

// queue has the requests that wait. Callers take turns, so that a caller with
// thousands of requests does not delay the others.
type queue struct {
	// turns are the callers with waiting requests, in the order of their turns.
	turns []caller
	lines map[caller][]*waiter
}

type waiter struct {
	caller caller
	// look, with a capacity of one, signals a change.
	look chan struct{}
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

func (q *queue) wakeFirst() {
	if w := q.first(); w != nil {
		w.wake()
	}
}

func (q *queue) wakeAll() {
	for _, line := range q.lines {
		for _, w := range line {
			w.wake()
		}
	}
}

func (q *queue) join(c caller) *waiter {
	w := &waiter{c, make(chan struct{}, 1)}
	if len(q.lines[c]) == 0 {
		q.turns = append(q.turns, c)
	}
	q.lines[c] = append(q.lines[c], w)
	return w
}

func (q *queue) first() *waiter {
	if len(q.turns) == 0 {
		return nil
	}
	return q.lines[q.turns[0]][0]
}

func (q *queue) leave(w *waiter) {
	served := q.first() == w
	line := slices.DeleteFunc(q.lines[w.caller], func(other *waiter) bool { return other == w })
	q.lines[w.caller] = line
	if !served && len(line) > 0 {
		return
	}
	q.turns = slices.DeleteFunc(q.turns, func(c caller) bool { return c == w.caller })
	if len(line) > 0 {
		q.turns = append(q.turns, w.caller)
		return
	}
	delete(q.lines, w.caller)
}
