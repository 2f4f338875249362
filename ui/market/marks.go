package market

import (
	"time"

	"tonne/model"
	"tonne/ui/tab"
)

// marks are what changed a moment ago: of vintages, the best ask, the tonnes
// for sale and the number of asks; of sell orders, price and tonnes.
type marks struct{ asks, depths, counts, prices, sizes tab.Flashes }

func (m *marks) add(changes model.MarketChanges, now time.Time) {
	for _, c := range changes.Asks {
		m.asks.Add(c.Vintage.VintageID, now)
	}
	for _, c := range changes.Orders {
		if c.Kind == model.Appeared || c.Kind == model.Vanished {
			m.counts.Add(c.Vintage.VintageID, now)
		}
		if c.Was.Quantity != c.Now.Quantity {
			m.depths.Add(c.Vintage.VintageID, now)
			m.sizes.Add(c.Now.ID, now)
		}
		if c.Was.Price != c.Now.Price {
			m.prices.Add(c.Now.ID, now)
		}
	}
}

func (m *marks) expire(now time.Time) (time.Time, bool) {
	return tab.ExpireAll(now, &m.asks, &m.depths, &m.counts, &m.prices, &m.sizes)
}

func (m *marks) any() bool { return m.asks.Any() || m.depths.Any() || m.counts.Any() }

func (m *marks) vintage(key model.VintageKey, column string) bool {
	switch column {
	case "ask", "delta":
		return m.asks.On(key.VintageID)
	case "available":
		return m.depths.On(key.VintageID)
	case "asks":
		return m.counts.On(key.VintageID)
	}
	return false
}

func (m *marks) order(id, column string) bool {
	switch column {
	case "price":
		return m.prices.On(id)
	case "tonnes":
		return m.sizes.On(id)
	}
	return false
}
