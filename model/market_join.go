package model

import "strings"

// NewMarket joins the pages of one read into a market. A project, vintage or
// order that is listed twice is kept once, where it came first: orders may
// move between pages while they are read.
func NewMarket(parts ...*MarketPage) *Market {
	b := newMarketBuilder(parts)
	for _, project := range b.sources() {
		b.addProject(project)
	}
	return b.finish()
}

// source is one appearance of a project: its number on a page.
type source struct {
	part    *MarketPage
	project int
}

type marketBuilder struct {
	parts []*MarketPage
	m     *Market
	text  strings.Builder
}

func newMarketBuilder(parts []*MarketPage) *marketBuilder {
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

func (b *marketBuilder) addOrder(part *MarketPage, o int, row *MarketVintage) {
	m, id := b.m, part.orderID(o)
	if b.text.Len()+len(id) > maxMarketText || !m.byOrder.addNew(id, len(m.prices), b.orderID) {
		return
	}
	b.text.Write(id)
	m.orderIDs.ends = append(m.orderIDs.ends, uint32(b.text.Len()))
	order := SellOrder{Quantity: part.quantities[o], Price: part.prices[o]}
	m.quantities = append(m.quantities, order.Quantity)
	m.prices = append(m.prices, order.Price)
	b.count(row, order.Quantity)
	if order.Buyable() && (!row.BestAsk.Known() || order.Price < row.BestAsk) {
		row.BestAsk = order.Price
	}
}

// count adds an order to what is available. A sum beyond any quantity is not
// known, rather than wrong.
func (b *marketBuilder) count(row *MarketVintage, q Grams) {
	if !row.Available.Known() {
		return
	}
	sum, err := AddGrams(row.Available, q)
	if err != nil {
		sum = UnknownGrams
		b.m.faults = append(b.m.faults, Fault{Path: row.ID + ".sell_orders", Reason: "sum to more than a quantity can be"})
	}
	row.Available = sum
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
