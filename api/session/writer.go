package session

import (
	"context"
	"errors"
	"fmt"
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

// read reads from the store, and calls then on the loop with the result. After the end of the
// session it returns an error.
func read[T any](l *loop, do func(ctx context.Context) (T, error), then func(found T, err error)) {
	var found T
	l.queue(job{
		read: true,
		do: func(ctx context.Context) (err error) {
			found, err = do(ctx)
			return err
		},
		then: func(err error) { then(found, err) },
	})
}

// task is a job that runs at most once at a time. It runs again if it becomes due meanwhile.
type task struct{ due, busy bool }

func (t *task) begin() bool {
	if !t.due || t.busy {
		return false
	}
	t.due, t.busy = false, true
	return true
}

func (l *loop) write(do func(ctx context.Context) error, then func(err error)) {
	l.queue(job{do: do, then: then})
}

func (l *loop) keep(subject Subject, do func(ctx context.Context) error) {
	l.write(do, func(err error) {
		if err == nil {
			return
		}
		if subject == LedgerWrites {
			l.ledger.unwritten = true
		}
		l.out.put(StoreEvent{Failed: []WriteError{{subject, err}}})
	})
}

func (l *loop) queue(j job) {
	then := j.then
	j.then = func(err error) {
		l.post(func(*loop) {
			then(err)
			l.afterJob(err)
		})
	}
	l.writer.jobs.post(j)
}

func (l *loop) afterJob(err error) {
	if broke, ok := errors.AsType[*PanicError](err); ok {
		l.err = broke
	}
	if err != nil && l.ctx.Err() == nil {
		l.log.Warn("the store failed", "error", err)
	}
	if problem := l.store.Problem(); problem != nil && !l.troubled {
		l.troubled = true
		l.out.put(StoreEvent{Problem: problem})
	}
	if lost := l.store.Lost(); lost != nil && !l.lost {
		l.lost = true
		l.out.put(StoreEvent{Lost: lost})
	}
}

// Subject names the data of a failed write.
type Subject string

// The subjects that a user can change.
const (
	WatchlistWrites Subject = "watch list"
	LedgerWrites    Subject = "ledger"
	ChoiceWrites    Subject = "choice"
)

// WriteError is the error of a failed write.
type WriteError struct {
	Subject Subject
	Err     error
}

// Error names the subject and the cause.
func (e WriteError) Error() string { return fmt.Sprintf("the %s was not saved: %v", e.Subject, e.Err) }

// Unwrap returns the cause.
func (e WriteError) Unwrap() error { return e.Err }

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
