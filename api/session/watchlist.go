package session

import (
	"context"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/store"
)

// Watchlist is the vintages that are watched, and the rules on them and on
// retirement requests. One that was sent is never changed.
type Watchlist struct {
	Watched map[model.VintageKey]bool
	Alerts  []store.Alert
}

// With returns the list with a vintage on it.
func (w Watchlist) With(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	watched[key] = true
	return Watchlist{watched, w.Alerts}
}

// Without returns the list without a vintage and the rules on it.
func (w Watchlist) Without(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	delete(watched, key)
	return Watchlist{watched, w.alertsBut(func(a store.Alert) bool { return a.Vintage == key })}
}

// WithRule returns the list with a rule, and with its vintage.
func (w Watchlist) WithRule(a store.Alert) Watchlist {
	if !a.Rule.OnRequests() {
		w = w.With(a.Vintage)
	}
	if !slices.Contains(w.Alerts, a) {
		w.Alerts = append(slices.Clip(w.Alerts), a)
	}
	return w
}

// WithoutRule returns the list without a rule. Its vintage stays on it.
func (w Watchlist) WithoutRule(a store.Alert) Watchlist {
	return Watchlist{w.Watched, w.alertsBut(func(other store.Alert) bool { return other == a })}
}

func (w Watchlist) alertsBut(gone func(store.Alert) bool) []store.Alert {
	return slices.DeleteFunc(slices.Clone(w.Alerts), gone)
}

func (w Watchlist) same(other Watchlist) bool {
	return maps.Equal(w.Watched, other.Watched) && slices.Equal(w.Alerts, other.Alerts)
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

// AddRule sets a rule, and puts its vintage on the watch list. It is checked against the
// market or against what is known of the requests at once, if the session records.
func (s *Session) AddRule(a store.Alert) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithRule(a), func(ctx context.Context) error { return l.store.AddRule(ctx, l.origin, a) })
		if a.Rule.OnRequests() {
			l.checkRequests()
		} else {
			l.recorder.due = true
		}
	})
}

// RemoveRule takes a rule away. Its vintage stays on the watch list.
func (s *Session) RemoveRule(a store.Alert) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithoutRule(a), func(ctx context.Context) error { return l.store.RemoveRule(ctx, l.origin, a) })
	})
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

func (w *watchlist) read() {
	edits := w.edits
	read(w.l, w.l.readWatchlist, func(list Watchlist, err error) {
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
	w.l.out.put(WatchlistEvent{list, w.edits})
}

func (l *loop) readWatchlist(ctx context.Context) (Watchlist, error) {
	watched, err := l.store.Watched(ctx, l.origin)
	if err != nil {
		return Watchlist{}, err
	}
	alerts, err := l.store.Alerts(ctx, l.origin)
	return Watchlist{watched, slices.Clip(alerts)}, err
}
