package table

import (
	"cmp"
	"math"
	"slices"
)

// margin is how many rows on each side of the cursor a preview knows.
const margin = 256

// preview shows the rows about the cursor in the order that is wanted, while
// the whole order is still pending. It does nothing if that is not quick.
func (t *Table[K, R]) preview() {
	w := &t.want
	if !t.Pending() || w.column == nil || w.column.Number == nil || w.filter.Query != "" || w.match != nil {
		return
	}
	if w.state != t.shown.state || t.shown.total != w.len() {
		return
	}
	at := -1
	if t.moved {
		at = t.shown.row(t.cursor)
	}
	rows, first := about(w.source, w.column.Number, w.descending, at)
	t.show(view[K, R]{source: w.source, state: w.state, rows: rows, listed: true, first: first, total: w.len()})
}

// ranked is a row and what it is sorted by, as a number that grows with its
// rank. Of equal ranks the lower row comes first.
type ranked struct {
	rank uint64
	row  int
}

func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.row, b.row))
}

func about[K comparable, R any](source Source[K, R], number func(R) (int64, bool), descending bool, row int) ([]uint32, int) {
	flip := uint64(1 << 63)
	if descending {
		flip = ^flip
	}
	pivot := ranked{row: row}
	if row >= 0 {
		pivot.rank = rank(number, source.At(row), flip)
	}
	bands := make([]band, parts())
	inParts(source.Len(), len(bands), func(part, from, to int) {
		bands[part] = scan(source, number, flip, pivot, from, to)
	})
	all := bands[0]
	for _, b := range bands[1:] {
		all.below += b.below
		all.before.rows = append(all.before.rows, b.before.rows...)
		all.behind.rows = append(all.behind.rows, b.behind.rows...)
	}
	all.before.cut()
	all.behind.cut()
	slices.Reverse(all.before.rows)
	rows := append(all.before.rows, all.behind.rows...)
	return rowsOf(rows, func(r ranked) uint32 { return uint32(r.row) }), all.below - len(all.before.rows)
}

// band is the rows on both sides of a pivot, and how many there are below it.
type band struct {
	before, behind nearby
	below          int
}

func scan[K comparable, R any](source Source[K, R], number func(R) (int64, bool), flip uint64, pivot ranked, from, to int) band {
	before := nearby{sign: -1}
	behind := nearby{sign: 1, limit: ranked{math.MaxUint64, math.MaxInt}}
	below := 0
	for i := from; i < to; i++ {
		r := rank(number, source.At(i), flip)
		switch {
		case r < pivot.rank || r == pivot.rank && i < pivot.row:
			below++
			if r >= before.limit.rank {
				before.add(ranked{r, i})
			}
		case r <= behind.limit.rank:
			behind.add(ranked{r, i})
		}
	}
	return band{before, behind, below}
}

func rank[R any](number func(R) (int64, bool), row R, flip uint64) uint64 {
	v, ok := number(row)
	if !ok {
		return math.MaxUint64
	}
	return uint64(v) ^ flip
}

// nearby keeps the rows that are nearest to another: the highest below it with
// the sign -1, the lowest above it with 1.
type nearby struct {
	rows []ranked
	sign int
	// limit is the farthest that may be among the nearest.
	limit ranked
}

func (n *nearby) add(r ranked) {
	if r.compare(n.limit)*n.sign > 0 {
		return
	}
	n.rows = append(n.rows, r)
	if len(n.rows) == 4*margin {
		n.cut()
		n.limit = n.rows[margin-1]
	}
}

func (n *nearby) cut() {
	slices.SortFunc(n.rows, func(a, b ranked) int { return a.compare(b) * n.sign })
	n.rows = n.rows[:min(len(n.rows), margin)]
}
