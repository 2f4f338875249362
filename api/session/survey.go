package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/market"
)

// TrendTime is the period of trends, and TrendPoints their number of prices.
const (
	TrendTime   = 24 * time.Hour
	TrendPoints = 8
)

// trendsAge is the maximum age of trends while no best ask changes.
const trendsAge = time.Minute

// sighting is what a session last saw: the newest complete market, the last paid prices, and
// when the market before it was last confirmed.
type sighting struct {
	market    MarketEvent
	portfolio PortfolioEvent
	before    time.Time
}

// recording is what the store has: the last market, and the time of the last trends.
type recording struct {
	market   *market.Market
	trendsAt time.Time
}

// stores are the data that a survey reads and writes.
type stores struct {
	history store.History
	rules   rules
	// unchecked reports that the session checks no rules.
	unchecked bool
	// limiter is not nil if another session records the prices. It then limits how many
	// sessions check their rules at once.
	limiter *limiter
}

// findings are the results of a survey. recorded reports that the market is in the store.
type findings struct {
	recorded bool
	missed   *MissedMovesEvent
	fired    []store.Alert
	list     *Watchlist
	trends   *TrendsEvent
}

// survey records what a session saw after what the store has, checks the rules, and computes
// trends. lastSent is the id of the last alert that was sent. After an error, the findings are
// those before it.
func survey(ctx context.Context, s stores, was recording, is sighting, lastSent int64) (f findings, err error) {
	if s.limiter != nil {
		f.recorded = was.market != is.market.Market
		defer s.limiter.take(ctx, 0)()
		err = s.check(ctx, is, lastSent, &f)
		return f, err
	}
	if f.recorded, f.missed, err = record(ctx, s.history, was, is); err != nil {
		return f, err
	}
	if s.rules.ctx.Err() != nil {
		// No user would see a rule that fires now.
		return f, nil
	}
	if err := s.check(ctx, is, lastSent, &f); err != nil {
		return f, err
	}
	at := is.market.At
	if askMoved(was.market, is.market.Market) || at.Sub(was.trendsAt).Abs() >= trendsAge {
		trends, err := Trends(ctx, s.history, at)
		if err != nil {
			return f, err
		}
		f.trends = &trends
	}
	return f, nil
}

// record writes the prices of a market that the store does not have, and finds the moves since
// an earlier run.
func record(
	ctx context.Context, history store.History, was recording, is sighting,
) (recorded bool, missed *MissedMovesEvent, err error) {
	now, at := is.market.Market, is.market.At
	switch {
	case is.market.Earlier:
		return false, nil, nil
	case was.market == now:
		return false, nil, history.Saw(ctx, at)
	case was.market == nil:
		if missed, err = findMissed(ctx, history, now, at); err != nil {
			return false, nil, err
		}
	case at.Sub(is.before) > store.Unwatched:
		if err := history.Saw(ctx, is.before); err != nil {
			return false, nil, err
		}
	}
	if err := history.Observe(ctx, store.Observations(now, at)); err != nil {
		return false, nil, err
	}
	return true, missed, nil
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
func (s stores) check(ctx context.Context, is sighting, lastSent int64, f *findings) (err error) {
	if s.unchecked || is.market.Earlier {
		return nil
	}
	facts := func(key model.VintageKey) alert.Facts {
		return alert.VintageFacts(is.market.Market, key, is.portfolio.LastPaid)
	}
	if f.fired, err = s.rules.check(ctx, is.market.At, facts, lastSent); err != nil {
		return err
	}
	list, err := s.rules.watchlist(ctx)
	f.list = &list
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

// findMissed compares a market with the prices that an earlier run last saw.
func findMissed(
	ctx context.Context, history store.History, m *market.Market, at time.Time,
) (*MissedMovesEvent, error) {
	last, seen, err := history.LastSeen(ctx)
	if err != nil || seen.IsZero() || at.Sub(seen) <= store.Unwatched {
		return nil, err
	}
	e := MissedMovesEvent{Since: seen, At: at}
	add := func(was, now store.Observation) {
		if was.BestAsk != now.BestAsk {
			e.Moves = append(e.Moves, MissedMove{was, now})
		}
	}
	for _, now := range store.Observations(m, at) {
		if was, known := last[now.Vintage]; known {
			add(was, now)
		} else {
			add(store.Observation{Vintage: now.Vintage, BestAsk: model.UnknownPrice}, now)
		}
		delete(last, now.Vintage)
	}
	withdrawn := slices.SortedFunc(maps.Values(last), func(a, b store.Observation) int {
		return cmp.Or(
			cmp.Compare(a.Vintage.ProjectID, b.Vintage.ProjectID), cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID),
		)
	})
	for _, was := range withdrawn {
		add(was, store.Observation{Vintage: was.Vintage, At: at, BestAsk: model.UnknownPrice})
	}
	if len(e.Moves) == 0 {
		return nil, nil
	}
	return &e, nil
}
