package session

import (
	"context"
	"errors"
	"time"

	"tonne/api"
)

const (
	// healthyTime is how long a resource must respond before its back-off is reset.
	healthyTime = 30 * time.Second
	// optionalSlower is the factor of the wait after a failure of an optional resource.
	optionalSlower = 10
	// unfocused is how much slower polls are while the screen is not watched.
	unfocused = 4
	// refreshGap is the least time between two requests for the same data, however often a
	// refresh is requested.
	refreshGap = time.Second
)

// work fetches data in its own goroutine and returns a function for the loop to apply.
type work func(ctx context.Context) (apply func(), err error)

// polling is what the polled resources of a session share.
type polling struct {
	*env
	client          Client
	focused, paused bool
	// tell posts an event to the loop.
	tell func(Event)
	// want requests the details of projects.
	want func(ids []string)
	// refuse ends all requests after the service rejected the key.
	refuse func(err error)
	// recall shows the listings of an earlier run.
	recall func()
}

// resource polls one resource: one request in flight, then a pause.
type resource struct {
	*polling
	name  string
	every time.Duration
	// prepare returns the work of one poll, which is identified by flight. The function that
	// the work returns is applied after a success, and if not nil after an incomplete read.
	prepare func(flight uint64) work
	// publish sends the current state of the resource.
	publish func()
	// more reports whether polling continues after a success. If nil, it does.
	more func() bool
	// optional reports that the service may lack the resource. A refusal is then an ordinary
	// failure, and is repeated less often.
	optional bool

	status Status
	plan   schedule
	// began is the start of the last poll.
	began  time.Time
	flight uint64
	cancel context.CancelFunc // of the request in flight, or nil
	// failures counts consecutive failed polls. Short successes do not reset it.
	failures int
	healthy  time.Time // start of the current successes, or zero after a failure
	// forced starts the next poll even while polling is paused, for a refresh.
	forced bool
	// refused reports that polling has ended, because the service rejected the key or the role.
	refused bool
}

// schedule is when the next poll is due. It uses the wall clock, which continues while the
// machine sleeps and may be set back.
type schedule struct {
	on   bool
	from time.Time
	wait time.Duration
}

func (s *schedule) in(wait time.Duration, now time.Time) { *s = schedule{true, now, wait} }

func (s *schedule) left(now time.Time, stretch time.Duration) time.Duration {
	passed := now.Sub(s.from)
	if passed < 0 {
		s.from, passed = now, 0
	}
	return max(s.wait*stretch-passed, 0)
}

func soonest(next time.Duration, planned bool, wait time.Duration) time.Duration {
	if !planned || wait < next {
		return wait
	}
	return next
}

func (p *resource) startIfDue() (left time.Duration, planned bool) {
	if !p.plan.on || p.cancel != nil || p.refused || p.paused && !p.forced {
		return 0, false
	}
	stretch := time.Duration(1)
	if !p.focused && !p.forced && p.status.Err == nil {
		stretch = unfocused
	}
	if left = p.plan.left(p.wall(), stretch); left > 0 {
		return left, true
	}
	p.start()
	return 0, false
}

func (p *resource) start() {
	p.stop()
	p.forced = false
	flight, work := p.flight, p.prepare(p.flight)
	ctx, cancel := context.WithCancel(p.requestContext())
	p.cancel, p.began = cancel, p.wall()
	p.status.Fetching, p.status.Done, p.status.Total = true, 0, 0
	p.publish()
	p.spawn(func() {
		apply, err := work(ctx)
		p.whileRunning(func() { p.finish(flight, apply, err) })
	})
}

func (p *resource) stop() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	p.flight++
	p.status.Fetching = false
}

func (p *resource) finish(flight uint64, apply func(), err error) {
	if flight != p.flight {
		return
	}
	p.stop()
	kind := api.KindOf(err)
	p.log.Debug("poll", "resource", p.name, "took", p.wall().Sub(p.began), "error", err)
	switch {
	case err == nil:
		apply()
		now := p.wall()
		if p.healthy.IsZero() {
			p.healthy = now
		}
		if now.Sub(p.healthy) >= healthyTime {
			p.failures = 0
		}
		p.status = Status{State: Live, At: now}
		p.plan.in(p.every, now)
		p.plan.on = p.more == nil || p.more()
	case kind == api.Unauthorized && !p.optional:
		p.polling.refuse(err)
		return
	case kind == api.Forbidden && !p.optional:
		p.refuse(err)
		return
	default:
		if kind == api.Incomplete && apply != nil {
			apply()
		}
		p.fail(err)
	}
	p.publish()
}

func (p *resource) fail(err error) {
	now := p.wall()
	p.healthy = time.Time{}
	p.failures++
	asked := retryAfter(err)
	wait := api.Backoff(p.failures, asked)
	if asked == 0 && p.optional {
		wait *= optionalSlower
	}
	p.status.Err, p.status.RetryAt, p.status.Asked = err, now.Add(wait), asked > 0
	p.status.State = p.withValue()
	p.plan.in(wait, now)
	p.recall()
}

// retryAfter returns the wait that the service demands, or 0.
func retryAfter(err error) time.Duration {
	if failed, ok := errors.AsType[*api.Error](err); ok {
		return failed.RetryAfter
	}
	return 0
}

func (p *resource) recalled(at time.Time) {
	p.status.At, p.status.Earlier = at, true
	if p.status.State == Loading {
		p.status.State = Stale
	}
	p.publish()
}

func (p *resource) refuse(err error) {
	p.stop()
	p.refused = true
	p.status.State, p.status.Err, p.status.RetryAt, p.status.Asked = Refused, err, time.Time{}, false
	p.publish()
}

func (p *resource) refresh() {
	if !p.plan.on || p.cancel != nil {
		return
	}
	if p.refused {
		p.refused = false
		p.status.State = p.withValue()
	}
	p.forced = true
	now := p.wall()
	p.plan.in(max(refreshGap-max(now.Sub(p.began), 0), 0), now)
}

func (p *resource) withValue() State {
	if p.status.At.IsZero() {
		return Loading
	}
	return Stale
}

func (p *resource) shown() Status { return p.status.pausedIf(p.paused) }
