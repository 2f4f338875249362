package audit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"tonne/api"
	"tonne/api/worker"
	"tonne/model/retirement"
)

const (
	lookUpWorkers  = 8
	firstWaitPause = 5 * time.Second
	longestPause   = time.Minute
	failuresInARow = 3
)

// Answer is the result of the look-up of one request.
type Answer struct {
	ID         string
	Retirement retirement.Request
	// Body is the raw response, or nil if it was not kept.
	Body []byte
	// Err is the error of the look-up.
	Err error
	// Certificate was saved with the answer; CertificateErr is set if that failed. Both
	// are nil if the certificate was not requested.
	Certificate    *retirement.Certificate
	CertificateErr error
	// Waiting means that the request was not in an end state when the wait ended.
	Waiting bool
}

// Passes reports whether the look-up or the certificate may succeed in another run.
func (a Answer) Passes() bool {
	for _, err := range [...]error{a.Err, a.CertificateErr} {
		switch api.KindOf(err) {
		case api.RateLimited, api.ServerError, api.Unreachable, api.TimedOut, api.Cancelled:
			return true
		}
	}
	return false
}

// NotAskedError is returned for an id that was not looked up because the look-ups of
// other ids failed.
type NotAskedError struct {
	// Cause is the last of those errors, and Why explains it.
	Cause error
	Why   string
}

// Error says why the request was not looked up.
func (e *NotAskedError) Error() string { return "not requested: " + e.Why }

// Unwrap returns the cause.
func (e *NotAskedError) Unwrap() error { return e.Cause }

// LookUp has the options of Auditor.LookUp. The zero value looks up each request once.
type LookUp struct {
	// Wait repeats the look-up until each request is in an end state, or this time has passed. 0 does
	// not wait.
	Wait time.Duration
	// Waiting is called when a wait begins, and when what it waits for changes. It may be nil.
	Waiting func(WaitState)
	// KeepBodies keeps the responses.
	KeepBodies bool
	// Certificates is the directory in which certificates are saved; empty saves none.
	Certificates string
	// Fetched has certificates that are not fetched again. It may be nil.
	Fetched *Fetched
	// Emit is called once for each answer, in the order of the ids and never concurrently.
	// It may be nil.
	Emit func(context.Context, Answer) error
	// Progress is called with the number of answers so far. It may be nil.
	Progress func(done, total int)
	// Warn is called when an outage begins or ends during a wait.
	Warn func(format string, args ...any)
}

// WaitState is what a look-up waits for.
type WaitState struct {
	// Open of Total requests are not in an end state.
	Open, Total int
	// Statuses counts the open requests by state. Those that could not be looked up have none.
	Statuses map[retirement.Status]int
	// Left is how long the look-up still waits.
	Left time.Duration
}

type lookUp struct {
	LookUp
	auditor *Auditor

	mu      sync.Mutex
	answers []Answer
	// done marks final answers, seen requests that an earlier look-up has found.
	done, seen     []bool
	count, emitted int
	// stopped is set if no more ids are looked up; inARow counts consecutive failures.
	stopped *NotAskedError
	inARow  int
	// reached is set once the marketplace has answered, away while an outage has been reported.
	reached, away bool
	broken        error
	// waits are the states of the last call of Waiting.
	waits map[retirement.Status]int
}

// LookUp returns an answer for each id. The error is from Emit or ctx.
func (a *Auditor) LookUp(ctx context.Context, how LookUp, ids []string) ([]Answer, error) {
	l := &lookUp{
		LookUp: how, auditor: a, answers: make([]Answer, len(ids)), done: make([]bool, len(ids)),
		seen: make([]bool, len(ids)),
	}
	for i, id := range ids {
		l.answers[i].ID = id
	}
	return l.answers, l.run(ctx)
}

