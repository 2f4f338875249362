package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"tonne/api"
	"tonne/api/worker"
	"tonne/model"
)

// A look-up of many ids makes a few requests at once. The client keeps them at
// the pace of the service.
const (
	lookUpWorkers  = 8
	firstWaitPause = 5 * time.Second
	longestPause   = time.Minute
	failuresInARow = 3
)

type lookUpResult struct {
	id         string
	retirement model.Retirement
	// answer is what the service sent, if that is kept.
	answer []byte
	err    error
	done   bool
	// seen says that an earlier look-up found the request.
	seen bool
	// certificate is set once it was saved.
	certificate    *api.Certificate
	certificateErr error
}

func (a *lookUpResult) fetchCertificate(ctx context.Context, client *api.Client, dir string) {
	if a.retirement.CertificateURL == "" {
		return
	}
	saved, err := client.Certificate(ctx, a.retirement.CertificateURL, dir, a.id, nil)
	if a.certificateErr = err; err == nil {
		a.certificate = &saved
	}
}

type lookUp struct {
	client *api.Client
	// wait says that ids are looked up again until they are in an end state.
	wait bool
	// keepAnswers says that answers are kept as the service sent them.
	keepAnswers bool
	// finish, which may be nil, does what belongs to a request that was found.
	finish func(context.Context, *lookUpResult)
	// emit gets each result once, in order, one at a time.
	emit func(context.Context, *lookUpResult) error
	// tell is told how many results there are.
	tell func(done, total int)
	// warn is told when a wait meets an outage, and when that is over.
	warn func(format string, args ...any)

	mu      sync.Mutex
	results []lookUpResult
	count   int
	// emitted is how many results were handed on.
	emitted int
	// stopped is what becomes of ids that are not asked for any more; inARow
	// counts the failures that led to it.
	stopped error
	inARow  int
	// reached says that the service answered as the marketplace does.
	reached bool
	// away says that the person knows of an outage.
	away   bool
	broken error
}

// run looks up the ids. The error is one of emit, or that ctx ended.
func (l *lookUp) run(ctx context.Context, ids []string) error {
	l.results = make([]lookUpResult, len(ids))
	open := make([]int, len(ids))
	for i, id := range ids {
		l.results[i].id, open[i] = id, i
	}
	for pause := firstWaitPause; ; pause = min(pause*3/2, longestPause) {
		worker.Each(ctx, lookUpWorkers, len(open), func(i int) { l.one(ctx, open[i]) })
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
		a := l.results[i]
		a.done = true
		l.keep(ctx, i, a)
	}
	return l.broken
}

func (l *lookUp) tellOutage(open []int, pause time.Duration) {
	var err error
	for _, i := range open {
		if err = l.results[i].err; err != nil {
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

func (l *lookUp) one(ctx context.Context, i int) {
	a := lookUpResult{id: l.results[i].id, seen: l.results[i].seen}
	if a.err = l.whyStopped(); a.err == nil {
		a.retirement, a.answer, a.err = l.ask(ctx, a.id)
		l.judge(a.err)
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

func (l *lookUp) ask(ctx context.Context, id string) (model.Retirement, []byte, error) {
	if l.keepAnswers {
		return l.client.RetirementAnswer(ctx, id)
	}
	r, err := l.client.Retirement(ctx, id)
	return r, nil, err
}

// ends reports whether another look-up would not tell more. What never was a
// request does not become one; one that was seen may be seen again.
func (l *lookUp) ends(a lookUpResult) bool {
	switch {
	case a.err == nil:
		return a.retirement.Status.Final()
	case api.KindOf(a.err) == api.NotTheAPI:
		return !a.seen
	case api.LongWait(a.err):
		return true
	}
	return explain(a.err).status != statusUnreachable
}

// notAsked is why an id was not asked for: what befell others.
type notAsked struct{ *failure }

func (n notAsked) Unwrap() error { return n.failure }

// whyStopped returns why no more requests are made, or nil.
func (l *lookUp) whyStopped() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

// judge learns from a response whether more requests make sense: not with a
// key that was refused, nor against a service that is down.
func (l *lookUp) judge(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch kind := api.KindOf(err); kind {
	case api.Unauthorized, api.Forbidden:
		l.stopAsking(err, explain(err).what)
	case api.RateLimited, api.ServerError, api.Unreachable, api.TimedOut:
		if api.LongWait(err) {
			l.stopAsking(err, explain(err).what)
			return
		}
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
		if l.stopped != nil && explain(l.stopped).status == statusUnreachable {
			l.stopped = nil
		}
	}
}

func (l *lookUp) missed(err error, why string) {
	if l.inARow++; l.inARow >= failuresInARow && !(l.wait && l.reached) {
		l.stopAsking(err, why)
	}
}

func (l *lookUp) stopAsking(err error, why string) {
	f := explain(err)
	l.stopped = notAsked{&failure{what: "not asked: " + why, todo: f.next(), status: f.status}}
}

func (l *lookUp) keep(ctx context.Context, i int, a lookUpResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results[i] = a
	if a.done {
		l.count++
	}
	if l.tell != nil {
		l.tell(l.count, len(l.results))
	}
	for l.broken == nil && l.emitted < len(l.results) && l.results[l.emitted].done {
		l.broken = l.emit(ctx, &l.results[l.emitted])
		l.emitted++
	}
}

func (l *lookUp) stillOpen() []int {
	var open []int
	for i := range l.results {
		if !l.results[i].done {
			open = append(open, i)
		}
	}
	return open
}
