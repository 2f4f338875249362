package cli

import (
	"context"
	"sync"
	"sync/atomic"

	"tonne/ui"
)

// event is something that happens once: it is closed then.
type event <-chan struct{}

func now() event {
	happened := make(chan struct{})
	close(happened)
	return happened
}

func (e event) await(ctx context.Context) {
	select {
	case <-e:
	case <-ctx.Done():
	}
}

func (d *dashboardRun) firstFrame(o *ui.Options) (shown event) {
	written := make(chan struct{})
	told := sync.OnceFunc(func() { close(written) })
	var drawn atomic.Bool
	o.Drawn = func() { drawn.Store(true) }
	d.wrote = func() {
		if drawn.Load() {
			told()
		}
	}
	return written
}
