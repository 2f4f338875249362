package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"tonne/api/worker"
	must "tonne/model/musttest"
)

func TestPanicReachesTheGoroutineThatWaits(t *testing.T) {
	t.Parallel()
	wait := worker.Start(func() error { panic("a broken part") })
	defer func() {
		text, _ := recover().(string)
		must.Hold(t, strings.HasPrefix(text, "a broken part\n") && strings.Contains(text, "worker_test.go"), text)
	}()
	err := wait()
	t.Error("no panic", err)
}

func TestErrorReachesTheGoroutineThatWaits(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	must.Fail(t, worker.Start(func() error { return broken })(), broken)
	must.Succeed(t, worker.Start(func() error { return nil })())
}

func TestEachNumberIsDoneOnceAndAFewAtATime(t *testing.T) {
	t.Parallel()
	const few, n = 3, 500
	var done [n]atomic.Int32
	var running, most atomic.Int32
	worker.Each(t.Context(), few, n, func(i int) {
		now := running.Add(1)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		done[i].Add(1)
		running.Add(-1)
	})
	for i := range done {
		must.Equal(t, done[i].Load(), 1, i)
	}
	must.Hold(t, most.Load() <= few, most.Load())
}

func TestNothingIsStartedAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var started atomic.Int32
	worker.Each(ctx, 1, 100, func(i int) {
		if started.Add(1); i == 4 {
			cancel()
		}
	})
	must.Equal(t, started.Load(), 5)
}
