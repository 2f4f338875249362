package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/store"
)

// TrendTime is the period of trends, and TrendPoints their number of prices.
const (
	TrendTime   = 24 * time.Hour
	TrendPoints = 8
)

// trendsAge is the maximum age of trends while no best ask changes.
const trendsAge = time.Minute

// Record starts recording the prices of each complete market, reporting trends and checking
// the rules of the store, until the session ends. Further calls have no effect.
func (s *Session) Record() {
	s.post(func(l *loop) {
		if l.recorder.on {
			return
		}
		l.recorder.on = true
		l.watch.read()
		read(l, func(ctx context.Context) ([]store.Alert, error) { return l.memory.Alerts.After(ctx, 0) }, func(history []store.Alert, err error) {
			if err == nil {
				l.alerts.add(history)
				l.alerts.show()
			}
		})
		l.readChoices()
	})
}

// readChoices sends the choices of the user if they differ from the last ones. Another program may change them.
func (l *loop) readChoices() {
	read(l, l.memory.Cache.Choices, func(choices map[string]string, err error) {
		if err == nil && (l.choices == nil || !maps.Equal(choices, l.choices)) {
			l.choices = choices
			l.out.put(ChoicesEvent{choices})
		}
	})
}

type recorder struct {
	l  *loop
	on bool
	// newest is the newest complete market. paid has the last paid prices.
	newest MarketEvent
	paid   PortfolioEvent
	// seen is when the market was last seen, before when the previous one was.
	seen, before time.Time
	// due reports that there are prices to record or rules to check, and busy that the store
	// is at work.
	due, busy bool
	// recorded is the last market in the store; trendsAt is the time of the trends.
	recorded *market.Market
	trendsAt time.Time
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

func (r *recorder) portfolio(e PortfolioEvent) {
	if !e.Earlier && !e.At.Equal(r.paid.At) {
		r.paid, r.due = e, true
	}
}

func (r *recorder) settle() {
	if !r.on || !r.due || r.busy || r.newest.Market == nil || r.l.ctx.Err() != nil {
		return
	}
	r.due, r.busy = false, true
	s := &survey{recorder: *r, edits: r.l.watch.edits, lastSent: r.l.alerts.lastSent}
	r.l.write(s.make, func(err error) {
		r.busy = false
		r.take(s, err)
	})
}

func (r *recorder) take(s *survey, err error) {
	if s.trends != nil || r.l.subscriber != nil {
		r.trendsAt = s.newest.At
	}
	if s.observed {
		r.recorded = s.newest.Market
		if r.l.subscriber == nil {
			r.l.prices.again()
		}
		if s.missed != nil {
			r.l.out.put(*s.missed)
		}
	}
	if s.trends != nil {
		r.l.out.put(*s.trends)
		r.l.portfolio.receive(*s.trends)
	}
	r.l.alerts.failed = err
	r.l.alerts.take(s.fired)
	if err == nil && s.list != nil && r.l.ctx.Err() == nil {
		r.l.watch.take(*s.list, s.edits)
	}
}

type survey struct {
	// recorder is the state of the recorder when the survey began.
	recorder
	// edits counts the edits of the watch list. lastSent is the id of the last alert that was
	// sent.
	edits    int
	lastSent int64

	observed bool
	fired    []store.Alert
	list     *Watchlist
	trends   *TrendsEvent
	missed   *MissedMovesEvent
}

func (s *survey) make(ctx context.Context) error {
	if s.l.subscriber != nil {
		// The shared session records.
		s.observed = s.recorded != s.newest.Market
		defer s.l.limiter.take(ctx, 0)()
		return s.check(ctx)
	}
	history, at := s.l.market.History, s.newest.At
	moved := askMoved(s.recorded, s.newest.Market)
	if err := s.record(ctx, history, at); err != nil {
		return err
	}
	if s.l.ctx.Err() != nil {
		// No user would see a rule that fires now.
		return nil
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	if moved || at.Sub(s.trendsAt).Abs() >= trendsAge {
		trends, err := Trends(ctx, history, at)
		if err != nil {
			return err
		}
		s.trends = &trends
	}
	return nil
}

func (s *survey) record(ctx context.Context, history store.History, at time.Time) error {
	switch {
	case s.newest.Earlier:
		return nil
	case s.recorded == s.newest.Market:
		return history.Saw(ctx, at)
	case s.recorded == nil:
		if err := s.findMissed(ctx, history, at); err != nil {
			return err
		}
	case at.Sub(s.before) > store.Unwatched:
		if err := history.Saw(ctx, s.before); err != nil {
			return err
		}
	}
	if err := history.Observe(ctx, store.Observations(s.newest.Market, at)); err != nil {
		return err
	}
	s.observed = true
	return nil
}

// Trends computes the price trends of a service up to a time from its history. The error is
// from the store.
func Trends(ctx context.Context, history store.History, at time.Time) (TrendsEvent, error) {
	e := TrendsEvent{At: at}
	var err error
	if e.Prices, err = history.Trends(ctx, at.Add(-TrendTime), at, TrendPoints); err != nil {
		return e, err
	}
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	e.Opened, e.Since, err = history.AsksAt(ctx, day)
	return e, err
}

// check finds the rules that fire, and reads the watch list.
func (s *survey) check(ctx context.Context) (err error) {
	if s.l.host || s.newest.Earlier {
		return nil
	}
	facts := func(key model.VintageKey) alert.Facts {
		return alert.VintageFacts(s.newest.Market, key, s.paid.LastPaid)
	}
	if s.fired, err = s.l.check(ctx, s.newest.At, facts, s.lastSent); err != nil {
		return err
	}
	list, err := s.l.readWatchlist(ctx)
	s.list = &list
	return err
}

// askMoved reports whether a best ask or the list of vintages has changed.
func askMoved(was, now *market.Market) bool {
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

// MissedMovesEvent carries the changes of best asks since an earlier run last saw the market.
// It is sent once, if that was longer ago than store.Unwatched.
type MissedMovesEvent struct {
	// Since is when the market was last seen, and At when it was seen again. The changes
	// happened in between.
	Since, At time.Time
	// Moves are in the order of the market, then those of vintages no longer for sale.
	Moves []MissedMove
}

// MissedMove is the offer of a vintage before and after. A best ask is model.UnknownPrice if
// no whole tonne was for sale.
type MissedMove struct{ Was, Now store.Observation }

func (s *survey) findMissed(ctx context.Context, history store.History, at time.Time) error {
	last, seen, err := history.LastSeen(ctx)
	if err != nil || seen.IsZero() || at.Sub(seen) <= store.Unwatched {
		return err
	}
	e := MissedMovesEvent{Since: seen, At: at}
	add := func(was, now store.Observation) {
		if was.BestAsk != now.BestAsk {
			e.Moves = append(e.Moves, MissedMove{was, now})
		}
	}
	for _, now := range store.Observations(s.newest.Market, at) {
		if was, known := last[now.Vintage]; known {
			add(was, now)
		} else {
			add(store.Observation{Vintage: now.Vintage, BestAsk: model.UnknownPrice}, now)
		}
		delete(last, now.Vintage)
	}
	gone := slices.SortedFunc(maps.Values(last), func(a, b store.Observation) int {
		return cmp.Or(cmp.Compare(a.Vintage.ProjectID, b.Vintage.ProjectID), cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID))
	})
	for _, was := range gone {
		add(was, store.Observation{Vintage: was.Vintage, At: at, BestAsk: model.UnknownPrice})
	}
	if len(e.Moves) > 0 {
		s.missed = &e
	}
	return nil
}

// LoadPrices reads the recorded prices of vintages, and again whenever more are recorded,
// until it is called for other vintages. Of several calls in a row only the last is served.
func (s *Session) LoadPrices(keys ...model.VintageKey) {
	s.post(func(l *loop) { l.prices.vintages, l.prices.due = keys, true })
}

type prices struct {
	l        *loop
	vintages []model.VintageKey
	task
}

func (p *prices) again() { p.due = len(p.vintages) > 0 }

func (p *prices) settle() {
	if !p.begin() {
		return
	}
	keys := p.vintages
	read(p.l, func(ctx context.Context) (e PricesEvent, err error) {
		e.Observations = make(map[model.VintageKey][]store.Observation, len(keys))
		for _, key := range keys {
			if e.Observations[key], err = p.l.market.History.Prices(ctx, key, time.Time{}); err != nil {
				return e, err
			}
		}
		e.Gaps, err = p.l.market.History.Gaps(ctx, time.Time{})
		return e, err
	}, func(e PricesEvent, err error) {
		p.busy = false
		if e.Err = err; slices.Equal(keys, p.vintages) {
			p.l.out.put(e)
		}
	})
}
