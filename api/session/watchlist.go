package session

import (
	"context"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/alert"
)

// Watchlist is the watched vintages, and the rules on them and on retirement requests. A list
// that was sent is never modified.
type Watchlist struct {
	Watched map[model.VintageKey]bool
	Rules   []alert.Rule
}

// With returns the list with a vintage on it.
func (w Watchlist) With(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	watched[key] = true
	return Watchlist{watched, w.Rules}
}

// Without returns the list without a vintage and the rules on it.
func (w Watchlist) Without(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	delete(watched, key)
	return Watchlist{watched, w.rulesBut(func(r alert.Rule) bool { return r.Vintage == key })}
}

// WithRule returns the list with a rule, and with its vintage.
func (w Watchlist) WithRule(r alert.Rule) Watchlist {
	if !r.OnRequests() {
		w = w.With(r.Vintage)
	}
	if !slices.Contains(w.Rules, r) {
		w.Rules = append(slices.Clip(w.Rules), r)
	}
	return w
}

// WithoutRule returns the list without a rule. Its vintage stays on it.
func (w Watchlist) WithoutRule(r alert.Rule) Watchlist {
	return Watchlist{w.Watched, w.rulesBut(func(other alert.Rule) bool { return other == r })}
}

func (w Watchlist) rulesBut(gone func(alert.Rule) bool) []alert.Rule {
	return slices.DeleteFunc(slices.Clone(w.Rules), gone)
}

// Watch puts a vintage on the watch list or takes it off, with its rules.
func (s *Session) Watch(key model.VintageKey, on bool) {
	s.post(func(l *loop) {
		next := l.watch.list.Without(key)
		if on {
			next = l.watch.list.With(key)
		}
		l.watch.edited(next, func(ctx context.Context) error { return l.memory.Alerts.Watch(ctx, key, on) })
	})
}

// AddRule sets a rule, and puts its vintage on the watch list. The rule is checked at once,
// if the session records.
func (s *Session) AddRule(r alert.Rule) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithRule(r), func(ctx context.Context) error { return l.memory.Alerts.AddRule(ctx, r) })
		if r.OnRequests() {
			l.checkRequests()
		} else {
			l.recorder.due = true
		}
	})
}

// RemoveRule deletes a rule. Its vintage stays on the watch list.
func (s *Session) RemoveRule(r alert.Rule) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithoutRule(r), func(ctx context.Context) error { return l.memory.Alerts.RemoveRule(ctx, r) })
	})
}

// watchlist is the watch list as the user sees it.
type watchlist struct {
	l    *loop
	list Watchlist
	// edits counts the user's changes, which are newer than a read that began before them.
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
	if edits == w.edits && !(maps.Equal(w.list.Watched, list.Watched) && slices.Equal(w.list.Rules, list.Rules)) {
		w.show(list)
	}
}

func (w *watchlist) show(list Watchlist) {
	w.list = list
	w.l.out.put(WatchlistEvent{list, w.edits})
}

func (l *loop) readWatchlist(ctx context.Context) (Watchlist, error) {
	watched, err := l.memory.Alerts.Watched(ctx)
	if err != nil {
		return Watchlist{}, err
	}
	rules, err := l.memory.Alerts.Rules(ctx)
	return Watchlist{watched, slices.Clip(rules)}, err
}
