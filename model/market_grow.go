package model

import "slices"

// Grow makes room for that many more sell orders with ids of that many bytes
// in all, so that a page that is decoded does not grow its columns step by
// step.
func (p *MarketPart) Grow(orders, idBytes int) {
	p.orderIDs = slices.Grow(p.orderIDs, idBytes)
	p.orderEnds = slices.Grow(p.orderEnds, orders)
	p.quantities = slices.Grow(p.quantities, orders)
	p.prices = slices.Grow(p.prices, orders)
}
