package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"tonne/model"
)

// ErrEnded is returned by Next once there will be no more events.
var ErrEnded = errors.New("the session has ended")

// Accumulating is an event that tells what happened, beside how things stand:
// what happened is not lost when a newer event takes its place unread.
type Accumulating interface {
	Event
	// After returns the event with what an unread event of the same resource
	// told before it. Neither is changed.
	After(unread Event) Event
}

// Outbox keeps the latest event of each resource until it is read.
type Outbox struct {
	mu      sync.Mutex
	pending map[string]Event
	order   []string
	ended   error
	// some holds a token while there are events or no more will come.
	some chan struct{}
	// sent is the last complete market that was read from here.
	sent           *model.Market
	sentGeneration uint64
	// sentAt is when it was seen last.
	sentAt time.Time
}

// NewOutbox returns an outbox without events.
func NewOutbox() *Outbox {
	return &Outbox{pending: make(map[string]Event), some: make(chan struct{}, 1)}
}

// Put replaces the event of a resource. It never waits.
func (o *Outbox) Put(e Event) {
	resource := e.Resource()
	o.mu.Lock()
	if unread, waiting := o.pending[resource]; !waiting {
		o.order = append(o.order, resource)
	} else if a, ok := e.(Accumulating); ok {
		e = a.After(unread)
	}
	o.pending[resource] = e
	o.mu.Unlock()
	o.wake()
}

// Close says that no more events will come, because of err or nil.
func (o *Outbox) Close(err error) {
	if err == nil {
		err = ErrEnded
	}
	o.mu.Lock()
	o.ended = err
	o.mu.Unlock()
	o.wake()
}

func (o *Outbox) wake() {
	select {
	case o.some <- struct{}{}:
	default:
	}
}

// Next returns the news of each resource that has some since the call before,
// oldest first: only the latest event of each, so that a slow reader misses
// steps but never lags. It waits until there is one. The error is that of ctx,
// or that of Close, or ErrEnded where it had none. It is meant for one reader,
// in whose goroutine two markets are compared.
func (o *Outbox) Next(ctx context.Context) ([]Event, error) {
	for {
		if events, err := o.drain(); len(events) > 0 || err != nil {
			return o.withChanges(events), err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-o.some:
		}
	}
}

func (o *Outbox) drain() ([]Event, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.order) == 0 {
		return nil, o.ended
	}
	events := make([]Event, 0, len(o.order))
	for _, resource := range o.order {
		events = append(events, o.pending[resource])
	}
	clear(o.pending)
	o.order = nil
	return events, nil
}

// withChanges adds to a market what changed since the one that was read
// before it. It is done behind the queue, so that a reader that missed reads
// still learns of every change.
func (o *Outbox) withChanges(events []Event) []Event {
	for i, e := range events {
		m, ok := e.(MarketEvent)
		if !ok || m.Market == nil || m.Partial {
			continue
		}
		if m.Generation != o.sentGeneration {
			if o.sent != nil {
				m.Changes, m.Before = m.since(o.sent), o.sentAt
			}
			o.sent, o.sentGeneration = m.Market, m.Generation
			events[i] = m
		}
		o.sentAt = m.At
	}
	return events
}
