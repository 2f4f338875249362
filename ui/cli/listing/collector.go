package listing

import (
	"context"
	"runtime/debug"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
)

// TunedCollector is a client that runs the garbage collector more often once a market is
// large. The columns of a market have no pointers, so scanning them is cheap, while the
// default of 100 % garbage would be hundreds of megabytes.
type TunedCollector struct{ session.Client }

// largeMarket is the number of sell orders of a large market. largeGarbage is its GOGC
// value in per cent. Smaller markets keep the default, because keys come first: at 100,000
// orders the slowest key took twice as long during polls with more frequent
// collections.
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
