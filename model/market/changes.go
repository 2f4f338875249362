package market

import (
	"strings"

	"tonne/model"
)

// ChangeKind is the kind of a change. A vanished order need not have been traded.
type ChangeKind int8

// The kinds of change.
const (
	Appeared ChangeKind = iota
	Vanished
	Repriced
	Resized
)

// OrderChange is one sell order that differs between two snapshots.
type OrderChange struct {
	Kind    ChangeKind
	Vintage model.VintageKey
	// Was is empty for an order that appeared, Now for one that vanished.
	Was, Now SellOrder
}

// Clone returns a copy whose strings do not keep the memory of the snapshots in use.
func (c OrderChange) Clone() OrderChange {
	c.Vintage = c.Vintage.Clone()
	c.Was.ID, c.Now.ID = strings.Clone(c.Was.ID), strings.Clone(c.Now.ID)
	return c
}

// AskChange is a vintage whose best ask differs between two snapshots.
type AskChange struct {
	Vintage  model.VintageKey
	Was, Now model.PriceCents
}

// MarketChanges is the difference between two snapshots. It shares their strings.
type MarketChanges struct {
	Orders []OrderChange
	Asks   []AskChange
}

// Empty reports whether the snapshots are the same.
func (c MarketChanges) Empty() bool { return len(c.Orders) == 0 && len(c.Asks) == 0 }

// Since returns the changes since an older snapshot. Orders and vintages are matched by id.
// An order that changed in price and quantity counts as repriced.
func (m *Market) Since(was *Market) MarketChanges {
	var c MarketChanges
	seen := make([]bool, was.Orders())
	next := 0
	for v := range m.vintages {
		key, ask := m.Key(v), m.vintages[v].BestAsk
		if old, hadVintage := was.Find(key); hadVintage && was.vintages[old].BestAsk != ask {
			c.Asks = append(c.Asks, AskChange{key, was.vintages[old].BestAsk, ask})
		}
		for _, now := range m.ordersOf(v) {
			at, found := next, next < was.Orders() && was.orders[next].ID == now.ID
			if !found {
				at, found = was.FindOrder(now.ID)
			}
			if !found {
				c.Orders = append(c.Orders, OrderChange{Appeared, key, SellOrder{}, now})
				continue
			}
			seen[at], next = true, at+1
			switch before := was.orders[at]; {
			case before.Price != now.Price:
				c.Orders = append(c.Orders, OrderChange{Repriced, key, before, now})
			case before.Quantity != now.Quantity:
				c.Orders = append(c.Orders, OrderChange{Resized, key, before, now})
			}
		}
	}
	for v := range was.vintages {
		for i, o := range was.ordersOf(v) {
			if !seen[int(was.vintages[v].First)+i] {
				c.Orders = append(c.Orders, OrderChange{Vanished, was.Key(v), o, SellOrder{}})
			}
		}
	}
	return c
}
