package session

import (
	"context"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/store"
)

// TrendTime is how far trends reach back, TrendPoints how many prices they
// have.
const (
	TrendTime   = 24 * time.Hour
	TrendPoints = 8
)

// trendsAge is how old trends become while no best ask moves.
const trendsAge = time.Minute

// Record starts to remember the prices of each complete market, to report trends and
// to check the rules of the store, until the session ends. More calls change nothing.
func (s *Session) Record() {
	s.post(func(l *loop) { l.recorder.begin() })
}

type recorder struct {
	l  *loop
	on bool
	// newest is the newest complete market, paid what was last paid.
	newest MarketEvent
	paid   LastPaidEvent
	// seen is when the market was seen last, before when the one that newest took
	// the place of was.
	seen, before time.Time
	// due says that there is something to record or to hold rules against,
	// busy that the store is at it.
	due, busy bool
	// recorded is the last market that the store has, as of trendsAt the
	// trends were read.
	recorded *model.Market
	trendsAt time.Time
	// read is what the list was read of last; nil before that.
	read *edition
}

// edition is a state of the rules and of what fired: how often a person changed
// them here, and the version of the store, which tells what others changed.
type edition struct {
	edits   int
	version int64
}

func (r *recorder) begin() {
	if r.on {
		return
	}
	r.on = true
	r.l.watch.read()
	r.l.alerts.read()
	r.l.readChoices()
}

func (r *recorder) market(e MarketEvent) {
	if e.Market == nil || e.Partial {
		return
	}
	if e.Market != r.newest.Market {
		r.before = r.seen
	}
	r.seen = e.At
	unrecorded := e.Market != r.recorded && e.At.After(r.newest.At)
	if e.Market != r.newest.Market || unrecorded || e.At.Sub(r.trendsAt).Abs() >= trendsAge {
		r.newest, r.due = e, true
	}
}

func (r *recorder) lastPaid(e LastPaidEvent) {
	if !e.Earlier && !e.At.Equal(r.paid.At) {
		r.paid, r.due = e, true
	}
}

func (r *recorder) settle() {
	if !r.on || !r.due || r.busy || r.newest.Market == nil || r.l.ctx.Err() != nil {
		return
	}
	r.due, r.busy = false, true
	s := &survey{
		recorder: *r, edits: r.l.watch.edits, told: r.l.alerts.told,
		rules: slices.ContainsFunc(r.l.watch.list.Alerts, func(a store.Alert) bool { return !a.Rule.OnRequests() }),
	}
	r.l.write(s.make, func(err error) {
		r.busy = false
		r.take(s, err)
	})
}

func (r *recorder) take(s *survey, err error) {
	if s.observed {
		r.recorded = s.newest.Market
		if r.l.subscriber == nil {
			r.l.prices.again()
		}
	}
	if s.observed && s.missed != nil {
		r.l.out.put(*s.missed)
	}
	if s.trends != nil {
		r.trendsAt = s.newest.At
		r.l.out.put(*s.trends)
		r.l.portfolio.receive(*s.trends)
	}
	r.l.alerts.take(s.fired)
	if r.l.subscriber != nil {
		r.trendsAt = s.newest.At
	}
	if err == nil && s.list != nil && r.l.ctx.Err() == nil {
		r.read = s.read
		r.l.watch.take(*s.list, s.edits)
	}
}

type survey struct {
	// recorder is as it was when the survey began, except read.
	recorder
	// edits is how often the watch list had been edited, told the entry of the history
	// up to which all were told, and rules says that there are some on vintages.
	edits int
	told  int64
	rules bool

	observed bool
	fired    []store.Fired
	list     *Watchlist
	trends   *TrendsEvent
	missed   *MissedMovesEvent
}

func (s *survey) make(ctx context.Context) error {
	if s.l.subscriber != nil {
		// The shared session records.
		s.observed = s.recorded != s.newest.Market
		defer s.l.limiter.Take(ctx, 0)()
		return s.check(ctx)
	}
	st, origin, at := s.l.market, s.l.origin, s.newest.At
	moved := askMoved(s.recorded, s.newest.Market)
	if err := s.record(ctx, st, origin, at); err != nil {
		return err
	}
	if s.l.ctx.Err() != nil {
		// A rule that began to hold now would be told to nobody.
		return nil
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	if moved || at.Sub(s.trendsAt).Abs() >= trendsAge {
		trends, err := Trends(ctx, st, origin, at)
		if err != nil {
			return err
		}
		s.trends = &trends
	}
	return nil
}

func (s *survey) record(ctx context.Context, st *store.Store, origin string, at time.Time) error {
	switch {
	case s.newest.Earlier:
		return nil
	case s.recorded == s.newest.Market:
		return st.Saw(ctx, origin, at)
	case s.recorded == nil:
		if err := s.findMissed(ctx, st, origin, at); err != nil {
			return err
		}
	case at.Sub(s.before) > store.Unwatched:
		if err := st.Saw(ctx, origin, s.before); err != nil {
			return err
		}
	}
	if err := st.Observe(ctx, origin, store.Observations(s.newest.Market, at)); err != nil {
		return err
	}
	s.observed = true
	return nil
}

// Trends reads from a store how the prices of a service moved up to a moment.
// The error is one of the store.
func Trends(ctx context.Context, st *store.Store, origin string, at time.Time) (TrendsEvent, error) {
	e := TrendsEvent{At: at}
	var err error
	if e.Prices, err = st.Trends(ctx, origin, at.Add(-TrendTime), at, TrendPoints); err != nil {
		return e, err
	}
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	e.Opened, e.Since, err = st.AsksAt(ctx, origin, day)
	return e, err
}

// check finds the rules that fire, and the list as it is then. Without a
// rule, and with a store that is unchanged, there is nothing to find: most people in a
// shared session have no rules, and a market reaches all of them at once.
func (s *survey) check(ctx context.Context) error {
	if s.l.host || s.newest.Earlier {
		return nil
	}
	version, err := s.l.store.Version(ctx)
	if err != nil {
		return err
	}
	now := edition{s.edits, version}
	if !s.rules && s.read != nil && *s.read == now {
		return nil
	}
	s.read = &now
	facts := func(key model.VintageKey) model.Facts { return s.newest.Market.Facts(key, s.paid.Prices) }
	if s.fired, err = s.l.check(ctx, s.newest.At, facts, s.told); err != nil {
		return err
	}
	list, err := s.l.readWatchlist(ctx)
	s.list = &list
	return err
}

// askMoved reports whether the best ask of a vintage is another one, or that
// cannot be told at a glance: the vintages differ.
func askMoved(was, now *model.Market) bool {
	if was == now {
		return false
	}
	if was == nil || was.Vintages() != now.Vintages() {
		return true
	}
	for i := range now.Vintages() {
		if was.Vintage(i).BestAsk != now.Vintage(i).BestAsk || was.Key(i) != now.Key(i) {
			return true
		}
	}
	return false
}
