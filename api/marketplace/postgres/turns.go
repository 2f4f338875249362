package postgres

import (
	"context"
	"slices"
	"sync"
)

// turns let changes of this process that are about the same thing come one
// after the other. Without them each of many who want the same row would work
// until it finds out that another was first, and begin again with all the rest.
// They wait here without a connection. Other processes they meet at the row.
type turns struct {
	mu     sync.Mutex
	queues map[string]*queue
}

// queue is of those who want a turn, and who has it. free holds a token while
// nobody has.
type queue struct {
	users int
	free  chan struct{}
}

// take waits for the turn of each thing, always in the same order. The error is
// the cause of the end of ctx.
func (t *turns) take(ctx context.Context, things []string) (release func(), err error) {
	things = slices.Clone(things)
	slices.Sort(things)
	things = slices.Compact(things)
	for i, thing := range things {
		select {
		case <-t.enter(thing).free:
		case <-ctx.Done():
			t.leave(things[i : i+1])
			t.free(things[:i])
			return nil, context.Cause(ctx)
		}
	}
	return func() { t.free(things) }, nil
}

func (t *turns) enter(thing string) *queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[thing]
	if q == nil {
		q = &queue{free: make(chan struct{}, 1)}
		q.free <- struct{}{}
		if t.queues == nil {
			t.queues = make(map[string]*queue)
		}
		t.queues[thing] = q
	}
	q.users++
	return q
}

func (t *turns) free(things []string) {
	t.mu.Lock()
	for _, thing := range things {
		t.queues[thing].free <- struct{}{}
	}
	t.mu.Unlock()
	t.leave(things)
}

func (t *turns) leave(things []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, thing := range things {
		if q := t.queues[thing]; q.users == 1 {
			delete(t.queues, thing)
		} else {
			q.users--
		}
	}
}
