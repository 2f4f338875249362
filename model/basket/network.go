package basket

import "math"

// balance fills the floors. A tonne flows from its floor through its order to its group.
// balance finds the flow of minimum cost by shortest augmenting paths: first it moves
// tonnes to the floors that lack them, then it drops the dearest tonnes that exceed the basket.
func (b *Book) balance(f *filling, in bounds) {
	n := newNetwork(b, f, in)
	for n.excess > 0 && n.augment() {
	}
	// Nothing can be moved any more: drop the excess.
	n.dropping = true
	for n.excess > 0 && n.augment() {
	}
	for i, taken := range f.taken {
		if taken > 0 && f.offers[i].price > n.dearest {
			f.tooDear = true
		}
	}
}

// network is a filling as a flow from floors (node 0: no floor) to groups, and to the basket, the last node.
type network struct {
	f *filling
	// dearest is the highest price for which distances do not overflow; prices above it are
	// lowered to it. A filling without such orders is also the cheapest at true prices.
	dearest     int64
	perGroup    int64
	least, used []int64
	pairs       []*pair
	// excess is the quantity outside floors that exceeds what the basket can have.
	excess int64
	// dropping reports that tonnes flow from the basket, instead of floors that lack them.
	dropping bool

	arcs     []arc
	distance []int64
	via      []*arc
}

type pair struct {
	from, to int
	orders   []uint32
	// more is the first order with room, or len(orders); last the last with a purchase, or −1.
	more, last int
}

// arc connects two nodes. Its flow, times adds, is added to its pair, or if nil to the room of a group.
type arc struct {
	from, to       int
	cost, capacity int64
	pair           *pair
	group          int
	adds           int64
}

const unreachable = math.MaxInt64

func newNetwork(b *Book, f *filling, in bounds) *network {
	n := &network{f: f, perGroup: in.perGroup, least: in.least}
	n.used = make([]int64, len(n.least))
	n.distance, n.via = make([]int64, n.basket()+1), make([]*arc, n.basket()+1)
	n.dearest = math.MaxInt64 / int64(2*len(n.distance)+2)
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

func (n *network) advance(p *pair) {
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

func (n *network) supply(node int) int64 {
	switch {
	case n.dropping && node == n.basket():
		return n.excess
	case !n.dropping && node < len(n.least):
		return n.least[node] - n.used[node]
	}
	return 0
}

func (n *network) augment() bool {
	n.findPaths()
	end := -1
	for t := range n.least {
		if n.used[t] > n.least[t] && n.distance[t] != unreachable && (end < 0 || n.distance[t] < n.distance[end]) {
			end = t
		}
	}
	if end < 0 {
		return false
	}
	tonnes, start := min(n.excess, n.used[end]-n.least[end]), end
	for ; n.via[start] != nil; start = n.via[start].from {
		tonnes = min(tonnes, n.via[start].capacity)
	}
	tonnes = min(tonnes, n.supply(start))
	for to := end; n.via[to] != nil; to = n.via[to].from {
		n.move(n.via[to], tonnes)
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

func (n *network) findPaths() {
	for node := range n.distance {
		n.distance[node], n.via[node] = unreachable, nil
		if n.supply(node) > 0 {
			n.distance[node] = 0
		}
	}
	n.listArcs()
	for changed := true; changed; {
		changed = false
		for i := range n.arcs {
			w := &n.arcs[i]
			if n.distance[w.from] != unreachable && n.distance[w.from]+w.cost < n.distance[w.to] {
				n.distance[w.to], n.via[w.to] = n.distance[w.from]+w.cost, w
				changed = true
			}
		}
	}
}

// listArcs lists the arcs in an order in which one pass of findPaths usually suffices: to a
// group, through the basket to another group, and back to a floor.
func (n *network) listArcs() {
	n.arcs = n.arcs[:0]
	price := func(order uint32) int64 { return min(n.f.offers[order].price, n.dearest) }
	for _, p := range n.pairs {
		if n.advance(p); p.more < len(p.orders) {
			order := p.orders[p.more]
			n.arcs = append(n.arcs, arc{from: p.from, to: p.to, cost: price(order), capacity: n.room(order), pair: p, adds: 1})
		}
	}
	for g, room := range n.f.groupRoom {
		if room > 0 {
			n.arcs = append(n.arcs, arc{from: len(n.least) + g, to: n.basket(), capacity: room, group: g, adds: -1})
		}
	}
	for g, room := range n.f.groupRoom {
		if room < n.perGroup {
			n.arcs = append(n.arcs, arc{from: n.basket(), to: len(n.least) + g, capacity: n.perGroup - room, group: g, adds: 1})
		}
	}
	for _, p := range n.pairs {
		if p.last >= 0 {
			order := p.orders[p.last]
			n.arcs = append(n.arcs,
				arc{from: p.to, to: p.from, cost: -price(order), capacity: n.f.taken[order], pair: p, adds: -1})
		}
	}
}

func (n *network) move(w *arc, tonnes int64) {
	p, tonnes := w.pair, w.adds*tonnes
	if p == nil {
		n.f.groupRoom[w.group] += tonnes
		return
	}
	var order uint32
	if w.adds > 0 {
		order, p.last = p.orders[p.more], max(p.last, p.more)
	} else {
		// All cheaper orders of its project are bought in full.
		order, p.more = p.orders[p.last], min(p.more, p.last)
	}
	n.f.taken[order] += tonnes
	n.f.projectRoom[n.f.offers[order].project] -= tonnes
}
