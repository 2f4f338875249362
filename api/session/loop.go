package session

import (
	"context"
	"sync"
	"time"
)

// loop owns the state of a running session. All of it is touched by the
// goroutine of run alone; whatever waits does so elsewhere and posts what
// comes of it.
type loop struct {
	*Session
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup
	err     error

	writer       *writer
	recorder     *recorder
	book         *portfolioTracker
	watch        *watchlist
	alerts       *alerts
	prices       *prices
	ledger       *ledger
	certificates *certificates
	told         *told
	// troubled says that the store's problem was told.
	troubled bool
	// lost says that the loss of the store's content was told.
	lost bool
}

func newLoop(ctx context.Context, s *Session) *loop {
	l := &loop{Session: s}
	l.ctx, l.end = context.WithCancel(ctx)
	l.writer = newWriter(l.ctx)
	l.recorder = &recorder{l: l}
	l.book = &portfolioTracker{l: l}
	l.watch = &watchlist{l: l}
	l.alerts = &alerts{l: l}
	l.prices = &prices{l: l}
	l.ledger = &ledger{l: l}
	l.told = &told{l: l}
	l.certificates = &certificates{l: l, copies: make(map[string]string)}
	return l
}

func (l *loop) run() error {
	l.spawn(func() {
		if err := l.poller.Run(l.ctx); err != nil {
			l.mail.Post(func(l *loop) { l.err = err })
		}
	})
	go l.writer.run()
	l.guard(l.told.read)
	reread := time.NewTicker(rereadEvery)
	defer reread.Stop()
	for l.err == nil && l.ctx.Err() == nil {
		select {
		case <-l.ctx.Done():
		case <-reread.C:
			l.guard(l.ledger.reread)
			l.guard(l.told.read)
			l.guard(l.holdRequests)
		case <-l.mail.Some():
			l.guard(l.work)
		}
	}
	return l.close()
}

func (l *loop) close() error {
	l.end()
	l.running.Wait()
	l.guard(l.work)
	for id, dir := range l.certificates.copies {
		l.certificates.drop(id, dir)
	}
	l.running.Wait()
	l.guard(func() { l.book.keepListings(true) })
	err := l.writer.close()
	l.guard(l.work)
	l.running.Wait()
	if l.err != nil {
		return l.err
	}
	return err
}

func (l *loop) work() {
	for _, post := range l.mail.Take() {
		post(l)
	}
	l.recorder.settle()
	l.book.settle()
	l.book.keepListings(false)
	l.prices.settle()
	l.ledger.settle()
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
				l.mail.Post(func(l *loop) { l.err = err })
			}
		}()
		f()
	})
}

// receive takes news of the poller.
func (l *loop) receive(e Event) {
	switch e := e.(type) {
	case MarketEvent:
		l.recorder.market(e)
	case LastPaidEvent:
		l.recorder.lastPaid(e)
	case ProjectsEvent:
		l.keepProjects(e.Fetched)
	case RetirementEvent:
		if l.ledger.answered(e) {
			return
		}
	case TrendsEvent:
		l.prices.again()
	case CertificateEvent:
		if !l.certificates.arrived(e) {
			return
		}
	}
	l.out.Put(e)
	l.book.receive(e)
}
