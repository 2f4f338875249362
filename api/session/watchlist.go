package session

import (
	"context"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/store"
)

// Watchlist is the vintages that are watched and the rules on them. One that
// was sent is never changed.
type Watchlist struct {
	Watched map[model.VintageKey]bool
	Alerts  []store.Alert
}

func (w Watchlist) same(other Watchlist) bool {
	return maps.Equal(w.Watched, other.Watched) && slices.Equal(w.Alerts, other.Alerts)
}

// Watch puts a vintage on the watch list or takes it off, with its rules.
func (s *Session) Watch(key model.VintageKey, on bool) {
	s.mail.Post(func(l *loop) {
		l.watch.mark(key, on)
		l.watch.edited(func(ctx context.Context) error { return l.store.SetWatched(ctx, l.origin, key, on) })
	})
}

// AddRule sets a rule on a vintage and puts it on the watch list. The rule is
// held against the market at once.
func (s *Session) AddRule(key model.VintageKey, rule model.Rule) {
	s.mail.Post(func(l *loop) {
		l.watch.mark(key, true)
		if !slices.ContainsFunc(l.watch.list.Alerts, is(key, rule)) {
			l.watch.list.Alerts = append(slices.Clip(l.watch.list.Alerts), store.Alert{Vintage: key, Rule: rule})
		}
		l.watch.edited(func(ctx context.Context) error { return l.store.AddRule(ctx, l.origin, key, rule) })
		l.recorder.due = true
	})
}

// RemoveRule takes a rule off a vintage, which stays on the watch list.
func (s *Session) RemoveRule(key model.VintageKey, rule model.Rule) {
	s.mail.Post(func(l *loop) {
		l.watch.drop(is(key, rule))
		l.watch.edited(func(ctx context.Context) error { return l.store.RemoveRule(ctx, l.origin, key, rule) })
	})
}

// is finds a rule on a vintage.
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

func (w *watchlist) mark(key model.VintageKey, on bool) {
	watched := maps.Clone(w.list.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	if on {
		watched[key] = true
	} else {
		delete(watched, key)
		w.drop(func(a store.Alert) bool { return a.Vintage == key })
	}
	w.list.Watched = watched
}

func (w *watchlist) drop(gone func(store.Alert) bool) {
	w.list.Alerts = slices.DeleteFunc(slices.Clone(w.list.Alerts), gone)
}

// edited shows a change of the list and writes it.
func (w *watchlist) edited(write func(ctx context.Context) error) {
	w.edits++
	w.l.out.Put(WatchlistEvent{w.list})
	w.l.keep(WatchlistWrites, write)
}

// take shows what was read after the given number of edits, if it is news.
func (w *watchlist) take(list Watchlist, edits int) {
	if edits == w.edits && !w.list.same(list) {
		w.list = list
		w.l.out.Put(WatchlistEvent{list})
	}
}

// readWatchlist reads the list from the store.
func (l *loop) readWatchlist(ctx context.Context) (Watchlist, error) {
	watched, err := l.store.Watched(ctx, l.origin)
	if err != nil {
		return Watchlist{}, err
	}
	alerts, err := l.store.Alerts(ctx, l.origin)
	return Watchlist{watched, slices.Clip(alerts)}, err
}
