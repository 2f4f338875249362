// Package basket finds the cheapest sell orders for a quantity or a budget, with limits on
// the share of a project, a type, a country or a label. The result is exact: no other
// basket within the limits is cheaper. It does not buy. Start reading at Book.
package basket

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/market"
)

// Book is the sell orders, cheapest first, then largest. It is immutable.
type Book struct {
	market    *market.Market
	offers    []offer
	types     groups
	countries groups
	// Labels is attribute.Facts.Labels, or nil without labels.
	Labels   func(key model.VintageKey) []string
	labelled []bool
	// Vintages is the number of vintages in the book.
	Vintages int
	// Unread counts unreadable orders, and Small those below a tonne. Both are omitted.
	Unread, Small int
	// ForSale is the quantity of all orders, in whole tonnes.
	ForSale int64
}

type offer struct {
	price, tonnes           int64
	order, vintage, project uint32
}

type groups struct {
	of     []uint32
	names  []string
	byName map[string]uint32
}

func (g *groups) add(name string) {
	folded := strings.ToLower(name)
	n, known := g.byName[folded]
	if !known {
		n = uint32(len(g.names))
		g.names = append(g.names, name)
		g.byName[folded] = n
	}
	g.of = append(g.of, n)
}

func (g *groups) find(name string) (uint32, bool) {
	n, ok := g.byName[strings.ToLower(strings.TrimSpace(name))]
	return n, ok
}

func (g *groups) name(project uint32) string { return g.names[g.of[project]] }

// NewBook returns the book of the vintages for which keep returns true, or of all if keep is nil. All
// projects of unknown type form one type, and likewise for countries.
func NewBook(m *market.Market, details model.Projects, keep func(vintage int) bool) *Book {
	b := &Book{market: m}
	b.types.byName, b.countries.byName = make(map[string]uint32), make(map[string]uint32)
	for i := range m.Projects() {
		p := details[m.Project(i).ID]
		b.types.add(p.Type)
		b.countries.add(p.Country)
	}
	offers := make([]offer, 0, m.Orders())
	for i := range m.Vintages() {
		if keep == nil || keep(i) {
			b.Vintages++
			offers = b.collect(offers, i)
		}
	}
	cheapestFirst(offers)
	b.offers = offers
	return b
}

func (b *Book) label(label string) *Book {
	if label = strings.ToLower(strings.TrimSpace(label)); label == "" {
		return b
	}
	marked := *b
	marked.labelled = make([]bool, b.market.Vintages())
	for i := range b.offers {
		v := b.offers[i].vintage
		marked.labelled[v] = marked.labelled[v] ||
			b.Labels != nil && slices.ContainsFunc(b.Labels(b.market.Key(int(v))), func(has string) bool {
				return strings.Contains(strings.ToLower(has), label)
			})
	}
	return &marked
}

func (b *Book) projectGroups() *groups {
	g := &groups{of: make([]uint32, b.market.Projects()), names: make([]string, b.market.Projects())}
	for i := range g.of {
		g.of[i] = uint32(i)
	}
	return g
}

func (b *Book) collect(offers []offer, vintage int) []offer {
	v := b.market.Vintage(vintage)
	for o := v.First; o < v.End; o++ {
		order := b.market.Order(int(o))
		switch {
		case order.Buyable():
			offers = append(offers, offer{int64(order.Price), order.Quantity.Tonnes(), o, uint32(vintage), v.Project})
			b.ForSale = addUpTo(b.ForSale, order.Quantity.Tonnes())
		case order.Readable():
			b.Small++
		default:
			b.Unread++
		}
	}
	return offers
}

func (b *Book) typesForSale() (names []string) {
	sells := make([]bool, len(b.types.names))
	for i := range b.offers {
		sells[b.types.of[b.offers[i].project]] = true
	}
	for i, name := range b.types.names {
		if sells[i] && name != "" {
			names = append(names, name)
		}
	}
	return names
}

func addUpTo(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func cheapestFirst(offers []offer) {
	slices.SortFunc(offers, func(a, b offer) int {
		if a.price != b.price {
			return cmp.Compare(a.price, b.price)
		}
		return cmp.Or(cmp.Compare(b.tonnes, a.tonnes), cmp.Compare(a.order, b.order))
	})
}
