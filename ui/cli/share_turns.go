package cli

import (
	"context"
	"runtime"
	"sync"
	"time"

	"tonne/api/feed"
	"tonne/ui"
)

// turns let the dashboards of a server take news one after the other. Each
// market comes to all of them at once, and takes each some milliseconds: the key
// of one person would wait for all others.
type turns struct{ slots chan struct{} }

// shortestTurn is how long a turn lasts at least: the frame that news lead to is
// drawn behind them.
const shortestTurn = 3 * time.Millisecond

// longestTurn is how long a dashboard may keep others from their news. One whose
// terminal takes no output does not come back for more.
const longestTurn = 20 * time.Millisecond

// newTurns leaves a processor to the keys.
func newTurns() *turns { return &turns{make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1))} }

// take waits for a turn, or until ctx ends. It is over when over is called, or
// has lasted long enough.
func (t *turns) take(ctx context.Context) (over func()) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-t.slots })
	late, began := time.AfterFunc(longestTurn, free), time.Now()
	return func() {
		if late.Stop() {
			time.AfterFunc(shortestTurn-time.Since(began), free)
		}
	}
}

// orderly is a feed whose news wait for their turn, which is over when the
// dashboard asks for more.
type orderly struct {
	ui.Feed
	turns *turns
	over  func()
}

// Next returns what is new, in turn. It is meant for one reader.
func (o *orderly) Next(ctx context.Context) ([]feed.Event, error) {
	if o.over != nil {
		o.over()
		o.over = nil
	}
	events, err := o.Feed.Next(ctx)
	if err == nil {
		o.over = o.turns.take(ctx)
	}
	return events, err
}
