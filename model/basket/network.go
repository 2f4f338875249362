package basket

import "math"

// balance gives floors what they lack. A tonne flows from its floor through its order to
// its group, and the cheapest flow is found by improving one: what floors lack is moved to
// them along the cheapest ways. What cannot be moved is dropped, the dearest first.
func (b *Book) balance(f *filling, in bounds) {
	n := newNetwork(b, f, in)
	for n.excess > 0 && n.shift() {
	}
	// Where nothing can be moved any more, the basket gives what is too much of it.
	n.givesUp = true
	for n.excess > 0 && n.shift() {
	}
	for i, taken := range f.taken {
		if taken > 0 && f.offers[i].price > n.dearest {
			f.beyond = true
		}
	}
}

// network is a filling as a flow from floors, node 0 for none, to groups, and to the basket, the last node.
type network struct {
	f *filling
	// dearest is the highest price that lengths have room for. A filling without dearer
	// orders is the cheapest also at true prices, which are no lower.
	dearest     int64
	perGroup    int64
	least, used []int64
	pairs       []*pair
	// excess is how much more of the basket is free of floors than may be.
	excess int64
	// givesUp says that the basket gives tonnes, and no longer the floors that lack them.
	givesUp bool

	ways []way
	far  []int64
	came []*way
}

type pair struct {
	from, to int
	orders   []uint32
	// more is the first order with room, last the last that is taken: len(orders) or −1.
	more, last int
}

// way leads between nodes. What moves adds to what is taken of its pair or else to the room of a group.
type way struct {
	from, to     int
	length, fits int64
	pair         *pair
	group        int
	adds         int64
}

const unreachable = math.MaxInt64

func newNetwork(b *Book, f *filling, in bounds) *network {
	n := &network{f: f, perGroup: in.perGroup, least: in.least}
	n.used = make([]int64, len(n.least))
	n.far, n.came = make([]int64, n.basket()+1), make([]*way, n.basket()+1)
	n.dearest = math.MaxInt64 / int64(2*len(n.far)+2)
	pairs := make([]*pair, len(n.least)*len(f.groupRoom))
	for i := 0; i < len(f.offers) && f.offers[i].price <= in.maxPrice; i++ {
		project := f.offers[i].project
		from, group := in.floors[b.types.of[project]], int(f.group[project])
		if in.labelled && b.labelled[f.offers[i].vintage] {
			from = 1
		}
		n.used[from] += f.taken[i]
		p := pairs[from*len(f.groupRoom)+group]
		if p == nil {
			p = &pair{from: from, to: len(n.least) + group}
			pairs[from*len(f.groupRoom)+group] = p
			n.pairs = append(n.pairs, p)
		}
		p.orders = append(p.orders, uint32(i))
		p.last = len(p.orders) - 1
	}
	n.excess = in.reserved - in.tonnes
	for i, used := range n.used {
		n.excess += max(used-n.least[i], 0)
	}
	return n
}

func (n *network) basket() int { return len(n.least) + len(n.f.groupRoom) }

func (n *network) settle(p *pair) {
	for p.more < len(p.orders) && n.room(p.orders[p.more]) == 0 {
		p.more++
	}
	for p.last >= 0 && n.f.taken[p.orders[p.last]] == 0 {
		p.last--
	}
}

func (n *network) room(order uint32) int64 {
	o := &n.f.offers[order]
	return min(o.tonnes-n.f.taken[order], n.f.projectRoom[o.project])
}

func (n *network) gives(node int) int64 {
	switch {
	case n.givesUp && node == n.basket():
		return n.excess
	case !n.givesUp && node < len(n.least):
		return n.least[node] - n.used[node]
	}
	return 0
}

func (n *network) shift() bool {
	n.measure()
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
	for ; n.came[start] != nil; start = n.came[start].from {
		tonnes = min(tonnes, n.came[start].fits)
	}
	tonnes = min(tonnes, n.gives(start))
	for to := end; n.came[to] != nil; to = n.came[to].from {
		n.move(n.came[to], tonnes)
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

func (n *network) measure() {
	for node := range n.far {
		n.far[node], n.came[node] = unreachable, nil
		if n.gives(node) > 0 {
			n.far[node] = 0
		}
	}
	n.findWays()
	for changed := true; changed; {
		changed = false
		for i := range n.ways {
			w := &n.ways[i]
			if n.far[w.from] != unreachable && n.far[w.from]+w.length < n.far[w.to] {
				n.far[w.to], n.came[w.to] = n.far[w.from]+w.length, w
				changed = true
			}
		}
	}
}

// findWays lists the ways in an order in which one round of measure mostly does: to a
// group, perhaps through the basket to another, and back to a type.
func (n *network) findWays() {
	n.ways = n.ways[:0]
	price := func(order uint32) int64 { return min(n.f.offers[order].price, n.dearest) }
	for _, p := range n.pairs {
		if n.settle(p); p.more < len(p.orders) {
			order := p.orders[p.more]
			n.ways = append(n.ways, way{from: p.from, to: p.to, length: price(order), fits: n.room(order), pair: p, adds: 1})
		}
	}
	for g, room := range n.f.groupRoom {
		if room > 0 {
			n.ways = append(n.ways, way{from: len(n.least) + g, to: n.basket(), fits: room, group: g, adds: -1})
		}
	}
	for g, room := range n.f.groupRoom {
		if room < n.perGroup {
			n.ways = append(n.ways, way{from: n.basket(), to: len(n.least) + g, fits: n.perGroup - room, group: g, adds: 1})
		}
	}
	for _, p := range n.pairs {
		if p.last >= 0 {
			order := p.orders[p.last]
			n.ways = append(n.ways, way{from: p.to, to: p.from, length: -price(order), fits: n.f.taken[order], pair: p, adds: -1})
		}
	}
}

func (n *network) move(w *way, tonnes int64) {
	p, tonnes := w.pair, w.adds*tonnes
	if p == nil {
		n.f.groupRoom[w.group] += tonnes
		return
	}
	var order uint32
	if w.adds > 0 {
		order, p.last = p.orders[p.more], max(p.last, p.more)
	} else {
		// All that is cheaper in its project is taken whole.
		order, p.more = p.orders[p.last], min(p.more, p.last)
	}
	n.f.taken[order] += tonnes
	n.f.projectRoom[n.f.offers[order].project] -= tonnes
}
