package feed

import (
	"context"
	"errors"
	"sync"

	"tonne/model"
)

// ErrEnded is returned by Next once a desk has ended.
var ErrEnded = errors.New("the feed has ended")

// outbox keeps the latest event of each resource until it is read.
type outbox struct {
	mu      sync.Mutex
	pending map[string]Event
	order   []string
	ended   error
	// some holds a token while there are events or the desk has ended.
	some chan struct{}
	// sent is the last complete market that was read from here.
	sent           *model.Market
	sentGeneration uint64
}

func newOutbox() *outbox {
	return &outbox{pending: make(map[string]Event), some: make(chan struct{}, 1)}
}

// put replaces the event of a resource.
func (o *outbox) put(resource string, e Event) {
	o.mu.Lock()
	if _, waiting := o.pending[resource]; !waiting {
		o.order = append(o.order, resource)
	}
	o.pending[resource] = e
	o.mu.Unlock()
	wake(o.some)
}

func (o *outbox) close(err error) {
	if err == nil {
		err = ErrEnded
	}
	o.mu.Lock()
	o.ended = err
	o.mu.Unlock()
	wake(o.some)
}

func (o *outbox) take(ctx context.Context) ([]Event, error) {
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

// drain returns what is pending, or nothing with an error once there will be
// no more.
func (o *outbox) drain() ([]Event, error) {
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
// before it. It is done here, in the reader's goroutine but behind the queue,
// so that a reader that missed reads still learns of every change.
func (o *outbox) withChanges(events []Event) []Event {
	for i, e := range events {
		m, ok := e.(MarketEvent)
		if !ok || m.Market == nil || m.Partial || m.Generation == o.sentGeneration {
			continue
		}
		if o.sent != nil {
			m.Changes = m.Market.Since(o.sent)
		}
		o.sent, o.sentGeneration = m.Market, m.Generation
		events[i] = m
	}
	return events
}
