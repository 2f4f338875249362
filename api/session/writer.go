package session

import (
	"context"
	"sync"
	"time"
)

// patience is how long the end of a session waits for pending writes, because another
// program may have locked the file.
const patience = 10 * time.Second

// job is a piece of work with the store.
type job struct {
	// read reports that the job may be skipped without loss.
	read bool
	do   func(ctx context.Context) error
	// then receives the error of do.
	then func(err error)
}

// writer runs jobs on the store one at a time, in order.
type writer struct {
	jobs *mailbox[job]
	// reads is cancelled at the end of the session, and writes only after patience.
	reads, writes context.Context
	abort         context.CancelFunc
	closing, done chan struct{}
	// err is the error of a write after the end of the session.
	err error
}

func newWriter(ctx context.Context) *writer {
	w := &writer{jobs: newMailbox[job](), reads: ctx, closing: make(chan struct{}), done: make(chan struct{})}
	w.writes, w.abort = context.WithCancel(context.WithoutCancel(ctx))
	return w
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case <-w.jobs.some:
			w.work()
		case <-w.closing:
			w.work()
			return
		}
	}
}

func (w *writer) close() error {
	defer w.abort()
	defer time.AfterFunc(patience, w.abort).Stop()
	close(w.closing)
	<-w.done
	return w.err
}

func (w *writer) work() {
	for _, j := range w.jobs.take() {
		err := w.do(j)
		if err != nil && w.err == nil && !j.read && w.reads.Err() != nil {
			w.err = err
		}
		j.then(err)
	}
}

func (w *writer) do(j job) (err error) {
	ctx := w.writes
	if j.read {
		if ctx = w.reads; ctx.Err() != nil {
			return ctx.Err()
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(p)
		}
	}()
	return j.do(ctx)
}

// mailbox keeps items in the order of posting until its owner takes them. Any goroutine may
// post; only one takes.
type mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	some  chan struct{}
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{some: make(chan struct{}, 1)} }

func (m *mailbox[T]) post(item T) {
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	select {
	case m.some <- struct{}{}:
	default:
	}
}

func (m *mailbox[T]) take() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}
