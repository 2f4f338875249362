package model

import "strings"

// ChangeKind says what happened to a sell order between two snapshots. A
// vanished order is not proof of a trade.
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
	Vintage VintageKey
	// Was and Now are the order before and after. Was is empty for an order
	// that appeared, Now for one that vanished.
	Was, Now SellOrder
}

// Clone returns a change that owns its bytes. One that Since returned keeps
// both snapshots' ids in memory: what outlives them keeps a clone.
func (c OrderChange) Clone() OrderChange {
	c.Vintage = c.Vintage.Clone()
	c.Was.ID, c.Now.ID = strings.Clone(c.Was.ID), strings.Clone(c.Now.ID)
	return c
}

// AskChange is a vintage whose best ask differs between two snapshots.
type AskChange struct {
	Vintage  VintageKey
	Was, Now PriceCents
}

// MarketChanges is the difference between two snapshots of the market. Its ids
// are slices of the snapshots' text.
type MarketChanges struct {
	Orders []OrderChange
	Asks   []AskChange
}

// Empty reports whether the two snapshots were the same.
func (c MarketChanges) Empty() bool { return len(c.Orders) == 0 && len(c.Asks) == 0 }

// Since returns what changed from the older snapshot was to m. Orders and
// vintages are matched by id, wherever they stand. An order that is both
// repriced and resized counts as repriced.
func (m *Market) Since(was *Market) MarketChanges {
	var c MarketChanges
	seen := make([]bool, was.Orders())
	next := 0
	for v := range m.vintages {
		row, key := &m.vintages[v], m.Key(v)
		old, hadVintage := was.Find(key)
		if hadVintage && was.vintages[old].BestAsk != row.BestAsk {
			c.Asks = append(c.Asks, AskChange{key, was.vintages[old].BestAsk, row.BestAsk})
		}
		for o := int(row.First); o < int(row.End); o++ {
			before, found := was.orderNear(next, m.orderIDs.at(o))
			if found {
				seen[before], next = true, before+1
			}
			c.compare(key, was, before, found, m, o)
		}
	}
	c.addVanished(was, seen)
	return c
}

func (m *Market) orderNear(guess int, id string) (int, bool) {
	if guess < m.Orders() && m.orderIDs.at(guess) == id {
		return guess, true
	}
	return m.FindOrder(id)
}

func (c *MarketChanges) compare(key VintageKey, was *Market, before int, found bool, m *Market, o int) {
	switch {
	case !found:
		c.Orders = append(c.Orders, OrderChange{Appeared, key, SellOrder{}, m.Order(o)})
	case was.prices[before] != m.prices[o]:
		c.Orders = append(c.Orders, OrderChange{Repriced, key, was.Order(before), m.Order(o)})
	case was.quantities[before] != m.quantities[o]:
		c.Orders = append(c.Orders, OrderChange{Resized, key, was.Order(before), m.Order(o)})
	}
}

func (c *MarketChanges) addVanished(was *Market, seen []bool) {
	for v := range was.vintages {
		row := &was.vintages[v]
		for o := int(row.First); o < int(row.End); o++ {
			if !seen[o] {
				c.Orders = append(c.Orders, OrderChange{Vanished, was.Key(v), was.Order(o), SellOrder{}})
			}
		}
	}
}
