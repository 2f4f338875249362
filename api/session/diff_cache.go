package session

import (
	"sync"
	"weak"

	"tonne/model/market"
)

// diffCache is the difference of two markets, computed once for all readers. It does not
// keep a market in memory. A nil one computes it each time.
type diffCache struct {
	mu      sync.Mutex
	was     weak.Pointer[market.Market]
	changes market.MarketChanges
}

func (c *diffCache) between(was, is *market.Market) market.MarketChanges {
	if c == nil {
		return is.Since(was)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.was.Value() != was {
		c.was, c.changes = weak.Make(was), is.Since(was)
	}
	return c.changes
}
