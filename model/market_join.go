package model

import (
	"runtime"
	"slices"
	"strings"
)

// NewMarket joins the pages of one read into a market. A project, vintage or
// order that is listed twice is kept once, where it came first: orders may
// move between pages while they are read.
func NewMarket(parts ...*MarketPage) *Market {
	var b MarketBuilder
	b.expect(sum(parts))
	for _, part := range parts {
		b.Add(part)
	}
	return b.Market()
}

// size is how much stands on pages.
type size struct{ projects, vintages, orders, text int }

func sum(parts []*MarketPage) (of size) {
	for _, p := range parts {
		of.projects += len(p.projects)
		of.vintages += len(p.vintages)
		of.orders += len(p.prices)
		of.text += len(p.orderIDs)
	}
	return of
}

// MarketBuilder joins pages while they arrive, as NewMarket does all at once. The
// zero value has none.
type MarketBuilder struct {
	parts []*MarketPage
	m     *Market
	text  strings.Builder
	// known are the projects so far, and scattered says that one came back behind
	// others: its place is no longer free.
	known     map[string]bool
	scattered bool
}

// Room is made for so many things at most, with ids so long, before they are there:
// what a service says of its pages may be wrong.
const (
	maxExpected = 250_000
	longID      = 64
)

// Expect begins anew, with room for so many pages that are like one. It reports
// false where that is too much to be sure of.
func (b *MarketBuilder) Expect(pages int, like *MarketPage) bool {
	*b = MarketBuilder{}
	of := sum([]*MarketPage{like})
	if pages > maxExpected || pages*max(of.projects, of.vintages, of.orders, of.text/longID) > maxExpected {
		return false
	}
	b.expect(size{of.projects * pages, of.vintages * pages, of.orders * pages, of.text * pages})
	return true
}

func (b *MarketBuilder) expect(of size) {
	b.known = make(map[string]bool, of.projects)
	b.m = &Market{
		projects: make([]MarketProject, 0, of.projects),
		vintages: make([]MarketVintage, 0, of.vintages), byVintage: newIndex(of.vintages),
		orderIDs: idColumn{ends: make([]uint32, 0, of.orders)}, byOrder: newIndex(of.orders),
		quantities: make([]Grams, 0, of.orders), prices: make([]PriceCents, 0, of.orders),
	}
	b.text.Reset()
	b.text.Grow(of.text)
}

// Add takes the next page, which is not changed until the market is there.
func (b *MarketBuilder) Add(part *MarketPage) {
	if b.m == nil {
		b.expect(size{})
	}
	b.parts = append(b.parts, part)
	for i, p := range part.projects {
		last := len(b.m.projects) - 1
		switch {
		case b.scattered:
		case !b.known[p.id]:
			b.known[p.id] = true
			b.addProject(p.id)
			b.addVintages(part, i)
		case b.m.projects[last].ID == p.id:
			// Pages may be cut within a project.
			b.addVintages(part, i)
		default:
			b.scattered = true
		}
	}
}

// Market returns the market of all pages.
func (b *MarketBuilder) Market() *Market {
	if b.scattered || b.m == nil {
		b.gather()
	}
	return b.finish()
}

// source is one appearance of a project: its number on a page.
type source struct {
	part    *MarketPage
	project int
}

func (b *MarketBuilder) gather() {
	b.expect(sum(b.parts))
	for _, sources := range b.sources() {
		for i, s := range sources {
			if i == 0 {
				b.addProject(s.part.projects[s.project].id)
			}
			b.addVintages(s.part, s.project)
		}
	}
}

func (b *MarketBuilder) sources() [][]source {
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

func (b *MarketBuilder) addProject(id string) {
	b.m.projects = append(b.m.projects, MarketProject{ID: id, First: len(b.m.vintages)})
}

func (b *MarketBuilder) addVintages(part *MarketPage, project int) {
	for v, end := part.vintagesOf(project); v < end; v++ {
		b.addVintage(part, v)
	}
	b.m.projects[len(b.m.projects)-1].End = len(b.m.vintages)
}

// turn is how many vintages are joined before others may take the processor,
// such as a key that was pressed meanwhile: well under a millisecond.
const turn = 100

// addVintage adds the vintage unless its project has it already. Of a vintage
// that is listed twice the first list of orders counts: the two are the same
// book at two moments, and mixing them would show orders that are gone.
func (b *MarketBuilder) addVintage(part *MarketPage, vintage int) {
	m := b.m
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
	m.byVintage = m.byVintage.roomFor(len(m.vintages), func(i int) string { return m.vintages[i].ID })
	m.byVintage.add(v.id, len(m.vintages))
	m.vintages = append(m.vintages, row)
	if len(m.vintages)%turn == 0 {
		runtime.Gosched()
	}
}

func (b *MarketBuilder) addOrder(part *MarketPage, o int, row *MarketVintage) {
	m, id := b.m, part.orderID(o)
	m.byOrder = m.byOrder.roomFor(len(m.prices), b.orderID)
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

// count adds an order to what is available. A sum with a quantity that could not
// be read, or beyond any quantity, is not known, rather than wrong.
func (b *MarketBuilder) count(row *MarketVintage, q Grams) {
	if !row.Available.Known() || !q.Known() {
		row.Available = UnknownGrams
		return
	}
	sum, err := AddGrams(row.Available, q)
	if err != nil {
		sum = UnknownGrams
		b.m.faults = append(b.m.faults, Fault{Path: row.ID + ".sell_orders", Reason: "sum to more than a quantity can be"})
	}
	row.Available = sum
}

func (b *MarketBuilder) orderID(i int) string {
	return idColumn{b.text.String(), b.m.orderIDs.ends}.at(i)
}

func (b *MarketBuilder) finish() *Market {
	m := b.m
	m.orderIDs = idColumn{trimmedText(&b.text), trimmed(m.orderIDs.ends)}
	m.quantities, m.prices = trimmed(m.quantities), trimmed(m.prices)
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

// trimmed returns a column without room that nothing came for: it would stay as long
// as the market.
func trimmed[T any](column []T) []T {
	if cap(column)-len(column) <= len(column)/8 {
		return column
	}
	return slices.Clone(column)
}

func trimmedText(b *strings.Builder) string {
	if b.Cap()-b.Len() <= b.Len()/8 {
		return b.String()
	}
	return strings.Clone(b.String())
}
