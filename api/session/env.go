package session

import (
	"context"
	"log/slog"
	"time"

	"tonne/api"
)

// progressGap is the least time between two events with the progress of a request.
const progressGap = 100 * time.Millisecond

// aheadAtMost is how far ahead of now a recorded value may be. A later value was written
// while the clock was wrong. It is not shown, but kept, since the current clock may be the
// wrong one.
const aheadAtMost = time.Hour

// env is what the loop gives to each of its parts. Only the goroutine of the loop calls them.
// Functions that run elsewhere may use ctx, now, log and post.
type env struct {
	// ctx ends with the session.
	ctx context.Context
	now func() time.Time
	log *slog.Logger
	// emit sends an event to the readers.
	emit func(Event)
	// post calls a function on the goroutine of the loop.
	post func(func())
	// spawn calls a function in another goroutine. The session waits for it.
	spawn func(func())
	// queue runs a job after the earlier ones.
	queue func(job)
	// refreshed is the time of the last Refresh.
	refreshed time.Time
}

func (e *env) wall() time.Time { return e.now().Round(0) }

// requestContext returns the context of requests to the service.
func (e *env) requestContext() context.Context { return api.Refreshed(e.ctx, e.refreshed) }

// whileRunning posts a function that is not needed after the end of the session.
func (e *env) whileRunning(f func()) {
	e.post(func() {
		if e.ctx.Err() == nil {
			f()
		}
	})
}

// read reads from the store, and calls then on the loop with the result. After the end of the
// session it returns an error.
func read[T any](e *env, do func(ctx context.Context) (T, error), then func(found T, err error)) {
	var found T
	e.queue(job{
		read: true,
		do: func(ctx context.Context) (err error) {
			found, err = do(ctx)
			return err
		},
		then: func(err error) { then(found, err) },
	})
}

func (e *env) write(do func(ctx context.Context) error, then func(err error)) {
	e.queue(job{do: do, then: then})
}

// keep writes a change of the user.
func (e *env) keep(subject Subject, do func(ctx context.Context) error) {
	e.write(do, func(err error) { e.reportUnsaved(subject, err) })
}

func (e *env) reportUnsaved(subject Subject, err error) {
	if err != nil {
		e.emit(StoreEvent{Failed: []WriteError{{subject, err}}})
	}
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
