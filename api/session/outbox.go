package session

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"tonne/model/market"
)

// ErrEnded is returned by Next after the last event.
var ErrEnded = errors.New("the session has ended")

// sink takes events one by one. It must not block.
type sink interface{ put(e Event) }

// outbox keeps the latest event of each topic until it is read.
type outbox struct {
	mu      sync.Mutex
	pending map[topic]Event
	order   []topic
	ended   error
	some    chan struct{}
	// sent is the last complete market that was read from the outbox.
	sent           *market.Market
	sentGeneration uint64
	sentAt         time.Time
	// limiter, if not nil, limits how many readers show events at once. over releases the
	// slot of this one.
	limiter *limiter
	over    func()
}

// shortestTurn is the shortest time for which a reader has a slot: it draws after next.
const shortestTurn = time.Millisecond

func newOutbox() *outbox {
	return &outbox{pending: make(map[topic]Event), some: make(chan struct{}, 1)}
}

func (o *outbox) put(e Event) {
	about := topicOf(e)
	o.mu.Lock()
	if unread, waiting := o.pending[about]; !waiting {
		o.order = append(o.order, about)
	} else if a, ok := e.(accumulating); ok {
		e = a.after(unread)
	}
	o.pending[about] = e
	o.mu.Unlock()
	o.wake()
}

func (o *outbox) close(err error) {
	if err == nil {
		err = ErrEnded
	}
	o.mu.Lock()
	o.ended = err
	o.mu.Unlock()
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.some <- struct{}{}:
	default:
	}
}

func (o *outbox) next(ctx context.Context) ([]Event, error) {
	if o.over != nil {
		o.over()
		o.over = nil
	}
	for {
		if events, err := o.drain(); len(events) > 0 || err != nil {
			events = o.withChanges(events)
			if o.limiter != nil && err == nil {
				o.over = o.limiter.take(ctx, shortestTurn)
			}
			return events, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-o.some:
		}
	}
}

func (o *outbox) drain() ([]Event, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.order) == 0 {
		return nil, o.ended
	}
	events := make([]Event, 0, len(o.order))
	for _, about := range o.order {
		events = append(events, o.pending[about])
	}
	clear(o.pending)
	o.order = nil
	return events, nil
}

// withChanges adds to a market the changes since the last one that was read. It runs when
// events are read, so that a slow reader misses no change.
func (o *outbox) withChanges(events []Event) []Event {
	for i, e := range events {
		m, ok := e.(MarketEvent)
		if !ok || m.Market == nil || m.Partial {
			continue
		}
		if m.Generation != o.sentGeneration {
			if o.sent != nil {
				m.Changes, m.Before = m.compared.between(o.sent, m.Market), o.sentAt
			}
			o.sent, o.sentGeneration = m.Market, m.Generation
			events[i] = m
		}
		o.sentAt = m.At
	}
	return events
}

// limiter limits how many readers work at once. Otherwise an event for all users of a shared
// session would delay everyone's keys.
type limiter struct{ slots chan struct{} }

// longestHold limits the time that a slot is occupied.
const longestHold = 20 * time.Millisecond

// newLimiter returns a limiter that leaves one processor free for keys.
func newLimiter() *limiter {
	return &limiter{make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1))}
}

// take waits for a slot, or until ctx ends. The slot is released when over has been called
// and least has passed, or after longestHold.
func (t *limiter) take(ctx context.Context, least time.Duration) (over func()) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-t.slots })
	late, began := time.AfterFunc(longestHold, free), time.Now()
	return func() {
		if !late.Stop() {
			return
		}
		if left := least - time.Since(began); left > 0 {
			time.AfterFunc(left, free)
			return
		}
		free()
	}
}
