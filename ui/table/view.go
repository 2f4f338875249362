package table

import (
	"iter"
	"slices"
)

// view is the rows of a source that are shown, in order. Position p shows row
// rows[p]; with no rows listed, position and row are the same.
type view[K comparable, R any] struct {
	source Source[K, R]
	state  uint64
	rows   []uint32
	listed bool
	total  int
	byID   int
}

type spot[K comparable] struct {
	key    K
	offset int
}

// all returns the rows in order. It goes through the view as it is now.
func (v view[K, R]) all() iter.Seq2[K, R] {
	return func(yield func(K, R) bool) {
		for position := range v.total {
			i := v.row(position)
			if !yield(v.source.Key(i), v.source.At(i)) {
				return
			}
		}
	}
}

func (v *view[K, R]) sourceLen() int {
	if v.source == nil {
		return 0
	}
	return v.source.Len()
}

func (v *view[K, R]) row(position int) int {
	if !v.listed {
		return position
	}
	return int(v.rows[position])
}

func (v *view[K, R]) position(row int) (int, bool) {
	if !v.listed {
		return row, row < v.total
	}
	at := slices.Index(v.rows, uint32(row))
	return at, at >= 0
}

func (v *view[K, R]) find(key K, guess int) (int, bool) {
	if v.source == nil {
		return 0, false
	}
	if f, ok := v.source.(finder[K]); ok {
		return f.Find(key)
	}
	n := v.source.Len()
	if guess >= 0 && guess < n && v.source.Key(guess) == key {
		return guess, true
	}
	for i := range n {
		if v.source.Key(i) == key {
			return i, true
		}
	}
	return 0, false
}

// show puts a view on the screen with the cursor on the thing that it was on, or
// that it was on before a filter left that out.
func (t *Table[K, R]) show(next view[K, R]) {
	was, refiltered := t.shown, t.refiltered
	t.shown, t.refiltered, t.total = next, false, next.total
	if refiltered && t.goHome() {
		return
	}
	if !t.moved || was.total == 0 {
		t.cursor, t.top = 0, 0
		return
	}
	offset := t.cursor - t.top
	position, ok := samePlace(was, next, t.cursor)
	if !ok {
		if refiltered && t.home == nil {
			t.home = &spot[K]{was.source.Key(was.row(t.cursor)), offset}
		}
		if position, ok = nearest(was, next, t.cursor); !ok {
			position = max(0, min(t.cursor, next.total-1))
		}
	}
	t.cursor = position
	t.top = t.cursor - offset
	t.follow()
}

// goHome moves the cursor to where it was before filters left its row out. It
// is false if they did not, or do still.
func (t *Table[K, R]) goHome() bool {
	if t.home == nil {
		return false
	}
	row, ok := t.shown.find(t.home.key, 0)
	if !ok {
		return false
	}
	position, ok := t.shown.position(row)
	if !ok {
		return false
	}
	t.cursor, t.top = position, position-t.home.offset
	t.home = nil
	t.follow()
	return true
}

func samePlace[K comparable, R any](was, next view[K, R], cursor int) (int, bool) {
	row := was.row(cursor)
	if was.state != next.state {
		var found bool
		if row, found = next.find(was.source.Key(row), row); !found {
			return 0, false
		}
	}
	return next.position(row)
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
