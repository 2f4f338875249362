package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

// SeeAlerts marks the alerts up to and including an id as seen. If requestsAlone is set, it
// marks only those on retirement requests.
func (s *Session) SeeAlerts(id int64, requestsAlone bool) {
	s.post(func(l *loop) {
		a := l.alerts
		a.history = slices.Clone(a.history)
		for i, f := range a.history {
			a.history[i].Seen = f.Seen || f.ID <= id && (f.Request != "" || !requestsAlone)
		}
		a.show()
		l.keep(WatchlistWrites, func(ctx context.Context) error { return l.memory.Alerts.See(ctx, id, requestsAlone) })
	})
}

// CheckRules checks all rules once and reports those that hold in a HoldingEvent. The session
// must record, and must have read the market.
func (s *Session) CheckRules() { s.post(func(l *loop) { l.alerts.checking = true }) }

// longestHistory limits the alerts that a session keeps.
const longestHistory = 1000

type alerts struct {
	l       *loop
	history []store.Alert
	// lastSent is the id of the last alert that was sent.
	lastSent int64
	// checking reports that CheckRules waits for a HoldingEvent. failed is the error of the
	// last check.
	checking bool
	failed   error
}

// settle sends the HoldingEvent when everything known is recorded.
func (a *alerts) settle() {
	if !a.checking || a.l.recorder.due || a.l.recorder.busy || a.l.ledger.writing {
		return
	}
	a.checking = false
	a.l.checkRequests()
	read(a.l, a.l.memory.Alerts.Holding, func(holding []store.Alert, err error) {
		a.l.out.put(HoldingEvent{holding, cmp.Or(a.failed, err)})
	})
}

// check finds the rules that fire and returns the alerts newer than lastSent, from any program.
// Without facts it checks only rules on requests. A job of the writer calls it with the value
// of lastSent at the time it was queued.
func (l *loop) check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, lastSent int64) ([]store.Alert, error) {
	if l.ctx.Err() != nil {
		// No screen would show an alert now.
		return nil, nil
	}
	if _, err := l.memory.Alerts.Check(ctx, at, facts); err != nil {
		return nil, err
	}
	return l.memory.Alerts.After(ctx, lastSent)
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

func (a *alerts) show(fired ...store.Alert) { a.l.out.put(AlertsEvent{slices.Clip(a.history), fired}) }

// checkRequests checks the rules on retirement requests, if rules are checked at all. A state
// that lasts too long is noticed within a minute.
func (l *loop) checkRequests() {
	if !l.recorder.on || !l.ledger.opened || l.ctx.Err() != nil {
		return
	}
	var fired []store.Alert
	lastSent := l.alerts.lastSent
	l.write(func(ctx context.Context) (err error) {
		fired, err = l.check(ctx, l.now(), nil, lastSent)
		return err
	}, func(err error) {
		l.alerts.failed = cmp.Or(err, l.alerts.failed)
		l.alerts.take(fired)
	})
}

// Watchlist has the watched vintages, and the rules on them and on retirement requests. It
// is immutable.
type Watchlist struct {
	Watched map[model.VintageKey]bool
	Rules   []alert.Rule
}

// With returns the list with a vintage added.
func (w Watchlist) With(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	watched[key] = true
	return Watchlist{watched, w.Rules}
}

// Without returns the list without a vintage and its rules.
func (w Watchlist) Without(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	delete(watched, key)
	return Watchlist{watched, w.rulesBut(func(r alert.Rule) bool { return r.Vintage == key })}
}

// WithRule returns the list with a rule and its vintage added.
func (w Watchlist) WithRule(r alert.Rule) Watchlist {
	if !r.OnRequests() {
		w = w.With(r.Vintage)
	}
	if !slices.Contains(w.Rules, r) {
		w.Rules = append(slices.Clip(w.Rules), r)
	}
	return w
}

// WithoutRule returns the list without a rule. It keeps its vintage.
func (w Watchlist) WithoutRule(r alert.Rule) Watchlist {
	return Watchlist{w.Watched, w.rulesBut(func(other alert.Rule) bool { return other == r })}
}

func (w Watchlist) rulesBut(gone func(alert.Rule) bool) []alert.Rule {
	return slices.DeleteFunc(slices.Clone(w.Rules), gone)
}

// Watch adds a vintage to the watch list, or removes it with its rules.
func (s *Session) Watch(key model.VintageKey, on bool) {
	s.post(func(l *loop) {
		next := l.watch.list.Without(key)
		if on {
			next = l.watch.list.With(key)
		}
		l.watch.edited(next, func(ctx context.Context) error { return l.memory.Alerts.Watch(ctx, key, on) })
	})
}

// AddRule adds a rule and its vintage to the watch list. If the session records, the rule is
// checked immediately.
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
