package model

import (
	"math"
	"strings"
)

// Market is one snapshot of the sell orders that are available, grouped by
// project and vintage (interface section 2). It is not changed once it is
// built and safe to share. Orders live in flat columns and their ids in one
// text: a market of a hundred thousand orders is about ten objects.
type Market struct {
	projects   []MarketProject
	vintages   []MarketVintage
	orderIDs   idColumn
	quantities []Grams
	prices     []PriceCents
	byVintage  index
	byOrder    index
	extras     map[string][]Field
	faults     []Fault
}

// MarketProject is a project with its vintages, Vintage(First) up to but not
// including Vintage(End).
type MarketProject struct {
	ID         string
	First, End int
}

// MarketVintage is a vintage with its sell orders, Order(First) up to but not
// including Order(End).
type MarketVintage struct {
	ID string
	// Year is the year of the vintage, 0 where it could not be read.
	Year int32
	// Project is the index of the project it belongs to.
	Project    uint32
	First, End uint32
	// BestAsk is the lowest price among the sell orders that offer at least
	// one whole tonne, or UnknownPrice where none does.
	BestAsk PriceCents
	// Available is the sum of all sell orders in grams.
	Available Grams
}

// Asks is the number of sell orders of the vintage.
func (v MarketVintage) Asks() int { return int(v.End - v.First) }

// SellOrder is an offer of credits of one vintage.
type SellOrder struct {
	ID string
	// Quantity is what is available in grams. Only its whole tonnes are sold.
	Quantity Grams
	Price    PriceCents
}

// Buyable reports whether the order offers at least one whole tonne at a
// known price.
func (o SellOrder) Buyable() bool { return o.Quantity.Tonnes() > 0 && o.Price.Known() }

// Projects returns the number of projects.
func (m *Market) Projects() int { return len(m.projects) }

// Vintages returns the number of vintages over all projects.
func (m *Market) Vintages() int { return len(m.vintages) }

// Orders returns the number of sell orders over all vintages.
func (m *Market) Orders() int { return len(m.prices) }

// Project returns project i, counted from 0 in the order of the service.
func (m *Market) Project(i int) MarketProject { return m.projects[i] }

// Vintage returns vintage i. The vintages of a project follow one another.
func (m *Market) Vintage(i int) MarketVintage { return m.vintages[i] }

// ProjectOf returns the project that vintage i belongs to.
func (m *Market) ProjectOf(i int) MarketProject { return m.projects[m.vintages[i].Project] }

// Key returns the name of vintage i.
func (m *Market) Key(i int) VintageKey { return VintageKey{m.ProjectOf(i).ID, m.vintages[i].ID} }

// Order returns sell order i. The orders of a vintage follow one another.
func (m *Market) Order(i int) SellOrder {
	return SellOrder{m.orderIDs.at(i), m.quantities[i], m.prices[i]}
}

// Find returns the index of a vintage of a project.
func (m *Market) Find(key VintageKey) (int, bool) {
	return m.byVintage.find(key.VintageID, func(i int) bool { return m.Key(i) == key })
}

// FindVintage returns the index of the first vintage with the id, whatever
// its project.
func (m *Market) FindVintage(id string) (int, bool) {
	return m.byVintage.find(id, func(i int) bool { return m.vintages[i].ID == id })
}

// FindOrder returns the index of the sell order with the id.
func (m *Market) FindOrder(id string) (int, bool) {
	return m.byOrder.find(id, func(i int) bool { return m.orderIDs.at(i) == id })
}

// Extra returns the members that the interface does not name of the project,
// vintage or sell order with the id.
func (m *Market) Extra(id string) []Field { return m.extras[id] }

// Faults returns the values that could not be read, in wire order.
func (m *Market) Faults() []Fault { return m.faults }

// idColumn is a column of ids in one text.
type idColumn struct {
	text string
	ends []uint32
}

func (c idColumn) at(i int) string {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]]
}

