package session

import (
	"sync"
	"weak"

	"tonne/model"
)

// diffCache is a market compared with the one before it, once for all who read both.
// It keeps no market.
type diffCache struct {
	mu      sync.Mutex
	was     weak.Pointer[model.Market]
	changes model.MarketChanges
}

// forMany returns the event for several readers: the changes since the market that
// they read before are computed for the first of them.
func (e MarketEvent) forMany() MarketEvent {
	e.compared = new(diffCache)
	return e
}

func (e MarketEvent) since(was *model.Market) model.MarketChanges {
	c := e.compared
	if c == nil {
		return e.Market.Since(was)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.was.Value() != was {
		c.was, c.changes = weak.Make(was), e.Market.Since(was)
	}
	return c.changes
}
