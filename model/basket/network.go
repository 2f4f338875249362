package basket

import (
	"math"
	"slices"
)

// fillAcross is fill where countries are capped and types have floors. A tonne
// then flows from its type through its order to its country, and the cheapest
// flow is found by improving one: it begins as the cheapest basket without the
// floors, and what the floors lack is moved to their types along the cheapest
// ways, one after the other. What cannot be moved is given up again, the dearest
// first. All steps are of whole tonnes, and none leaves a cheaper one undone.
//
// A label does as a type, and what is capped as a country: a project, if it is
// projects.
func (b *Book) fillAcross(in bounds) *filling {
	if in.labelled && in.perProject < math.MaxInt64 {
		in.group, in.perGroup, in.perProject = b.apart(), in.perProject, math.MaxInt64
	}
	f := b.newFilling(in)
	dearest := dearestOf(len(in.floors) + len(in.group.names) + 3)
	f.offers = noDearer(b.offers, in.maxPrice, dearest)
	f.takeCheapest(in.maxPrice, in.tonnes)
	n := newNetwork(b, f, in)
	for n.excess > 0 && n.shift(n.lacking) {
	}
	for n.excess > 0 && n.shift(n.giveUp) {
	}
	f.offers = b.offers
	for i, taken := range f.taken {
		if taken > 0 && f.offers[i].price > dearest {
			f.beyond = true
		}
	}
	return f
}

func dearestOf(nodes int) int64 { return math.MaxInt64 / int64(2*nodes+2) }

// noDearer returns the offers up to a price limit, with prices of the dearest at
// most. A filling of them that takes none that is dearer is the cheapest of the
// true prices too: they are no lower.
func noDearer(offers []offer, maxPrice, dearest int64) []offer {
	for len(offers) > 0 && offers[len(offers)-1].price > maxPrice {
		offers = offers[:len(offers)-1]
	}
	if len(offers) == 0 || offers[len(offers)-1].price <= dearest {
		return offers
	}
	offers = slices.Clone(offers)
	for i := len(offers) - 1; i >= 0 && offers[i].price > dearest; i-- {
		offers[i].price = dearest
	}
	return offers
}

// network is a filling as a flow between two kinds of nodes: the types that
// have floors, behind one node for all other types, and the countries. The
// last node is the basket.
type network struct {
	f           *filling
	perGroup    int64
	least, used []int64
	countries   int
	pairs       []pair
	// pairOf is the pair of a type and a country and 1, 0 if nobody sells such.
	pairOf []int
	// excess is how much more of the basket is free of floors than may be.
	excess int64

	far  []int64
	came []int
}

// pair is the orders of one type and one country, cheapest first.
type pair struct {
	from, to int
	orders   []uint32
	// more is the first order of which more can be taken, last the last of
	// which something is taken: len(orders) and −1 if there is none.
	more, last int
	// costs is what a tonne more costs, saves what one less saves.
	costs, saves int64
}

const unreachable = math.MaxInt64

func newNetwork(b *Book, f *filling, in bounds) *network {
	nodes := make([]int, len(b.types.names))
	n := &network{f: f, perGroup: in.perGroup, least: []int64{0}, countries: len(in.group.names)}
	if in.labelled {
		n.least = append(n.least, in.reserved)
	}
	for _, least := range in.floors {
		if least.known {
			nodes[least.group] = len(n.least)
			n.least = append(n.least, least.tonnes)
		}
	}
	n.used, n.pairOf = make([]int64, len(n.least)), make([]int, len(n.least)*n.countries)
	for i := 0; i < len(f.offers) && f.offers[i].price <= in.maxPrice; i++ {
		project := f.offers[i].project
		from := nodes[b.types.of[project]]
		if in.labelled && b.labelled[f.offers[i].vintage] {
			from = 1
		}
		n.used[from] += f.taken[i]
		p := n.pair(from, len(n.least)+int(f.group[project]))
		p.orders = append(p.orders, uint32(i))
	}
	for i := range n.pairs {
		n.pairs[i].last = len(n.pairs[i].orders) - 1
		n.settle(&n.pairs[i])
	}
	n.excess = in.reserved - in.tonnes
	for i, used := range n.used {
		n.excess += max(used-n.least[i], 0)
	}
	n.far, n.came = make([]int64, n.basket()+1), make([]int, n.basket()+1)
	return n
}

func (n *network) basket() int { return len(n.least) + n.countries }

func (n *network) pair(from, to int) *pair {
	i := &n.pairOf[from*n.countries+to-len(n.least)]
	if *i == 0 {
		n.pairs = append(n.pairs, pair{from: from, to: to})
		*i = len(n.pairs)
	}
	return &n.pairs[*i-1]
}

