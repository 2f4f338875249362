package api

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// patience is how long a bulk read goes on asking a service that refuses
	// everything.
	patience = 2 * time.Minute
	// impatient is how long a caller waits that would rather know than wait.
	impatient = time.Second
	// Where a service refuses and does not say for how long, the first wait is
	// firstPause. Each one that was too short is followed by a longer one, up to
	// longestPause: the client does not know when a window opens.
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// doubling is how long after a refusal the rate has doubled, guessDoubling the
	// same for a rate that is only guessed. It grows with the square of the time:
	// hardly at first. cut is the part of it that is left at least by the next
	// refusal.
	doubling      = 12 * time.Second
	guessDoubling = 2 * time.Second
	cut           = 0.75
	// rest is how long nothing is asked before what gathers meanwhile says
	// nothing of the rate.
	rest = time.Second
)

// pacer keeps all requests of a client within the limit of its service. It
// knows no limit at first and holds nothing back. Once the service refuses
// (429), no request is made for as long as it says; then one asks whether it
// answers again, and the others follow: at once as many as the wait has kept back,
// and then at the rate that was answered between two refusals, which grows until the
// next one. People who share the client take turns.
type pacer struct {
	mu       sync.Mutex
	queue    queue
	underWay int
	// hold is when the service wants to be asked again, heldAt when a request
	// last failed, which may have set it.
	hold, heldAt time.Time

	// limit lets requests through, at base and what it has grown by since the hold.
	// It has no limit while nothing was refused.
	limit    *rate.Limiter
	base     rate.Limit
	doubling time.Duration
	// answered counts requests since a refusal, or since nothing was asked for a
	// while: rested.
	answered int
	since    time.Time
	rested   bool
	// gathers is how many requests a service lets gather at most, as far as that is
	// known; 0 if it is not.
	gathers int
	asked   time.Time

	// refusing is since when the service has refused everything, zero while
	// it answers. Meanwhile one request at most is under way: probing. outage
	// counts refusals.
	refusing time.Time
	probing  bool
	outage   int
	// pause is the last wait of a service that did not say how long, lasted how long
	// it refused everything the last time.
	pause, lasted time.Duration
}

// permit is the right to make one request. It is returned with the result.
type permit struct {
	outage int
	probe  bool
}

func newPacer() *pacer {
	return &pacer{queue: queue{lines: make(map[caller][]*waiter)}, limit: rate.NewLimiter(rate.Inf, 1)}
}

// wait returns when a request may be made, or an error of kind RateLimited
// instead of a long wait. Who is not patient gets it after a second.
func (p *pacer) wait(ctx context.Context, c caller, patient bool) (permit, *Error) {
	if at, ok := ctx.Value(refreshed{}).(time.Time); ok {
		p.release(at)
	}
	limit := impatient
	if patient {
		limit = longestRetry
	}
	w := p.join(c)
	defer p.leave(w)
	for {
		t, left, held := p.take(w, time.Now())
		switch {
		case left == 0:
			return t, nil
		case left > limit && held:
			return permit{}, &Error{Kind: RateLimited, Status: http.StatusTooManyRequests, RetryAfter: left}
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-w.look:
		case <-ctx.Done():
			timer.Stop()
			return permit{}, transportError(ctx, ctx.Err())
		}
		timer.Stop()
	}
}

func (p *pacer) join(c caller) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.join(c)
}

func (p *pacer) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.leave(w)
	p.next()
}

func (p *pacer) next() {
	if w := p.queue.first(); w != nil {
		w.wake()
	}
}

// take gives a permit, or returns how long to wait at most before asking for one
// again, and whether the service wants to be left alone so long.
func (p *pacer) take(w *waiter, now time.Time) (t permit, left time.Duration, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.hold.Sub(now); left > 0 {
		return t, left, true
	}
	if p.probing || p.underWay == connections || p.queue.first() != w {
		return t, patience, false
	}
	p.limit.SetLimitAt(now, p.rate(now))
	place := p.limit.ReserveN(now, 1)
	if left := place.DelayFrom(now); left > 0 && p.refusing.IsZero() {
		place.CancelAt(now)
		return t, left, false
	}
	p.probing = !p.refusing.IsZero()
	if now.Sub(later(p.asked, p.hold)) > rest {
		p.since, p.answered, p.rested = now, 0, true
	}
	p.asked = now
	p.underWay++
	return permit{outage: p.outage, probe: p.probing}, 0, false
}

func (p *pacer) rate(now time.Time) rate.Limit {
	if p.base == 0 {
		return rate.Inf
	}
	grown := float64(now.Sub(p.hold)) / float64(p.doubling)
	return min(p.base*rate.Limit(math.Exp2(grown*grown)), rate.Inf)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (p *pacer) done(t permit, failed *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	current := t.outage == p.outage
	if t.probe && current {
		p.probing = false
	}
	switch {
	case failed == nil || failed.Status != 0 && failed.Kind != RateLimited:
		p.answered++
		if current && !p.refusing.IsZero() {
			p.lasted, p.refusing, p.pause = now.Sub(p.refusing), time.Time{}, 0
		}
	case failed.Kind == RateLimited && current:
		p.refuse(min(failed.RetryAfter, longestHold), now)
	}
	if failed != nil {
		p.heldAt = now
	}
	if failed != nil && failed.RetryAfter > 0 {
		p.hold = later(p.hold, now.Add(min(failed.RetryAfter, longestHold)))
	}
	if !p.hold.After(now) {
		p.next()
		return
	}
	for _, line := range p.queue.lines {
		for _, w := range line {
			w.wake()
		}
	}
}

// refuse takes a refusal. Those of requests that were under way when the first
// one came say nothing more.
func (p *pacer) refuse(wait time.Duration, now time.Time) {
	p.outage++
	if wait == 0 {
		p.pause = min(max(p.pause*3/2, p.lasted/8, firstPause), longestPause)
		wait = p.pause
	}
	if p.refusing.IsZero() {
		p.refusing = now
		p.measure(wait, now)
	}
	p.hold = later(p.hold, now.Add(wait))
	// What gathers from the first refusal on is there after the wait.
	gathered := max(int(float64(p.base)*p.hold.Sub(p.refusing).Seconds()), 1)
	if p.gathers > 0 {
		gathered = min(gathered, p.gathers)
	}
	p.limit = rate.NewLimiter(p.base, gathered)
	p.limit.ReserveN(p.refusing, gathered)
}

// measure learns the rate at a refusal: between two of them a service has given all
// that it had. After a rest it gave what had gathered: as much as there will be after
// the wait, to begin with.
func (p *pacer) measure(wait time.Duration, now time.Time) {
	took, top := now.Sub(p.since), p.rate(now)
	p.doubling = doubling
	if p.rested || p.base == 0 {
		took += wait
		p.doubling = guessDoubling
	} else if p.answered < p.limit.Burst()/2 {
		p.gathers = max(p.answered, 1)
	}
	if p.base == 0 {
		top = 0
	}
	p.base = max(rate.Limit(float64(max(p.answered, 1))/took.Seconds()), cut*top)
	p.since, p.answered, p.rested = now, 0, false
}

func (p *pacer) release(refreshed time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heldAt.Before(refreshed) && p.hold.After(refreshed) {
		p.hold = refreshed
		p.next()
	}
}

// Refreshed returns a context for requests that a person wants now: what the
// service asked to wait before that is over.
func Refreshed(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, refreshed{}, at)
}

type refreshed struct{}

func (p *pacer) gaveUp(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.refusing.IsZero() && now.Sub(p.refusing) >= patience
}
