package session

import (
	"context"

	"tonne/model/store"
)

// RequestsFiredEvent carries the rules on retirement requests that began to
// hold since the event that was read before, oldest first.
type RequestsFiredEvent struct{ Fired []store.Fired }

// Resource is the rules on requests that fired.
func (RequestsFiredEvent) Resource() string { return "requests fired" }

// After adds the rules that fired before.
func (e RequestsFiredEvent) After(unread Event) Event {
	before := unread.(RequestsFiredEvent).Fired
	e.Fired = append(before[:len(before):len(before)], e.Fired...)
	return e
}

// AddRequestRule sets a rule on a retirement request, or on all of the ledger.
// It is held against what is known of them at once, if the session records.
func (s *Session) AddRequestRule(a store.RequestAlert) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithRequestRule(a), func(ctx context.Context) error { return l.store.AddRequestRule(ctx, l.origin, a) })
		l.holdRequests()
	})
}

// RemoveRequestRule takes a rule away.
func (s *Session) RemoveRequestRule(a store.RequestAlert) {
	s.post(func(l *loop) {
		l.watch.edited(l.watch.list.WithoutRequestRule(a), func(ctx context.Context) error { return l.store.RemoveRequestRule(ctx, l.origin, a) })
	})
}

// holdRequests holds the rules on retirement requests against what the store
// has of them, if rules are held at all. A state that lasts is noticed within a
// minute.
func (l *loop) holdRequests() {
	if !l.recorder.on || !l.ledger.opened || l.ctx.Err() != nil {
		return
	}
	var fired []store.Fired
	told := l.alerts.told
	l.write(func(ctx context.Context) (err error) {
		if l.ctx.Err() != nil {
			// A rule that began to hold now would be told to nobody.
			return nil
		}
		if _, err := l.store.CrossedRequests(ctx, l.origin, l.now()); err != nil {
			return err
		}
		fired, err = l.since(ctx, told)
		return err
	}, func(error) { l.alerts.take(fired) })
}