func (n *network) settle(p *pair) {
	for p.more < len(p.orders) && n.room(p.orders[p.more]) == 0 {
		p.more++
	}
	for p.last >= 0 && n.f.taken[p.orders[p.last]] == 0 {
		p.last--
	}
	p.costs, p.saves = unreachable, unreachable
	if p.more < len(p.orders) {
		p.costs = n.f.offers[p.orders[p.more]].price
	}
	if p.last >= 0 {
		p.saves = n.f.offers[p.orders[p.last]].price
	}
}

func (n *network) room(order uint32) int64 {
	o := &n.f.offers[order]
	return min(o.tonnes-n.f.taken[order], n.f.projectRoom[o.project])
}

func (n *network) lacking(node int) int64 {
	if node < len(n.least) {
		return max(n.least[node]-n.used[node], 0)
	}
	return 0
}

// giveUp is how much a node may give to a way where nothing can be moved any
// more: the basket, what is too much of it.
func (n *network) giveUp(node int) int64 {
	if node == n.basket() {
		return n.excess
	}
	return 0
}

func (n *network) shift(gives func(node int) int64) bool {
	n.measure(gives)
	end := -1
	for t := range n.least {
		if n.used[t] > n.least[t] && n.far[t] != unreachable && (end < 0 || n.far[t] < n.far[end]) {
			end = t
		}
	}
	if end < 0 {
		return false
	}
	tonnes, start := min(n.excess, n.used[end]-n.least[end]), end
	for n.came[start] >= 0 {
		tonnes = min(tonnes, n.fits(n.came[start], start))
		start = n.came[start]
	}
	tonnes = min(tonnes, gives(start))
	for to := end; n.came[to] >= 0; to = n.came[to] {
		n.move(n.came[to], to, tonnes)
	}
	if start < len(n.least) {
		n.used[start] += tonnes
	} else {
		n.f.total -= tonnes
	}
	n.used[end] -= tonnes
	n.excess -= tonnes
	return true
}

func (n *network) measure(gives func(node int) int64) {
	for node := range n.far {
		n.far[node], n.came[node] = unreachable, -1
		if gives(node) > 0 {
			n.far[node] = 0
		}
	}
	// Most ways go to a country, perhaps through the basket to another, and back
	// to a type: in this order one round finds them.
	for changed := true; changed; {
		changed = false
		n.ways(func(from, to int, length int64) {
			if n.far[from] != unreachable && n.far[from]+length < n.far[to] {
				n.far[to], n.came[to] = n.far[from]+length, from
				changed = true
			}
		})
	}
}

// ways calls way for each way on which tonnes can be moved, with what one costs.
func (n *network) ways(way func(from, to int, length int64)) {
	for i := range n.pairs {
		if p := &n.pairs[i]; p.costs != unreachable {
			way(p.from, p.to, p.costs)
		}
	}
	for c, room := range n.f.groupRoom {
		if room > 0 {
			way(len(n.least)+c, n.basket(), 0)
		}
	}
	for c, room := range n.f.groupRoom {
		if room < n.perGroup {
			way(n.basket(), len(n.least)+c, 0)
		}
	}
	for i := range n.pairs {
		if p := &n.pairs[i]; p.saves != unreachable {
			way(p.to, p.from, -p.saves)
		}
	}
}

func (n *network) fits(from, to int) int64 {
	switch types := len(n.least); {
	case to == n.basket():
		return n.f.groupRoom[from-types]
	case from == n.basket():
		return n.perGroup - n.f.groupRoom[to-types]
	case from < types:
		p := n.pair(from, to)
		return n.room(p.orders[p.more])
	}
	p := n.pair(to, from)
	return n.f.taken[p.orders[p.last]]
}

func (n *network) move(from, to int, tonnes int64) {
	switch types := len(n.least); {
	case to == n.basket():
		n.f.groupRoom[from-types] -= tonnes
	case from == n.basket():
		n.f.groupRoom[to-types] += tonnes
	case from < types:
		p := n.pair(from, to)
		n.change(p.orders[p.more], tonnes)
		p.last = max(p.last, p.more)
		n.settle(p)
	default:
		p := n.pair(to, from)
		n.change(p.orders[p.last], -tonnes)
		// All that is cheaper in its project is taken whole.
		p.more = min(p.more, p.last)
		n.settle(p)
	}
}

func (n *network) change(order uint32, tonnes int64) {
	n.f.taken[order] += tonnes
	n.f.projectRoom[n.f.offers[order].project] -= tonnes
}
