package session

import (
	"context"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

// HistoryEvent carries the rules that began to hold, on vintages and on
// retirement requests: what this machine remembers of them, newest first. It
// comes once the session records, whichever program noticed them. Fired is never
// changed.
type HistoryEvent struct{ Fired []store.Fired }

const longestHistory = 1000

// SeeAlerts notes that a person has seen the history up to and with an entry, or the
// entries on retirement requests alone.
func (s *Session) SeeAlerts(id int64, requestsAlone bool) {
	s.post(func(l *loop) {
		l.alerts.see(id, requestsAlone)
		l.keep(WatchlistWrites, func(ctx context.Context) error { return l.store.SetSeen(ctx, l.origin, id, requestsAlone) })
	})
}

type alerts struct {
	l       *loop
	history []store.Fired
	// told is the entry up to which all were told.
	told int64
}

func (a *alerts) read() {
	read(a.l, func(ctx context.Context) ([]store.Fired, error) {
		return a.l.store.History(ctx, a.l.origin, 0)
	}, func(history []store.Fired, err error) {
		if err == nil {
			a.add(history)
			a.show()
		}
	})
}

// check finds the rules that fire, and returns those that fired after what was told,
// whichever program noticed them. Without facts it checks those on requests. It is
// called by a job of the writer, with told as it was when that was queued.
func (l *loop) check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, told int64) ([]store.Fired, error) {
	if l.ctx.Err() != nil {
		// Nobody would see a rule that fires now.
		return nil, nil
	}
	if _, err := l.store.Crossed(ctx, l.origin, at, facts); err != nil {
		return nil, err
	}
	return l.store.History(ctx, l.origin, told)
}

func (a *alerts) take(fired []store.Fired) {
	if fresh := slices.Clone(a.add(fired)); len(fresh) > 0 {
		slices.Reverse(fresh)
		a.l.out.put(FiredEvent{fresh})
		a.show()
	}
}

func (a *alerts) add(fired []store.Fired) (fresh []store.Fired) {
	for n, f := range fired {
		if f.ID <= a.told {
			fired = fired[:n]
			break
		}
	}
	if len(fired) > 0 {
		a.told = fired[0].ID
		a.history = slices.Concat(fired, a.history)
		a.history = a.history[:min(len(a.history), longestHistory)]
	}
	return fired
}

func (a *alerts) see(id int64, requestsAlone bool) {
	a.history = slices.Clone(a.history)
	for i, f := range a.history {
		a.history[i].Seen = f.Seen || f.ID <= id && (f.Request != "" || !requestsAlone)
	}
	a.show()
}

func (a *alerts) show() { a.l.out.put(HistoryEvent{slices.Clip(a.history)}) }

// checkRequests checks the rules on retirement requests, if rules are checked at
// all. A state that lasts is noticed within a minute.
func (l *loop) checkRequests() {
	if !l.recorder.on || !l.ledger.opened || l.ctx.Err() != nil {
		return
	}
	var fired []store.Fired
	told := l.alerts.told
	l.write(func(ctx context.Context) (err error) {
		fired, err = l.check(ctx, l.now(), nil, told)
		return err
	}, func(error) { l.alerts.take(fired) })
}
