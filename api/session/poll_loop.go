package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tonne/api"
	"tonne/model"
)

// longestNap is how long the loop sleeps at most while something is due: a
// timer stands still while the machine sleeps, the wall clock does not.
const longestNap = 30 * time.Second

// loop owns the state of a running poller. All of it is touched by the goroutine
// of run alone; requests run in goroutines of their own and post their results.
type pollLoop struct {
	*Poller
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup
	err     error

	focused, paused bool
	// refreshed is when everything was last to be polled at once.
	refreshed time.Time

	market       *marketPoll
	inventory    *inventoryPoll
	lastPaid     *lastPaidPoll
	projects     *projectDetails
	retirements  *retirements
	certificates *downloads
	// pages are the pages of the inventory that KeepPage named.
	pages map[api.InventoryQuery]*inventoryPoll
	// recalled says that what an earlier run read was asked for.
	recalled bool
}

func newPollLoop(ctx context.Context, p *Poller) *pollLoop {
	l := &pollLoop{Poller: p, focused: true, pages: make(map[api.InventoryQuery]*inventoryPoll)}
	l.ctx, l.end = context.WithCancel(ctx)
	l.market = newMarketPoll(l)
	l.inventory = newInventoryPoll(l)
	l.lastPaid = newLastPaidPoll(l)
	l.projects = newProjectDetails(l)
	l.retirements = newRetirements(l)
	l.certificates = newDownloads(l)
	return l
}

func (l *pollLoop) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(p)
		}
		l.end()
		l.running.Wait()
		if err == nil {
			err = l.err
		}
	}()
	l.projects.load()
	defer time.AfterFunc(answerSoon, func() { l.mail.Post((*pollLoop).recall) }).Stop()
	// What was asked for before decides what the first requests are.
	l.work()
	nap := time.NewTimer(0)
	defer nap.Stop()
	for l.err == nil {
		select {
		case <-l.ctx.Done():
			return nil
		case <-nap.C:
		case <-l.mail.Some():
			l.work()
		}
		if due, planned := l.startDue(); planned {
			nap.Reset(min(due, longestNap))
		} else {
			nap.Stop()
		}
	}
	return l.err
}

func (l *pollLoop) recall() {
	if l.recalled || l.options.Earlier == nil || l.market.market != nil && !l.lastPaid.status.At.IsZero() {
		return
	}
	l.recalled = true
	l.spawn(func() {
		e := l.options.Earlier(l.ctx)
		l.mail.Post(func(l *pollLoop) {
			if l.market.market == nil && e.Market != nil {
				l.market.market = e.Market
				l.market.recalled(e.MarketAt)
			}
			if p := l.lastPaid; p.status.At.IsZero() && p.book == nil && e.Inventory != nil {
				p.show(model.NewPositions(e.Inventory, e.Inventory), false)
				p.prices, p.balances = p.book.LastPaid(), e.Inventory.Balances()
				p.recalled(e.InventoryAt)
			}
		})
	})
}

func (l *pollLoop) work() {
	for _, post := range l.mail.Take() {
		post(l)
	}
}

// PanicError is a panic in a goroutine that works for the screen.
type PanicError struct {
	// Value is what the panic said, in one line.
	Value string
	// Stack is where it happened.
	Stack string
}

// Error returns what the panic said.
func (e *PanicError) Error() string { return "the session broke: " + e.Value }

// Recovered returns the error for what recover returned.
func Recovered(p any) *PanicError {
	value, stack, _ := strings.Cut(fmt.Sprint(p), "\n")
	return &PanicError{value, stack + string(debug.Stack())}
}

func (l *pollLoop) spawn(f func()) {
	l.running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				err := Recovered(p)
				l.mail.Post(func(l *pollLoop) { l.err = err })
			}
		}()
		f()
	})
}

func (l *pollLoop) resources() []*resource {
	all := make([]*resource, 0, 4+len(l.pages))
	all = append(all, &l.market.resource, &l.inventory.resource, &l.lastPaid.resource, &l.projects.resource)
	for _, page := range l.pages {
		all = append(all, &page.resource)
	}
	return all
}

func (l *pollLoop) startDue() (next time.Duration, planned bool) {
	for _, p := range l.resources() {
		if wait, due := p.startIfDue(); due {
			next, planned = soonest(next, planned, wait), true
		}
	}
	if wait, due := l.retirements.startDue(); due {
		next, planned = soonest(next, planned, wait), true
	}
	return next, planned
}

func soonest(next time.Duration, planned bool, wait time.Duration) time.Duration {
	if !planned || wait < next {
		return wait
	}
	return next
}

func (l *pollLoop) requests() context.Context { return api.Refreshed(l.ctx, l.refreshed) }

func (l *pollLoop) refresh() {
	l.refreshed = time.Now()
	for _, p := range l.resources() {
		p.refresh()
	}
	l.retirements.refresh()
}

func (l *pollLoop) pause(paused bool) {
	if l.paused == paused {
		return
	}
	l.paused = paused
	for _, p := range l.resources() {
		p.publish()
	}
}

func (l *pollLoop) refuse(err error) {
	for _, p := range l.resources() {
		p.refuse(err)
	}
	l.retirements.refused = true
}
