package session

import (
	"context"
	"errors"
	"sync"
	"time"
)

// longestNap is how long the loop sleeps at most while something is due: timers stop while
// the machine sleeps, the wall clock does not.
const longestNap = 30 * time.Second

// loop owns the state of a running session. Only the goroutine of run uses it. Blocking work
// runs in other goroutines, which post the results. Each part has what it needs from env, and
// the few functions of other parts that newLoop gives it.
type loop struct {
	*env
	config  config
	mail    *mailbox[func(*loop)]
	end     context.CancelFunc
	running sync.WaitGroup
	err     error

	// source is polls, or the source of a session without polls, for which polls is nil.
	source       source
	polls        *polls
	writer       *writer
	snapshots    *snapshots
	recorder     *recorder
	portfolio    *portfolioTracker
	watch        *watchlist
	alerts       *alerts
	prices       *prices
	ledger       *ledger
	lookUps      *lookUps
	certificates *certificates
	annotations  *annotations
	choices      *choices
	// troubled and lost report that the store was reported as such.
	troubled, lost bool
}

// newLoop makes the parts and connects them.
func newLoop(ctx context.Context, c config, mail *mailbox[func(*loop)]) *loop {
	l := &loop{config: c, mail: mail, source: c.source}
	ctx, l.end = context.WithCancel(ctx)
	l.writer = newWriter(ctx)
	e := &env{ctx: ctx, now: c.Now, log: c.Log, emit: l.emit, spawn: l.spawn, queue: l.queue}
	e.post = func(f func()) { mail.post(func(*loop) { f() }) }
	l.env = e
	l.snapshots = &snapshots{env: e, kept: c.account.Cache, key: c.KeyMark}
	if l.source == nil {
		l.polls = newPolls(e, c, l.snapshots, l.tell, l.refuse)
		l.source = l.polls
	}
	l.portfolio = &portfolioTracker{env: e, on: c.Portfolio, kept: c.account.History}
	l.prices = &prices{env: e, kept: c.market.History}
	l.choices = &choices{env: e, kept: c.memory.Cache}
	l.connectRules(rules{ctx, c.memory.Alerts})
	l.connectRequests()
	return l
}

func (l *loop) connectRules(r rules) {
	l.watch = &watchlist{env: l.env, rules: r}
	l.alerts = &alerts{env: l.env, rules: r}
	l.recorder = &recorder{
		env: l.env, watch: l.watch, alerts: l.alerts, again: l.prices.again,
		stores: stores{history: l.config.market.History, rules: r, unchecked: l.config.host, limiter: l.config.limiter},
	}
}

func (l *loop) connectRequests() {
	c := l.config
	l.ledger = &ledger{
		env: l.env, kept: c.memory.Ledger, version: c.Store.Version, journaled: c.Journal != nil,
		checkRules: l.alerts.checkRequests,
	}
	l.lookUps = &lookUps{
		env: l.env, ledger: l.ledger,
		fetch: l.source.retirement, wantProject: l.source.wantProject, unauthorized: l.refuse,
	}
	l.annotations = &annotations{env: l.env, kept: c.memory.Annotations, journal: c.Journal, ledger: l.ledger}
	l.certificates = &certificates{env: l.env, client: c.client, ledger: l.ledger, busy: make(map[string]bool)}
	l.ledger.checkFiles = l.certificates.checkLater
}

func (l *loop) run() error {
	go l.writer.run()
	reread, nap := time.NewTicker(rereadEvery), time.NewTimer(0)
	defer reread.Stop()
	defer nap.Stop()
	l.guard(l.begin)
	ended := l.source.ended()
	for l.err == nil && l.ctx.Err() == nil {
		select {
		case <-l.ctx.Done():
		case <-ended:
			l.err, ended = l.source.cause(), nil
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
	l.source.begin()
	if l.polls != nil {
		l.portfolio.load()
		l.work()
	}
}

func (l *loop) reread() {
	read(l.env, l.config.Store.Version, func(version int64, err error) {
		g := l.ledger
		g.reading.due = g.reading.due || err != nil || g.unread || version != g.read
	})
	if l.recorder.on {
		l.choices.reread()
	}
	l.alerts.checkRequests()
	l.annotations.due = true
	l.annotations.settle()
}

func (l *loop) poll(nap *time.Timer) {
	if l.ctx.Err() != nil {
		return
	}
	next, planned := l.lookUps.startDue()
	if wait, due := l.source.startDue(); due {
		next, planned = soonest(next, planned, wait), true
	}
	if planned {
		nap.Reset(min(next, longestNap))
	} else {
		nap.Stop()
	}
}

func (l *loop) close() error {
	l.end()
	l.source.end()
	l.running.Wait()
	l.guard(l.work)
	l.guard(func() { l.snapshots.save(l.portfolio.market, l.portfolio.book, true) })
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
	l.snapshots.save(l.portfolio.market, l.portfolio.book, false)
	l.prices.settle()
	l.ledger.settle()
	l.annotations.settle()
	if l.alerts.checking && !l.recorder.due && !l.recorder.busy && !l.ledger.writing {
		l.alerts.tellHolding()
	}
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
				l.post(func() { l.err = err })
			}
		}()
		f()
	})
}

func (l *loop) queue(j job) {
	then := j.then
	j.then = func(err error) {
		l.post(func() {
			then(err)
			l.afterJob(err)
		})
	}
	l.writer.jobs.post(j)
}

func (l *loop) afterJob(err error) {
	if broke, ok := errors.AsType[*PanicError](err); ok {
		l.err = broke
	}
	if err != nil && l.ctx.Err() == nil {
		l.log.Warn("the store failed", "error", err)
	}
	if problem := l.config.Store.Problem(); problem != nil && !l.troubled {
		l.troubled = true
		l.emit(StoreEvent{Problem: problem})
	}
	if lost := l.config.Store.Lost(); lost != nil && !l.lost {
		l.lost = true
		l.emit(StoreEvent{Lost: lost})
	}
}

// refuse ends all requests, because the service rejected the key.
func (l *loop) refuse(err error) {
	l.source.refuse(err)
	l.lookUps.refused = true
}

// tell posts an event of the source.
func (l *loop) tell(e Event) { l.mail.post(func(l *loop) { l.receive(e) }) }

// receive passes an event of the source to the parts and to the readers.
func (l *loop) receive(e Event) {
	switch e := e.(type) {
	case MarketEvent:
		l.recorder.market(e)
	case PortfolioEvent:
		l.recorder.portfolio(e)
	case ProjectsEvent:
		if len(e.Fetched) > 0 && l.polls != nil {
			l.write(func(ctx context.Context) error {
				return l.config.market.Cache.PutProjects(ctx, e.Fetched, l.now())
			}, func(error) {})
		}
	case TrendsEvent:
		l.prices.again()
	}
	l.emit(e)
}

// emit sends an event to the readers. The value of the portfolio follows from some of them.
func (l *loop) emit(e Event) {
	l.config.out.put(e)
	l.portfolio.receive(e)
}
