package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tonne/api"
	"tonne/model/retirement"
)

// loop owns the state of a running session. Only the goroutine of run uses it. Blocking work
// runs in other goroutines, which post the results.
type loop struct {
	*Session
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup
	err     error

	// source is polls, or the subscriber of a session without polls.
	source       source
	polls        *polls
	writer       *writer
	recorder     *recorder
	portfolio    *portfolioTracker
	watch        *watchlist
	alerts       *alerts
	prices       *prices
	ledger       *ledger
	lookUps      *lookUps
	certificates *certificates
	annotations  *annotations
	// choices are the last choices of the user that were sent, nil before.
	choices  map[string]string
	troubled bool
	lost     bool
	// refreshed is the time of the last Refresh.
	refreshed time.Time
}

// source is the origin of the events of a session: its own polls or a shared session.
type source interface {
	showInventory(q api.InventoryQuery)
	hideInventory()
	showProjects(ids []string)
	refresh()
	pause(paused bool)
	focus(focused bool)
	// retirement fetches a retirement request. It is called from any goroutine.
	retirement(ctx context.Context, id string) (retirement.Request, error)
	wantProject(id string)
}

func newLoop(ctx context.Context, s *Session) *loop {
	l := &loop{Session: s}
	l.ctx, l.end = context.WithCancel(ctx)
	if s.subscriber != nil {
		l.source = s.subscriber
	} else {
		l.polls = newPolls(l)
		l.source = l.polls
	}
	l.writer = newWriter(l.ctx)
	l.recorder = &recorder{l: l}
	l.portfolio = &portfolioTracker{l: l}
	l.watch = &watchlist{l: l}
	l.alerts = &alerts{l: l}
	l.prices = &prices{l: l}
	l.ledger = &ledger{l: l}
	l.lookUps = &lookUps{l: l}
	l.annotations = &annotations{l: l}
	l.certificates = &certificates{l: l, busy: make(map[string]bool)}
	return l
}

func (l *loop) run() error {
	go l.writer.run()
	reread, nap := time.NewTicker(rereadEvery), time.NewTimer(0)
	defer reread.Stop()
	defer nap.Stop()
	var sharedEnded <-chan struct{}
	if l.subscriber != nil {
		sharedEnded = l.subscriber.shared.ended
	} else {
		defer time.AfterFunc(answerSoon, func() { l.post(func(l *loop) { l.polls.recall() }) }).Stop()
	}
	l.guard(l.begin)
	for l.err == nil && l.ctx.Err() == nil {
		select {
		case <-l.ctx.Done():
		case <-sharedEnded:
			l.err, sharedEnded = l.subscriber.shared.err, nil
		case <-reread.C:
			l.guard(l.reread)
		case <-nap.C:
			l.guard(func() { l.poll(nap) })
		case <-l.mail.some:
			l.guard(l.work)
			l.guard(func() { l.poll(nap) })
		}
	}
	return l.close()
}

func (l *loop) begin() {
	l.annotations.due = true
	if l.subscriber != nil {
		l.subscriber.shared.subscribe(l.subscriber)
		return
	}
	l.polls.projects.load()
	if l.options.Portfolio {
		l.portfolio.busy = true
		read(l, l.portfolio.history, l.portfolio.tell)
	}
	l.work()
}

func (l *loop) reread() {
	read(l, l.store.Version, func(version int64, err error) {
		g := l.ledger
		g.reading.due = g.reading.due || err != nil || g.unread || version != g.version
	})
	if l.recorder.on {
		l.readChoices()
	}
	l.checkRequests()
	l.annotations.due = true
	l.annotations.settle()
}

func (l *loop) poll(nap *time.Timer) {
	if l.ctx.Err() != nil {
		return
	}
	next, planned := l.lookUps.startDue()
	if l.polls != nil {
		if wait, due := l.polls.startDue(); due {
			next, planned = soonest(next, planned, wait), true
		}
	}
	if planned {
		nap.Reset(min(next, longestNap))
	} else {
		nap.Stop()
	}
}

func (l *loop) close() error {
	l.end()
	if l.subscriber != nil {
		l.subscriber.shared.unsubscribe(l.subscriber)
	}
	l.running.Wait()
	l.guard(l.work)
	l.guard(func() { l.portfolio.keepListings(true) })
	err := l.writer.close()
	l.guard(l.work)
	l.running.Wait()
	if l.err != nil {
		return l.err
	}
	return err
}

func (l *loop) work() {
	for _, post := range l.mail.take() {
		post(l)
	}
	l.recorder.settle()
	l.portfolio.settle()
	l.portfolio.keepListings(false)
	l.prices.settle()
	l.ledger.settle()
	l.annotations.settle()
	l.alerts.settle()
}

// PanicError is a panic in a goroutine of a session or a screen.
type PanicError struct {
	// Value is the value of the panic, on one line.
	Value string
	// Stack is its stack trace.
	Stack string
}

// Error returns the value of the panic.
func (e *PanicError) Error() string { return "the session broke: " + e.Value }

// Recovered returns an error for a value of recover.
func Recovered(p any) *PanicError {
	value, stack, _ := strings.Cut(fmt.Sprint(p), "\n")
	return &PanicError{value, stack + string(debug.Stack())}
}

func (l *loop) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			l.err = Recovered(p)
		}
	}()
	f()
}

func (l *loop) spawn(f func()) {
	l.running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				err := Recovered(p)
				l.post(func(l *loop) { l.err = err })
			}
		}()
		f()
	})
}

func (l *loop) requests() context.Context { return api.Refreshed(l.ctx, l.refreshed) }

func (l *loop) wall() time.Time { return l.now().Round(0) }

func (l *loop) receive(e Event) {
	switch e := e.(type) {
	case MarketEvent:
		l.recorder.market(e)
	case PortfolioEvent:
		l.recorder.portfolio(e)
	case ProjectsEvent:
		if len(e.Fetched) > 0 && l.subscriber == nil {
			l.write(func(ctx context.Context) error { return l.market.Cache.PutProjects(ctx, e.Fetched, l.now()) }, func(error) {})
		}
	case TrendsEvent:
		l.prices.again()
	}
	l.out.put(e)
	l.portfolio.receive(e)
}
