package model

import (
	"math"
	"slices"
)

// MarketPage collects one page of the market while it is decoded: each
// project, then its vintages, then their orders. The zero value is empty.
type MarketPage struct {
	projects   []span
	vintages   []vintagePart
	orderIDs   []byte
	orderEnds  []uint32
	quantities []Grams
	prices     []PriceCents
	extras     map[string][]Field
	faults     []Fault
}

// span names a group and the index of its first member.
type span struct {
	id    string
	first int
}

type vintagePart struct {
	span
	year int
}

// maxMarketText is the largest sum of order id lengths in a market, in bytes.
// A page that would pass it takes no more orders.
const maxMarketText = math.MaxUint32 / 2

// Grow makes room for that many more sell orders with ids of that many bytes
// in all, so that a page that is decoded does not grow its columns step by
// step.
func (p *MarketPage) Grow(orders, idBytes int) {
	p.orderIDs = slices.Grow(p.orderIDs, idBytes)
	p.orderEnds = slices.Grow(p.orderEnds, orders)
	p.quantities = slices.Grow(p.quantities, orders)
	p.prices = slices.Grow(p.prices, orders)
}

// Reset empties the page and keeps its room for another one.
func (p *MarketPage) Reset() {
	clear(p.projects)
	clear(p.vintages)
	*p = MarketPage{
		projects: p.projects[:0], vintages: p.vintages[:0], orderIDs: p.orderIDs[:0], orderEnds: p.orderEnds[:0],
		quantities: p.quantities[:0], prices: p.prices[:0],
	}
}

// AddProject starts a project: the vintages that follow belong to it.
func (p *MarketPage) AddProject(id string) {
	p.projects = append(p.projects, span{id, len(p.vintages)})
}

// AddVintage starts a vintage of the last project. The year is 0 if it
// could not be read.
func (p *MarketPage) AddVintage(id string, year int) {
	p.vintages = append(p.vintages, vintagePart{span{id, len(p.prices)}, year})
}

// NameProject names the last project: members of an object come in any order.
func (p *MarketPage) NameProject(id string) { p.projects[len(p.projects)-1].id = id }

// NameVintage names the last vintage.
func (p *MarketPage) NameVintage(id string, year int) {
	v := &p.vintages[len(p.vintages)-1]
	v.id, v.year = id, year
}

// AddOrder adds a sell order to the last vintage. The id is copied.
func (p *MarketPage) AddOrder(id []byte, quantity Grams, price PriceCents) {
	if len(p.orderIDs)+len(id) > maxMarketText {
		return
	}
	p.orderIDs = append(p.orderIDs, id...)
	p.orderEnds = append(p.orderEnds, uint32(len(p.orderIDs)))
	p.quantities = append(p.quantities, quantity)
	p.prices = append(p.prices, price)
}

// AddExtra keeps a member that the interface does not name, of the project,
// vintage or sell order with the id.
func (p *MarketPage) AddExtra(id string, f Field) {
	if p.extras == nil {
		p.extras = make(map[string][]Field)
	}
	p.extras[id] = append(p.extras[id], f)
}

// AddFault keeps why a value could not be read.
func (p *MarketPage) AddFault(f Fault) { p.faults = append(p.faults, f) }

// Page returns a part of the market as a page: the projects from first up to but
// not including end. It shares columns with the market and is for NewMarket
// only; faults are not in it.
func (m *Market) Page(first, end int) *MarketPage {
	p := &MarketPage{}
	if first == end {
		return p
	}
	from := m.vintages[m.projects[first].First:m.projects[end-1].End]
	if len(from) > 0 {
		p.takeOrders(m, int(from[0].First), int(from[len(from)-1].End))
	}
	for _, project := range m.projects[first:end] {
		p.AddProject(project.ID)
		for _, v := range m.vintages[project.First:project.End] {
			p.vintages = append(p.vintages, vintagePart{span{v.ID, int(v.First - from[0].First)}, int(v.Year)})
			p.takeExtras(m, v.ID)
		}
		p.takeExtras(m, project.ID)
	}
	return p
}

func (p *MarketPage) takeOrders(m *Market, first, end int) {
	start := uint32(0)
	if first > 0 {
		start = m.orderIDs.ends[first-1]
	}
	p.orderEnds = make([]uint32, 0, end-first)
	for _, at := range m.orderIDs.ends[first:end] {
		p.orderEnds = append(p.orderEnds, at-start)
	}
	if end > first {
		p.orderIDs = []byte(m.orderIDs.text[start:m.orderIDs.ends[end-1]])
	}
	p.quantities = slices.Clip(m.quantities[first:end])
	p.prices = slices.Clip(m.prices[first:end])
	if len(m.extras) == 0 {
		return
	}
	for o := first; o < end; o++ {
		p.takeExtras(m, m.orderIDs.at(o))
	}
}

func (p *MarketPage) takeExtras(m *Market, id string) {
	if p.extras[id] != nil {
		return
	}
	for _, f := range m.extras[id] {
		p.AddExtra(id, f)
	}
}

// Projects returns the number of projects on the page.
func (p *MarketPage) Projects() int { return len(p.projects) }

// Orders returns the number of sell orders on the page.
func (p *MarketPage) Orders() int { return len(p.prices) }

// ProjectIDs returns the ids of the projects on the page.
func (p *MarketPage) ProjectIDs() []string {
	ids := make([]string, len(p.projects))
	for i, project := range p.projects {
		ids[i] = project.id
	}
	return ids
}

func (p *MarketPage) vintagesOf(project int) (first, end int) {
	end = len(p.vintages)
	if project+1 < len(p.projects) {
		end = p.projects[project+1].first
	}
	return p.projects[project].first, end
}

func (p *MarketPage) ordersOf(vintage int) (first, end int) {
	end = len(p.prices)
	if vintage+1 < len(p.vintages) {
		end = p.vintages[vintage+1].first
	}
	return p.vintages[vintage].first, end
}

func (p *MarketPage) orderID(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = p.orderEnds[i-1]
	}
	return p.orderIDs[start:p.orderEnds[i]]
}