func (l *lookUp) run(ctx context.Context) error {
	deadline := time.Now().Add(l.Wait)
	for pause := firstWaitPause; ; pause = min(pause*3/2, longestPause) {
		open := l.open()
		worker.Each(ctx, lookUpWorkers, len(open), func(i int) { l.one(ctx, open[i]) })
		if l.broken != nil {
			return l.broken
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if open = l.open(); len(open) == 0 {
			return nil
		}
		left := time.Until(deadline)
		// A service that never answered is more likely a wrong address than an outage.
		if !l.reached || left <= 0 {
			return l.abandon(ctx, open)
		}
		pause = min(pause, left)
		l.tellOutage(open, pause)
		l.tellWaiting(open, left)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// abandon keeps the last answers.
func (l *lookUp) abandon(ctx context.Context, open []int) error {
	for _, i := range open {
		a := l.answers[i]
		a.Waiting = a.Err == nil
		l.keep(ctx, i, a, true)
	}
	return l.broken
}

func (l *lookUp) tellWaiting(open []int, left time.Duration) {
	statuses := make(map[retirement.Status]int)
	for _, i := range open {
		if a := l.answers[i]; a.Err == nil {
			statuses[a.Retirement.Status]++
		}
	}
	if l.Waiting != nil && (l.waits == nil || !maps.Equal(l.waits, statuses)) {
		l.Waiting(WaitState{len(open), len(l.answers), statuses, left})
	}
	l.waits = statuses
}

func (l *lookUp) open() (open []int) {
	for i, done := range l.done {
		if !done {
			open = append(open, i)
		}
	}
	return open
}

func (l *lookUp) tellOutage(open []int, pause time.Duration) {
	failed := slices.IndexFunc(open, func(i int) bool { return l.answers[i].Err != nil })
	switch {
	case failed >= 0 && !l.away:
		l.Warn("%s; trying again in %s", l.auditor.explain(l.answers[open[failed]].Err), pause.Round(time.Second))
	case failed < 0 && l.away:
		l.Warn("the service is reachable again")
	}
	l.away = failed >= 0
}

func (l *lookUp) one(ctx context.Context, i int) {
	a := Answer{ID: l.answers[i].ID}
	l.mu.Lock()
	stopped := l.stopped
	l.mu.Unlock()
	if stopped != nil {
		a.Err = stopped
	} else {
		a.Retirement, a.Body, a.Err = l.auditor.Client.RetirementAnswer(ctx, a.ID)
		if !l.KeepBodies {
			a.Body = nil
		}
		l.judge(a.Err)
	}
	if ctx.Err() != nil {
		return
	}
	done := l.Wait <= 0 || l.ends(a, l.seen[i])
	if done && a.Err == nil && l.Certificates != "" && a.Retirement.CertificateURL != "" {
		a.Certificate, a.CertificateErr = l.certificate(ctx, a.ID, a.Retirement.CertificateURL)
	}
	l.keep(ctx, i, a, done)
}

func (l *lookUp) certificate(ctx context.Context, id, url string) (*retirement.Certificate, error) {
	if fetched, ok := l.Fetched.find(id, url); ok {
		return fetched, nil
	}
	saved, err := l.auditor.Client.Certificate(ctx, url, l.Certificates, id, nil)
	if err != nil {
		return nil, err
	}
	return &saved, l.Fetched.add(id, url, saved)
}

// ends reports whether the answer is final. An id that was never found will not be found
// later, but a request that was found may be found again.
func (l *lookUp) ends(a Answer, seen bool) bool {
	switch {
	case a.Err == nil:
		return a.Retirement.Status.Final()
	case api.KindOf(a.Err) == api.NotTheAPI:
		return !seen
	case api.LongWait(a.Err):
		return true
	}
	return !unavailable(a.Err)
}

func unavailable(err error) bool {
	switch api.KindOf(err) {
	case api.RateLimited, api.ServerError, api.NotTheAPI, api.Unreachable, api.TimedOut:
		return true
	}
	return false
}

// judge stops the look-ups if the key was rejected or the service is down.
func (l *lookUp) judge(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch kind := api.KindOf(err); kind {
	case api.Unauthorized, api.Forbidden:
		l.stopped = &NotAskedError{err, l.auditor.explain(err)}
	case api.RateLimited, api.ServerError, api.Unreachable, api.TimedOut:
		if api.LongWait(err) {
			l.stopped = &NotAskedError{err, l.auditor.explain(err)}
			return
		}
		l.missed(err, "the service did not answer three times in a row")
	case api.NotTheAPI:
		// An unreadable record concerns only its id. Any other page means a wrong address,
		// unless the marketplace has answered before.
		if errors.Is(err, api.ErrRecord) {
			l.inARow = 0
		} else if !l.reached {
			l.missed(err, "the response is not from the marketplace, three times in a row")
		}
	case api.Cancelled, api.Refused:
	default:
		l.inARow, l.reached = 0, true
		if l.stopped != nil && unavailable(l.stopped.Cause) {
			l.stopped = nil
		}
	}
}

func (l *lookUp) missed(err error, why string) {
	if l.inARow++; l.inARow >= failuresInARow && !(l.Wait > 0 && l.reached) {
		l.stopped = &NotAskedError{err, why}
	}
}

func (l *lookUp) keep(ctx context.Context, i int, a Answer, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[i], l.done[i], l.seen[i] = a, done, l.seen[i] || a.Err == nil
	if done {
		l.count++
	}
	if l.Progress != nil {
		l.Progress(l.count, len(l.answers))
	}
	for ; l.Emit != nil && l.broken == nil && l.emitted < len(l.answers) && l.done[l.emitted]; l.emitted++ {
		l.broken = l.Emit(ctx, l.answers[l.emitted])
	}
}
