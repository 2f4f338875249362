package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

// SeeAlerts marks the alerts up to and including an id as seen; with requestsAlone only those
// on retirement requests.
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

// CheckRules checks all rules once and reports those that are met in a HoldingEvent. It needs
// a session that records and has read the market.
func (s *Session) CheckRules() { s.post(func(l *loop) { l.alerts.asked = true }) }

// longestHistory is how many alerts a session keeps.
const longestHistory = 1000

type alerts struct {
	l       *loop
	history []store.Alert
	// told is the id of the last alert that was sent.
	told int64
	// asked says that CheckRules waits for a HoldingEvent; failed is the error of the last
	// check.
	asked  bool
	failed error
}

// settle sends the HoldingEvent when everything known is recorded.
func (a *alerts) settle() {
	if !a.asked || a.l.recorder.due || a.l.recorder.busy || a.l.ledger.writing {
		return
	}
	a.asked = false
	a.l.checkRequests()
	read(a.l, a.l.memory.Alerts.Holding, func(holding []store.Alert, err error) {
		a.l.out.put(HoldingEvent{holding, cmp.Or(a.failed, err)})
	})
}

// check finds the rules that fire and returns the alerts newer than told, from any program.
// Without facts it checks only rules on requests. A job of the writer calls it with the value
// of told at the time it was queued.
func (l *loop) check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, told int64) ([]store.Alert, error) {
	if l.ctx.Err() != nil {
		// No screen would show an alert now.
		return nil, nil
	}
	if _, err := l.memory.Alerts.Check(ctx, at, facts); err != nil {
		return nil, err
	}
	return l.memory.Alerts.After(ctx, told)
}

func (a *alerts) take(fired []store.Alert) {
	if fresh := slices.Clone(a.add(fired)); len(fresh) > 0 {
		slices.Reverse(fresh)
		a.show(fresh...)
	}
}

func (a *alerts) add(fired []store.Alert) (fresh []store.Alert) {
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

func (a *alerts) show(fired ...store.Alert) { a.l.out.put(AlertsEvent{slices.Clip(a.history), fired}) }

// checkRequests checks the rules on retirement requests, if rules are checked at all. A state
// that lasts too long is noticed within a minute.
func (l *loop) checkRequests() {
	if !l.recorder.on || !l.ledger.opened || l.ctx.Err() != nil {
		return
	}
	var fired []store.Alert
	told := l.alerts.told
	l.write(func(ctx context.Context) (err error) {
		fired, err = l.check(ctx, l.now(), nil, told)
		return err
	}, func(err error) {
		l.alerts.failed = cmp.Or(err, l.alerts.failed)
		l.alerts.take(fired)
	})
}
