package table

import (
	"iter"
	"slices"
)

// view is the rows of a source that are shown, in order. Position p shows row
// rows[p]; if rows is nil, position and row are the same.
type view[K comparable, R any] struct {
	source Source[K, R]
	rows   []uint32
	total  int
	byID   int
}

// empty is a source without rows.
type empty[K comparable, R any] struct{}

func (empty[K, R]) Len() int         { return 0 }
func (empty[K, R]) Key(int) (none K) { return none }
func (empty[K, R]) At(int) (none R)  { return none }

type spot[K comparable] struct {
	key    K
	offset int
}

// part returns the rows from one position up to another, in order. It goes through
// the view as it is now.
func (v view[K, R]) part(first, end int) iter.Seq2[K, R] {
	return func(yield func(K, R) bool) {
		for position := first; position < end; position++ {
			if i := v.row(position); !yield(v.source.Key(i), v.source.At(i)) {
				return
			}
		}
	}
}

func (v *view[K, R]) row(position int) int {
	if v.rows == nil {
		return position
	}
	return int(v.rows[position])
}

// find returns the position of the row with a key, and false if it is not shown. It
// looks at a row of the source first.
func (v *view[K, R]) find(key K, guess int) (position int, shown bool) {
	row := guess
	if f, ok := v.source.(finder[K]); ok {
		if row, ok = f.Find(key); !ok {
			return 0, false
		}
	} else if n := v.source.Len(); guess >= n || v.source.Key(guess) != key {
		for row = 0; row < n && v.source.Key(row) != key; {
			row++
		}
	}
	if v.rows == nil {
		return row, row < v.total
	}
	at := slices.Index(v.rows, uint32(row))
	return at, at >= 0
}

// show puts a view on the screen with the cursor on the thing that it was on, or
// that it was on before a filter left that out.
func (t *Table[K, R]) show(next view[K, R]) {
	was, refiltered := t.shown, t.refiltered
	t.shown, t.refiltered, t.total = next, false, next.total
	if refiltered && t.home != nil {
		if position, ok := next.find(t.home.key, 0); ok {
			t.goTo(position, t.home.offset)
			t.home = nil
			return
		}
	}
	if !t.moved || was.total == 0 {
		t.cursor, t.top = 0, 0
		return
	}
	offset, row := t.cursor-t.top, was.row(t.cursor)
	key := was.source.Key(row)
	position, ok := next.find(key, row)
	if !ok {
		if refiltered && t.home == nil {
			t.home = &spot[K]{key, offset}
		}
		if position, ok = nearest(was, next, t.cursor); !ok {
			position = max(0, min(t.cursor, next.total-1))
		}
	}
	t.goTo(position, offset)
}

// reach is how many rows on each side of the cursor are looked for if its
// own is gone.
const reach = 64

// nearest returns where the first survivor is of the rows about a position:
// the one below, the one above, and so on outward.
func nearest[K comparable, R any](was, next view[K, R], cursor int) (int, bool) {
	rank := make(map[K]int, 2*reach)
	for step := 1; step <= reach; step++ {
		for side, position := range [2]int{cursor + step, cursor - step} {
			if position >= 0 && position < was.total {
				rank[was.source.Key(was.row(position))] = 2*step + side
			}
		}
	}
	best, at := 2*reach+2, 0
	for position := range next.total {
		if r, ok := rank[next.source.Key(next.row(position))]; ok && r < best {
			best, at = r, position
		}
	}
	return at, best <= 2*reach+1
}
