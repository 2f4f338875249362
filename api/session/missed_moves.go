package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/store"
)

// MissedMovesEvent carries the best asks that moved since the market was seen last in a
// run before this one. It comes once, where that was longer ago than
// store.Unwatched.
type MissedMovesEvent struct {
	// Since is when the market was seen last, At when it was seen again: each move
	// was at some time in between.
	Since, At time.Time
	// Moves are in the order of the market; what is not on it any more comes last.
	Moves []MissedMove
}

// MissedMove is what a vintage was offered at before and after. A best ask is
// model.UnknownPrice where nobody sold a whole tonne.
type MissedMove struct{ Was, Now store.Observation }

func (s *survey) findMissed(ctx context.Context, st *store.Store, origin string, at time.Time) error {
	last, seen, err := st.LastSeen(ctx, origin)
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
