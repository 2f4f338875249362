package record

import (
	"maps"

	"tonne/model"
	"tonne/model/market"
)

// offer is an order of a vintage. A vintage without orders has one offer without an id, and a
// project without vintages one whose vintage has no id.
type offer struct {
	of    model.VintageKey
	order market.SellOrder
}

// difference is what a read showed that the one before it did not.
type difference struct {
	// gone are the offers of the earlier market, and come those of the later one, that the
	// other market does not have with the same price and quantity.
	gone, come []offer
	// orders counts the orders that appeared, vanished or changed.
	orders int
}

// diff compares two markets, except the vintages that are the same: the earlier one lacks them.
func diff(was, now *market.Market, same map[model.VintageKey]bool) (d difference) {
	seen := make([]bool, was.Orders())
	for v := range now.Vintages() {
		if !same[now.Key(v)] {
			d.compare(was, now, v, seen)
		}
	}
	for v := range was.Vintages() {
		for i := int(was.Vintage(v).First); i < int(was.Vintage(v).End); i++ {
			if !seen[i] {
				d.gone = append(d.gone, offer{was.Key(v), was.Order(i)})
				d.orders++
			}
		}
	}
	before, after := empty(was), empty(now)
	maps.DeleteFunc(after, func(key model.VintageKey, _ bool) bool { return same[key] })
	d.gone, d.come = appendMissing(d.gone, before, after), appendMissing(d.come, after, before)
	return d
}

// compare compares the orders of vintage v. Most are in the same place in both markets.
func (d *difference) compare(was, now *market.Market, v int, seen []bool) {
	key := now.Key(v)
	old, known := v, v < was.Vintages() && was.Key(v) == key
	if !known {
		old, known = was.Find(key)
	}
	next := 0
	if known {
		next = int(was.Vintage(old).First)
	}
	for i := int(now.Vintage(v).First); i < int(now.Vintage(v).End); i++ {
		o := now.Order(i)
		at, found := next, known && was.Has(old, next) && was.Order(next).ID == o.ID
		if !found && known {
			at, found = was.FindOrder(o.ID)
			found = found && was.Has(old, at)
		}
		if found {
			seen[at], next = true, at+1
			before := was.Order(at)
			if before == o {
				continue
			}
			d.gone = append(d.gone, offer{key, before})
		}
		d.come = append(d.come, offer{key, o})
		d.orders++
	}
}

// empty returns the projects without vintages and the vintages without orders.
func empty(m *market.Market) map[model.VintageKey]bool {
	keys := make(map[model.VintageKey]bool)
	for i := range m.Projects() {
		p := m.Project(i)
		if p.First == p.End {
			keys[model.VintageKey{ProjectID: p.ID}] = true
		}
		for v := p.First; v < p.End; v++ {
			if m.Vintage(v).Asks() == 0 {
				keys[m.Key(v)] = true
			}
		}
	}
	return keys
}

func appendMissing(offers []offer, keys, others map[model.VintageKey]bool) []offer {
	for key := range keys {
		if !others[key] {
			offers = append(offers, offer{of: key})
		}
	}
	return offers
}
