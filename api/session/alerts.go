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

// SeeAlerts notes that a person has seen the alerts up to and with an id, or those on
// retirement requests alone.
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

// CheckRules checks all rules against what is known now, and reports those that hold by a
// HoldingEvent. Call it in a session that records, when it has read the market.
func (s *Session) CheckRules() { s.post(func(l *loop) { l.alerts.asked = true }) }

// longestHistory is how many alerts a session keeps.
const longestHistory = 1000

type alerts struct {
	l       *loop
	history []store.Alert
	// told is the id up to which all were told.
	told int64
	// asked says that the rules that hold are to be reported; failed is why the last check
	// failed.
	asked  bool
	failed error
}

// settle reports the rules that hold once everything that is known was recorded.
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

// check finds the rules that fire, and returns those that fired after what was told,
// whichever program noticed them. Without facts it checks those on requests. It is
// called by a job of the writer, with told as it was when that was queued.
func (l *loop) check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, told int64) ([]store.Alert, error) {
	if l.ctx.Err() != nil {
		// Nobody would see a rule that fires now.
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

// checkRequests checks the rules on retirement requests, if rules are checked at
// all. A state that lasts is noticed within a minute.
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
