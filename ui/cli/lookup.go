package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tonne/api"
	"tonne/model"
)

// A look-up of many ids is polite: a few requests at once, and no more than
// so many in a second.
const (
	lookUpWorkers  = 4
	lookUpRate     = 10
	lookUpBurst    = 20
	firstWaitPause = 5 * time.Second
	longestPause   = time.Minute
	hopelessInARow = 3
)

// answer is what became of one id.
type answer struct {
	id         string
	retirement model.Retirement
	err        error
	done       bool
	// seen has a look-up before found the request.
	seen bool
	// certificate is set once it was saved.
	certificate    *api.Certificate
	certificateErr error
}

// lookUp looks up many ids and hands on the answers in order.
type lookUp struct {
	client *api.Client
	// wait has ids looked up again until they are in an end state.
	wait bool
	// finish, which may be nil, does what belongs to a request that was found.
	finish func(context.Context, *answer)
	// emit gets each answer once, in order, one at a time.
	emit func(context.Context, *answer) error
	// tell is told how many answers there are.
	tell func(done, total int)
	// warn is told when a wait meets an outage, and when that is over.
	warn func(format string, args ...any)

	limiter *rate.Limiter
	mu      sync.Mutex
	answers []answer
	count   int
	// emitted is how many answers were handed on.
	emitted int
	// hopeless is what becomes of ids that are not asked for any more; inARow
	// counts the failures that led to it.
	hopeless error
	inARow   int
	// reached has the service answered as the marketplace does.
	reached bool
	// away has an outage been told.
	away   bool
	broken error
}

// run looks up the ids. The error is one of emit, or that ctx ended.
func (l *lookUp) run(ctx context.Context, ids []string) error {
	l.limiter = rate.NewLimiter(lookUpRate, lookUpBurst)
	l.answers = make([]answer, len(ids))
	open := make([]int, len(ids))
	for i, id := range ids {
		l.answers[i].id, open[i] = id, i
	}
	for pause := firstWaitPause; ; pause = min(pause*3/2, longestPause) {
		l.round(ctx, open)
		if l.broken != nil {
			return l.broken
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if open = l.stillOpen(); len(open) == 0 {
			return nil
		}
		if !l.reached {
			return l.neverReached(ctx, open)
		}
		l.tellOutage(open, pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// neverReached ends a wait for a service that was never there: that is a wrong
// address more often than an outage.
func (l *lookUp) neverReached(ctx context.Context, open []int) error {
	for _, i := range open {
		a := l.answers[i]
		a.done = true
		l.keep(ctx, i, a)
	}
	return l.broken
}

// tellOutage tells when the service goes away and when it is back.
func (l *lookUp) tellOutage(open []int, pause time.Duration) {
	var err error
	for _, i := range open {
		if err = l.answers[i].err; err != nil {
			break
		}
	}
	switch {
	case err != nil && !l.away:
		l.warn("%s; trying again in %s", explain(err).what, pause.Round(time.Second))
	case err == nil && l.away:
		l.warn("the service answers again")
	}
	l.away = err != nil
}

// round looks up the ids that are still open, a few at once.
func (l *lookUp) round(ctx context.Context, open []int) {
	next := make(chan int)
	var workers []func() error
	for range min(lookUpWorkers, len(open)) {
		workers = append(workers, alongside(func() error {
			for i := range next {
				l.one(ctx, i)
			}
			return nil
		}))
	}
	l.feed(ctx, next, open)
	for _, wait := range workers {
		_ = wait()
	}
}

func (l *lookUp) feed(ctx context.Context, next chan<- int, open []int) {
	defer close(next)
	for _, i := range open {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}

// one looks up one id and hands on the answers that are complete.
func (l *lookUp) one(ctx context.Context, i int) {
	a := answer{id: l.answers[i].id, seen: l.answers[i].seen}
	if a.err = l.giveUp(); a.err == nil {
		if a.err = l.limiter.Wait(ctx); a.err == nil {
			a.retirement, a.err = l.client.Retirement(ctx, a.id)
			l.judge(a.err)
		}
	}
	if ctx.Err() != nil {
		return
	}
	a.seen = a.seen || a.err == nil
	a.done = !l.wait || l.ends(a)
	if a.done && a.err == nil && l.finish != nil {
		l.finish(ctx, &a)
	}
	l.keep(ctx, i, a)
}

// ends reports whether another look-up would not tell more. What never was a
// request does not become one; one that was seen may be seen again.
func (l *lookUp) ends(a answer) bool {
	switch {
	case a.err == nil:
		return a.retirement.Status.Final()
	case api.KindOf(a.err) == api.NotTheAPI:
		return !a.seen
	}
	return explain(a.err).status != statusUnreachable
}

// notAsked is why an id was not asked for: what befell others.
type notAsked struct{ *failure }

func (n notAsked) Unwrap() error { return n.failure }

// giveUp returns why no more requests are made, or nil.
func (l *lookUp) giveUp() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hopeless
}

// judge learns from an answer whether more requests make sense: not with a
// key that was refused, nor against a service that is down.
func (l *lookUp) judge(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch kind := api.KindOf(err); kind {
	case api.Unauthorized, api.Forbidden:
		l.giveUpFor(err, explain(err).what)
	case api.RateLimited, api.ServerError, api.Unreachable, api.TimedOut:
		l.missed(err, "the service did not answer three times in a row")
	case api.NotTheAPI:
		// A record that cannot be read is the misfortune of its id. Another
		// page may be the wrong address, unless the marketplace was there.
		if errors.Is(err, api.ErrRecord) {
			l.inARow = 0
		} else if !l.reached {
			l.missed(err, "what answers is not the marketplace, three times in a row")
		}
	case api.Cancelled, api.Refused:
	default:
		l.inARow, l.reached = 0, true
		if l.hopeless != nil && explain(l.hopeless).status == statusUnreachable {
			l.hopeless = nil
		}
	}
}

// missed counts an answer that says that the service is not there.
func (l *lookUp) missed(err error, why string) {
	if l.inARow++; l.inARow >= hopelessInARow && !(l.wait && l.reached) {
		l.giveUpFor(err, why)
	}
}

// giveUpFor has the ids that were not asked yet say why, in their own words.
func (l *lookUp) giveUpFor(err error, why string) {
	f := explain(err)
	l.hopeless = notAsked{&failure{what: "not asked: " + why, todo: f.todo, status: f.status}}
}

func (l *lookUp) keep(ctx context.Context, i int, a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[i] = a
	if a.done {
		l.count++
	}
	if l.tell != nil {
		l.tell(l.count, len(l.answers))
	}
	for l.broken == nil && l.emitted < len(l.answers) && l.answers[l.emitted].done {
		l.broken = l.emit(ctx, &l.answers[l.emitted])
		l.emitted++
	}
}

func (l *lookUp) stillOpen() []int {
	var open []int
	for i := range l.answers {
		if !l.answers[i].done {
			open = append(open, i)
		}
	}
	return open
}
