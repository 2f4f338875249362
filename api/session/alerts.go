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
)

// longestHistory limits the alerts that a session keeps.
const longestHistory = 1000

// rules are the rules and the watch list in the store. Several goroutines use them.
type rules struct {
	// ctx ends with the session: then no screen would show an alert.
	ctx  context.Context
	kept store.Alerts
}

// check finds the rules that fire and returns the alerts newer than lastSent, from any program.
// Without facts it checks only rules on requests. A job of the writer calls it with the value
// of lastSent at the time it was queued.
func (r rules) check(
	ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, lastSent int64,
) ([]store.Alert, error) {
	if r.ctx.Err() != nil {
		return nil, nil
	}
	if _, err := r.kept.Check(ctx, at, facts); err != nil {
		return nil, err
	}
	return r.kept.After(ctx, lastSent)
}

func (r rules) watchlist(ctx context.Context) (Watchlist, error) {
	watched, err := r.kept.Watched(ctx)
	if err != nil {
		return Watchlist{}, err
	}
	rules, err := r.kept.Rules(ctx)
	return Watchlist{watched, slices.Clip(rules)}, err
}

type alerts struct {
	*env
	rules   rules
	history []store.Alert
	// lastSent is the id of the last alert that was sent.
	lastSent int64
	// recording reports that prices are recorded, and following that the ledger is open.
	recording, following bool
	// checking reports that CheckRules waits for a HoldingEvent. failed is the error of the
	// last check.
	checking bool
	failed   error
}

// load sends the alerts of earlier runs.
func (a *alerts) load() {
	read(a.env, func(ctx context.Context) ([]store.Alert, error) { return a.rules.kept.After(ctx, 0) },
		func(history []store.Alert, err error) {
			if err == nil {
				a.add(history)
				a.show()
			}
		})
}

func (a *alerts) see(id int64, requestsAlone bool) {
	a.history = slices.Clone(a.history)
	for i, f := range a.history {
		a.history[i].Seen = f.Seen || f.ID <= id && (f.Request != "" || !requestsAlone)
	}
	a.show()
	a.keep(WatchlistWrites, func(ctx context.Context) error { return a.rules.kept.See(ctx, id, requestsAlone) })
}

// tellHolding sends the HoldingEvent, when everything known is recorded.
func (a *alerts) tellHolding() {
	a.checking = false
	a.checkRequests()
	read(a.env, a.rules.kept.Holding, func(holding []store.Alert, err error) {
		a.emit(HoldingEvent{holding, cmp.Or(a.failed, err)})
	})
}

func (a *alerts) take(fired []store.Alert) {
	if fresh := slices.Clone(a.add(fired)); len(fresh) > 0 {
		slices.Reverse(fresh)
		a.show(fresh...)
	}
}

func (a *alerts) add(fired []store.Alert) (fresh []store.Alert) {
	for n, f := range fired {
		if f.ID <= a.lastSent {
			fired = fired[:n]
			break
		}
	}
	if len(fired) > 0 {
		a.lastSent = fired[0].ID
		a.history = slices.Concat(fired, a.history)
		a.history = a.history[:min(len(a.history), longestHistory)]
	}
	return fired
}

func (a *alerts) show(fired ...store.Alert) { a.emit(AlertsEvent{slices.Clip(a.history), fired}) }

// checkRequests checks the rules on retirement requests, if rules are checked at all. A state
// that lasts too long is noticed within a minute.
func (a *alerts) checkRequests() {
	if !a.recording || !a.following || a.ctx.Err() != nil {
		return
	}
	var fired []store.Alert
	lastSent := a.lastSent
	a.write(func(ctx context.Context) (err error) {
		fired, err = a.rules.check(ctx, a.now(), nil, lastSent)
		return err
	}, func(err error) {
		a.failed = cmp.Or(err, a.failed)
		a.take(fired)
	})
}

// watchlist is the watch list as the user sees it.
type watchlist struct {
	*env
	rules rules
	list  Watchlist
	// edits counts the user's changes, which are newer than a read that began before them.
	edits int
}

func (w *watchlist) edited(list Watchlist, write func(ctx context.Context) error) {
	w.edits++
	w.show(list)
	w.keep(WatchlistWrites, write)
}

func (w *watchlist) watch(key model.VintageKey, on bool) {
	next := w.list.Without(key)
	if on {
		next = w.list.With(key)
	}
	w.edited(next, func(ctx context.Context) error { return w.rules.kept.Watch(ctx, key, on) })
}

func (w *watchlist) addRule(r alert.Rule) {
	w.edited(w.list.WithRule(r), func(ctx context.Context) error { return w.rules.kept.AddRule(ctx, r) })
}

func (w *watchlist) removeRule(r alert.Rule) {
	w.edited(w.list.WithoutRule(r), func(ctx context.Context) error { return w.rules.kept.RemoveRule(ctx, r) })
}

func (w *watchlist) load() {
	edits := w.edits
	read(w.env, w.rules.watchlist, func(list Watchlist, err error) {
		if err == nil {
			w.take(list, edits)
		}
	})
}

func (w *watchlist) take(list Watchlist, edits int) {
	if edits == w.edits && !(maps.Equal(w.list.Watched, list.Watched) && slices.Equal(w.list.Rules, list.Rules)) {
		w.show(list)
	}
}

func (w *watchlist) show(list Watchlist) {
	w.list = list
	w.emit(WatchlistEvent{list, w.edits})
}
