package cli

import (
	"context"
	"runtime/debug"
	"time"

	"tonne/api/feed"
	"tonne/model"
)

// starting is how long the garbage collector leaves a program alone that has
// just begun: a collection competes with the first screen for the processor.
const starting = time.Second

// calm has the garbage collector wait until there is more to collect while the
// program starts.
func calm() (end func() bool) {
	before := debug.SetGCPercent(400)
	return time.AfterFunc(starting, func() { debug.SetGCPercent(before) }).Stop
}

// thrifty is a client that has the garbage collector come more often once a
// market is large. Its columns have no pointers and cost the collector nothing
// to look at, but as much garbage again would be hundreds of megabytes.
type thrifty struct{ feed.Client }

// A market of so many sell orders is large; largeGarbage is how much garbage
// may stand beside it, in per cent.
const (
	largeMarket  = 100_000
	largeGarbage = 30
)

func (t thrifty) Market(ctx context.Context, perPage int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	m, err := t.Client.Market(ctx, perPage, each)
	if m != nil && m.Orders() >= largeMarket {
		debug.SetGCPercent(largeGarbage)
	}
	return m, err
}