// MarketPart collects one page of the market while it is decoded: each
// project, then its vintages, then their orders. The zero value is empty.
type MarketPart struct {
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
// A part that would pass it takes no more orders.
const maxMarketText = math.MaxUint32 / 2

// AddProject starts a project: the vintages that follow belong to it.
func (p *MarketPart) AddProject(id string) {
	p.projects = append(p.projects, span{id, len(p.vintages)})
}

// AddVintage starts a vintage of the last project. The year is 0 where it
// could not be read.
func (p *MarketPart) AddVintage(id string, year int) {
	p.vintages = append(p.vintages, vintagePart{span{id, len(p.prices)}, year})
}

// NameProject names the last project: members of an object come in any order.
func (p *MarketPart) NameProject(id string) { p.projects[len(p.projects)-1].id = id }

// NameVintage names the last vintage.
func (p *MarketPart) NameVintage(id string, year int) {
	v := &p.vintages[len(p.vintages)-1]
	v.id, v.year = id, year
}

// AddOrder adds a sell order to the last vintage. The id is copied.
func (p *MarketPart) AddOrder(id []byte, quantity Grams, price PriceCents) {
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
func (p *MarketPart) AddExtra(id string, f Field) {
	if p.extras == nil {
		p.extras = make(map[string][]Field)
	}
	p.extras[id] = append(p.extras[id], f)
}

// AddFault keeps why a value could not be read.
func (p *MarketPart) AddFault(f Fault) { p.faults = append(p.faults, f) }

// Projects returns the number of projects in the part.
func (p *MarketPart) Projects() int { return len(p.projects) }

// Orders returns the number of sell orders in the part.
func (p *MarketPart) Orders() int { return len(p.prices) }

// ProjectIDs returns the ids of the projects in the part.
func (p *MarketPart) ProjectIDs() []string {
	ids := make([]string, len(p.projects))
	for i, project := range p.projects {
		ids[i] = project.id
	}
	return ids
}

func (p *MarketPart) vintagesOf(project int) (first, end int) {
	end = len(p.vintages)
	if project+1 < len(p.projects) {
		end = p.projects[project+1].first
	}
	return p.projects[project].first, end
}

func (p *MarketPart) ordersOf(vintage int) (first, end int) {
	end = len(p.prices)
	if vintage+1 < len(p.vintages) {
		end = p.vintages[vintage+1].first
	}
	return p.vintages[vintage].first, end
}

func (p *MarketPart) orderID(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = p.orderEnds[i-1]
	}
	return p.orderIDs[start:p.orderEnds[i]]
}

// NewMarket joins the pages of one read into a market. A project, vintage or
// order that is listed twice is kept once, where it came first: orders may
// move between pages while they are read.
func NewMarket(parts ...*MarketPart) *Market {
	b := newMarketBuilder(parts)
	for _, project := range b.sources() {
		b.addProject(project)
	}
	return b.finish()
}

// source is one appearance of a project: its number in a part.
type source struct {
	part    *MarketPart
	project int
}

type marketBuilder struct {
	parts []*MarketPart
	m     *Market
	text  strings.Builder
}

func newMarketBuilder(parts []*MarketPart) *marketBuilder {
	b := &marketBuilder{parts: parts, m: &Market{}}
	var projects, vintages, orders, text int
	for _, p := range parts {
		projects += len(p.projects)
		vintages += len(p.vintages)
		orders += len(p.prices)
		text += len(p.orderIDs)
	}
	b.m.projects = make([]MarketProject, 0, projects)
	b.m.vintages = make([]MarketVintage, 0, vintages)
	b.m.orderIDs.ends = make([]uint32, 0, orders)
	b.m.quantities = make([]Grams, 0, orders)
	b.m.prices = make([]PriceCents, 0, orders)
	b.m.byVintage = newIndex(vintages)
	b.m.byOrder = newIndex(orders)
	b.text.Grow(text)
	return b
}

// sources returns the appearances of each project, in the order of the first.
func (b *marketBuilder) sources() [][]source {
	var projects [][]source
	byID := make(map[string]int)
	for _, part := range b.parts {
		for i, p := range part.projects {
			n, seen := byID[p.id]
			if !seen {
				n = len(projects)
				byID[p.id] = n
				projects = append(projects, nil)
			}
			projects[n] = append(projects[n], source{part, i})
		}
	}
	return projects
}

func (b *marketBuilder) addProject(sources []source) {
	first := len(b.m.vintages)
	id := sources[0].part.projects[sources[0].project].id
	b.m.projects = append(b.m.projects, MarketProject{ID: id, First: first})
	for _, s := range sources {
		v, end := s.part.vintagesOf(s.project)
		for ; v < end; v++ {
			b.addVintage(s, v)
		}
	}
	b.m.projects[len(b.m.projects)-1].End = len(b.m.vintages)
}

// addVintage adds the vintage unless its project has it already. Of a vintage
// that is listed twice the first list of orders counts: the two are the same
// book at two moments, and mixing them would show orders that are gone.
func (b *marketBuilder) addVintage(s source, vintage int) {
	m, part := b.m, s.part
	v := part.vintages[vintage]
	project := len(m.projects) - 1
	if _, seen := m.byVintage.find(v.id, func(i int) bool {
		return m.vintages[i].ID == v.id && m.vintages[i].Project == uint32(project)
	}); seen {
		return
	}
	row := MarketVintage{
		ID: v.id, Year: int32(v.year), Project: uint32(project),
		First: uint32(len(m.prices)), BestAsk: UnknownPrice,
	}
	for o, end := part.ordersOf(vintage); o < end; o++ {
		b.addOrder(part, o, &row)
	}
	row.End = uint32(len(m.prices))
	m.byVintage.add(v.id, len(m.vintages))
	m.vintages = append(m.vintages, row)
}

func (b *marketBuilder) addOrder(part *MarketPart, o int, row *MarketVintage) {
	m, id := b.m, part.orderID(o)
	if b.text.Len()+len(id) > maxMarketText || !m.byOrder.addNew(id, len(m.prices), b.orderID) {
		return
	}
	b.text.Write(id)
	m.orderIDs.ends = append(m.orderIDs.ends, uint32(b.text.Len()))
	order := SellOrder{Quantity: part.quantities[o], Price: part.prices[o]}
	m.quantities = append(m.quantities, order.Quantity)
	m.prices = append(m.prices, order.Price)
	row.Available = row.Available.AddUpTo(order.Quantity)
	if order.Buyable() && (!row.BestAsk.Known() || order.Price < row.BestAsk) {
		row.BestAsk = order.Price
	}
}

// orderID reads an id back while the text still grows.
func (b *marketBuilder) orderID(i int) string {
	return idColumn{b.text.String(), b.m.orderIDs.ends}.at(i)
}

func (b *marketBuilder) finish() *Market {
	b.m.orderIDs.text = b.text.String()
	for _, part := range b.parts {
		b.m.faults = append(b.m.faults, part.faults...)
		for id, fields := range part.extras {
			if b.m.extras == nil {
				b.m.extras = make(map[string][]Field)
			}
			if b.m.extras[id] == nil {
				b.m.extras[id] = fields
			}
		}
	}
	return b.m
}
