package table

import "slices"

// margin is how many rows on each side of the cursor a preview knows.
const margin = 256

// preview shows the rows about the cursor in the order that is wanted, while
// the whole order is still pending. It does nothing where that is not quick.
func (t *Table[K, R]) preview() {
	w := &t.want
	if !t.Pending() || w.column == nil || w.column.Number == nil || w.query != "" || w.match != nil {
		return
	}
	if w.state != t.shown.state || t.shown.total != w.len() {
		return
	}
	p, ok := pack(w.source, w.column.Number, w.descending)
	if !ok {
		return
	}
	pivot := uint64(0)
	if t.moved {
		pivot = p.keys[t.shown.row(t.cursor)]
	}
	rows, first := p.about(pivot)
	t.show(view[K, R]{source: w.source, state: w.state, rows: rows, listed: true, first: first, total: w.len()})
}

// about returns the rows that are sorted next to a key, and the position of
// the first of them.
func (p packed) about(pivot uint64) (rows []uint32, first int) {
	below := nearby{limit: ^uint64(0)}
	above := nearby{limit: ^uint64(0)}
	count := 0
	for _, key := range p.keys {
		if key < pivot {
			count++
			below.add(pivot - key)
		} else {
			above.add(key - pivot)
		}
	}
	before, behind := below.closest(), above.closest()
	for _, distance := range slices.Backward(before) {
		rows = append(rows, p.row(pivot-distance))
	}
	for _, distance := range behind {
		rows = append(rows, p.row(pivot+distance))
	}
	return rows, count - len(before)
}

// nearby keeps the smallest of the distances that it is given.
type nearby struct {
	distances []uint64
	// limit is a distance that is known not to be among the smallest.
	limit uint64
}

func (n *nearby) add(distance uint64) {
	if distance >= n.limit {
		return
	}
	n.distances = append(n.distances, distance)
	if len(n.distances) == 4*margin {
		n.limit = n.closest()[margin-1]
	}
}

// closest cuts the distances to the margin, in order.
func (n *nearby) closest() []uint64 {
	slices.Sort(n.distances)
	n.distances = n.distances[:min(len(n.distances), margin)]
	return n.distances
}
