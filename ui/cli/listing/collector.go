package listing

import (
	"context"
	"runtime/debug"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
)

// TunedCollector is a client that makes the garbage collector come more often
// once a market is large. The columns of a market have no pointers and cost the
// collector nothing to look at, but as much garbage again would be hundreds of
// megabytes.
type TunedCollector struct{ session.Client }

// A market of so many sell orders is large; largeGarbage is how much garbage
// may stand beside it, in per cent. Below that keys go first: at 100,000 orders
// the slowest of them took twice as long beside polls that were collected more
// often.
const (
	largeMarket  = 250_000
	largeGarbage = 30
)

// Market reads the whole market.
func (t TunedCollector) Market(ctx context.Context, perPage int, each func(*market.Page, model.Page)) (*market.Market, error) {
	m, err := t.Client.Market(ctx, perPage, each)
	if m != nil && m.Orders() >= largeMarket {
		debug.SetGCPercent(largeGarbage)
	}
	return m, err
}
