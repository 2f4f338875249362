package api

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// patience is how long a bulk read goes on asking a service that refuses
	// everything.
	patience = 2 * time.Minute
	// impatient is how long somebody waits who would rather know than wait.
	impatient = time.Second
	// Where a service refuses and does not say for how long, the first wait is
	// at least firstPause, and a part of how long it took the last time. Each
	// one that was too short is followed by a longer one, up to longestPause:
	// nobody knows when a window opens.
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	spellPart    = 8
)

// pacer keeps all requests of a client within the limit of its service. It
// knows no limit at first and holds nothing back. Once the service refuses
// (429), nobody asks for as long as it says; then one request asks whether it
// answers again, and the others follow at the rate that was answered between
// two refusals. What the wait kept back is made up for at once where the service
// lets it gather: a limit that comes in windows costs no time. People who share
// the client take turns, and find one of few places that is free soon.
type pacer struct {
	mu sync.Mutex
	// queue is who waits, underWay how many requests are.
	queue    queue
	underWay int
	// due is when the next request is due at the rate, and credit how far back
	// that may lie.
	due    time.Time
	credit time.Duration
	// hold is when the service wants to be asked again, heldAt when a request
	// last failed, which may have set it.
	hold, heldAt time.Time

	pace pace

	// refusing is since when the service has refused everything, zero while
	// it answers. Meanwhile one request at most is under way: probing. spell
	// counts refusals.
	refusing time.Time
	probing  bool
	spell    int
	// refusedAt is the last refusal, waiting how long to wait then, and pause
	// the same where the service did not say.
	refusedAt      time.Time
	waiting, pause time.Duration
	// lasted is how long the last spell without an answer was.
	lasted time.Duration
	// asked is when the last request was made.
	asked time.Time
}

// turn is the right to make one request. It is given back with what came of it.
type turn struct {
	spell int
	probe bool
}

func newPacer() *pacer {
	return &pacer{queue: queue{lines: make(map[caller][]*waiter)}, pace: pace{gathers: patience}}
}

// wait returns when a request may be made, or an error of kind RateLimited
// instead of a long wait. Who is not patient gets it after a second.
func (p *pacer) wait(ctx context.Context, c caller, patient bool) (turn, *Error) {
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
			return turn{}, &Error{Kind: RateLimited, Status: http.StatusTooManyRequests, RetryAfter: left}
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-w.look:
		case <-ctx.Done():
			timer.Stop()
			return turn{}, transportError(ctx, ctx.Err())
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

// take gives a turn, or returns how long to wait at most before asking for one
// again, and whether the service wants to be left alone so long.
func (p *pacer) take(w *waiter, now time.Time) (t turn, left time.Duration, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.hold.Sub(now); left > 0 {
		return t, left, true
	}
	if p.probing || p.underWay == connections || p.queue.first() != w {
		return t, patience, false
	}
	due := p.due
	if earliest := now.Add(-p.credit); due.Before(earliest) {
		due = earliest
	}
	if left := due.Sub(now); left > 0 && p.refusing.IsZero() {
		return t, left, false
	}
	gap := p.pace.gap(now.Sub(p.hold))
	p.due = due.Add(gap)
	if now.Sub(later(p.asked, p.hold)) > max(rest, 3*gap) {
		p.pace.rest(now)
	}
	p.asked = now
	p.probing = !p.refusing.IsZero()
	p.underWay++
	return turn{spell: p.spell, probe: p.probing}, 0, false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (p *pacer) done(t turn, failed *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	current := t.spell == p.spell
	if t.probe && current {
		p.probing = false
	}
	switch {
	case failed == nil || failed.Status != 0 && failed.Kind != RateLimited:
		p.answer(current)
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

// answer counts what was not refused. It ends a spell of refusals unless it was
// asked for before that.
func (p *pacer) answer(current bool) {
	p.pace.answered++
	switch {
	case p.refusing.IsZero():
	case current:
		p.lasted = p.refusedAt.Sub(p.refusing)
		p.refusing, p.pause = time.Time{}, 0
		p.pace.begin(p.refusedAt, p.waiting)
	case p.pace.rested:
		p.plan()
	}
}

// refuse takes a refusal. Those of requests that were under way when the first
// one came say nothing more.
func (p *pacer) refuse(asked time.Duration, now time.Time) {
	if p.refusing.IsZero() {
		p.refusing = now
	}
	p.spell++
	p.pace.stop(now.Sub(p.hold))
	if p.waiting = asked; asked == 0 {
		p.pause = min(max(p.pause*3/2, p.pace.gap(0), p.lasted/spellPart, firstPause), longestPause)
		p.waiting = p.pause
	}
	p.refusedAt = now
	p.hold = later(p.hold, now.Add(p.waiting))
	p.plan()
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

// plan says when requests are due behind a refusal: what gathers from then on is
// there for them. A spell that is long for the rate is a window that is used up;
// the next one is whole.
func (p *pacer) plan() {
	p.pace.measure(p.refusedAt, p.waiting)
	gap := p.pace.gap(0)
	p.due, p.credit = p.refusedAt.Add(gap), min(p.waiting, p.pace.gathers)
	if spell := p.refusedAt.Sub(p.refusing); spell > 4*gap {
		p.due, p.credit = p.refusing, spell+p.waiting
	}
}

func (p *pacer) gaveUp(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.refusing.IsZero() && now.Sub(p.refusing) >= patience
}
