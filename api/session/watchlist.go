package session

import (
	"context"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/store"
)

// Watchlist is the vintages that are watched and the rules on them, and those on
// retirement requests. One that was sent is never changed.
type Watchlist struct {
	Watched  map[model.VintageKey]bool
	Alerts   []store.Alert
	Requests []store.RequestAlert
}

// With returns the list with a vintage on it.
func (w Watchlist) With(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	watched[key] = true
	return Watchlist{watched, w.Alerts, w.Requests}
}

// Without returns the list without a vintage and the rules on it.
func (w Watchlist) Without(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	delete(watched, key)
	return Watchlist{watched, w.alertsBut(func(a store.Alert) bool { return a.Vintage == key }), w.Requests}
}

// WithRule returns the list with a rule on a vintage, and with the vintage.
func (w Watchlist) WithRule(key model.VintageKey, rule model.Rule) Watchlist {
	w = w.With(key)
	if !slices.ContainsFunc(w.Alerts, is(key, rule)) {
		w.Alerts = append(slices.Clip(w.Alerts), store.Alert{Vintage: key, Rule: rule})
	}
	return w
}

// WithoutRule returns the list without a rule. The vintage stays on it.
func (w Watchlist) WithoutRule(key model.VintageKey, rule model.Rule) Watchlist {
	return Watchlist{w.Watched, w.alertsBut(is(key, rule)), w.Requests}
}

// WithRequestRule returns the list with a rule on retirement requests.
func (w Watchlist) WithRequestRule(a store.RequestAlert) Watchlist {
	if !slices.Contains(w.Requests, a) {
		w.Requests = append(slices.Clip(w.Requests), a)
	}
	return w
}

// WithoutRequestRule returns the list without a rule on retirement requests.
func (w Watchlist) WithoutRequestRule(a store.RequestAlert) Watchlist {
	w.Requests = slices.DeleteFunc(slices.Clone(w.Requests), func(other store.RequestAlert) bool { return other == a })
	return w
}

func (w Watchlist) alertsBut(gone func(store.Alert) bool) []store.Alert {
	return slices.DeleteFunc(slices.Clone(w.Alerts), gone)
}

func (w Watchlist) same(other Watchlist) bool {
	return maps.Equal(w.Watched, other.Watched) && slices.Equal(w.Alerts, other.Alerts) && slices.Equal(w.Requests, other.Requests)
}

// Watch puts a vintage on the watch list or takes it off, with its rules.
func (s *Session) Watch(key model.VintageKey, on bool) {
	s.post(func(l *loop) {
		next := l.watch.list.Without(key)
		if on {
			next = l.watch.list.With(key)
		}
		l.watch.edited(next, func(ctx context.Context) error { return l.store.SetWatched(ctx, l.origin, key, on) })
	})
}

// AddRule sets a rule on a vintage and puts it on the watch list. The rule is
// held against the market at once.
func (s *Session) AddRule(key model.VintageKey, rule model.Rule) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithRule(key, rule), func(ctx context.Context) error { return l.store.AddRule(ctx, l.origin, key, rule) })
		l.recorder.due = true
	})
}

// RemoveRule takes a rule off a vintage, which stays on the watch list.
func (s *Session) RemoveRule(key model.VintageKey, rule model.Rule) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithoutRule(key, rule), func(ctx context.Context) error { return l.store.RemoveRule(ctx, l.origin, key, rule) })
	})
}

func is(key model.VintageKey, rule model.Rule) func(store.Alert) bool {
	return func(a store.Alert) bool { return a.Vintage == key && a.Rule == rule }
}

// watchlist is the watch list as a person sees it.
type watchlist struct {
	l    *loop
	list Watchlist
	// edits counts what a person changed: that is newer than what was read
	// meanwhile.
	edits int
}

func (w *watchlist) edited(list Watchlist, write func(ctx context.Context) error) {
	w.edits++
	w.show(list)
	w.l.keep(WatchlistWrites, write)
}

// read begins with what is remembered.
func (w *watchlist) read() {
	var list Watchlist
	edits := w.edits
	w.l.read(func(ctx context.Context) (err error) {
		list, err = w.l.readWatchlist(ctx)
		return err
	}, func(err error) {
		if err == nil {
			w.take(list, edits)
		}
	})
}

func (w *watchlist) take(list Watchlist, edits int) {
	if edits == w.edits && !w.list.same(list) {
		w.show(list)
	}
}

func (w *watchlist) show(list Watchlist) {
	w.list = list
	w.l.out.Put(WatchlistEvent{list, w.edits})
}

func (l *loop) readWatchlist(ctx context.Context) (Watchlist, error) {
	watched, err := l.store.Watched(ctx, l.origin)
	if err != nil {
		return Watchlist{}, err
	}
	alerts, err := l.store.Alerts(ctx, l.origin)
	if err != nil {
		return Watchlist{}, err
	}
	requests, err := l.store.RequestAlerts(ctx, l.origin)
	return Watchlist{watched, slices.Clip(alerts), slices.Clip(requests)}, err
}
