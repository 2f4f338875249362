package postgres

import (
	"context"
	"slices"
	"sync"
)

// turns let changes of this process that are about the same thing come one
// after the other. Without them each of many that want the same row would work
// until it finds out that another was first, and begin again with all the rest.
// They wait here without a connection. Other processes they meet at the row.
type turns struct {
	mu     sync.Mutex
	queues map[string]*queue
}

// queue is of the users of a thing. held has an item while one has its turn.
type queue struct {
	users int
	held  chan struct{}
}

// take waits for the turn of each thing, always in the same order. The error is
// the cause of the end of ctx.
func (t *turns) take(ctx context.Context, things []string) (release func(), err error) {
	var taken []string
	release = func() {
		for _, thing := range taken {
			t.leave(thing, true)
		}
	}
	for _, thing := range slices.Compact(slices.Sorted(slices.Values(things))) {
		select {
		case t.enter(thing) <- struct{}{}:
			taken = append(taken, thing)
		case <-ctx.Done():
			t.leave(thing, false)
			release()
			return nil, context.Cause(ctx)
		}
	}
	return release, nil
}

func (t *turns) enter(thing string) (held chan<- struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queues == nil {
		t.queues = make(map[string]*queue)
	}
	if t.queues[thing] == nil {
		t.queues[thing] = &queue{held: make(chan struct{}, 1)}
	}
	t.queues[thing].users++
	return t.queues[thing].held
}

func (t *turns) leave(thing string, held bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[thing]
	if held {
		<-q.held
	}
	if q.users--; q.users == 0 {
		delete(t.queues, thing)
	}
}
