package table

import (
	"iter"
	"slices"

	"tonne/model/filter"
)

// inline is the number of rows that can be sorted and filtered in a millisecond.
const inline = 16_384

// Arrangement is a sorted and filtered order of the rows. It is immutable once it is shown.
type Arrangement[K comparable, R any] struct {
	generation uint64
	source     Source[K, R]
	column     *Column[R]
	descending bool
	query      string
	filter     filter.Filter
	match      func(R) bool
	filtered   func(R, filter.Needs) filter.Row

	// Reusable results of earlier work: the sorted source, the text of words, and the matching rows.
	sorted []uint32
	index  *filter.Index
	passes []bool

	// rows maps positions to rows. If nil, they are equal.
	rows  []uint32
	total int
}

// Pending reports whether the requested arrangement is not shown yet.
func (t *Table[K, R]) Pending() bool { return t.want.generation != t.shown.generation }

// Work returns pending work, or nil if there is none, or if the result of earlier work is still to come. The work
// does not touch the table. Pass its result to Apply, and call Work again.
func (t *Table[K, R]) Work() func() Arrangement[K, R] {
	if !t.Pending() || t.working {
		return nil
	}
	t.working = true
	return t.want.run
}

// Apply shows the result of work, unless another arrangement has been requested since. What is still right of such a
// result is not computed again.
func (t *Table[K, R]) Apply(result Arrangement[K, R]) bool {
	t.working = false
	if !t.Pending() || result.generation != t.want.generation {
		if result.sortsLike(&t.want) {
			t.want.sorted = result.sorted
		}
		return false
	}
	t.want = result
	t.show(result)
	return true
}

// Finish does the pending work at once.
func (t *Table[K, R]) Finish() {
	if t.Pending() {
		t.Apply(t.want.run())
	}
}

func (a *Arrangement[K, R]) sortsLike(b *Arrangement[K, R]) bool {
	return a.column != nil && b.column != nil && a.column.Key == b.column.Key && a.descending == b.descending &&
		sameOrder(a.source, b.source)
}

func (t *Table[K, R]) update() {
	t.want.generation++
	if t.want.source.Len() <= t.inline {
		t.Finish()
	}
}

func (a Arrangement[K, R]) run() Arrangement[K, R] {
	if a.column != nil && a.sorted == nil {
		a.sorted = sortRows(a.source, a.column, a.descending)
	}
	a.narrow()
	a.rows, a.total = a.sorted, a.source.Len()
	if a.passes != nil {
		a.rows = make([]uint32, 0, a.total)
		for position := range a.total {
			i := uint32(position)
			if a.sorted != nil {
				i = a.sorted[position]
			}
			if a.passes[i] {
				a.rows = append(a.rows, i)
			}
		}
		a.total = len(a.rows)
	}
	return a
}

func (a *Arrangement[K, R]) narrow() {
	if a.passes != nil || a.filter.Empty() && a.match == nil {
		return
	}
	if a.filter.Words() {
		if a.index == nil {
			a.index = filter.NewIndex(a.source.Len(),
				func(i int) filter.Row { return a.filtered(a.source.At(i), filter.Needs{Details: true}) })
		}
		a.passes = a.filter.Find(a.index)
	} else {
		a.passes = slices.Repeat([]bool{true}, a.source.Len())
	}
	conditions := a.filter.Without()
	needs := conditions.Needs()
	for i, passes := range a.passes {
		if !passes {
			continue
		}
		r := a.source.At(i)
		a.passes[i] = a.match == nil || a.match(r)
		if a.passes[i] && !conditions.Empty() {
			row := a.filtered(r, needs)
			a.passes[i] = conditions.Match(&row)
		}
	}
}

type anchor[K comparable] struct {
	key    K
	offset int
}

func (a Arrangement[K, R]) part(first, end int) iter.Seq2[K, R] {
	return func(yield func(K, R) bool) {
		for position := first; position < end; position++ {
			if i := a.row(position); !yield(a.source.Key(i), a.source.At(i)) {
				return
			}
		}
	}
}

func (a *Arrangement[K, R]) row(position int) int {
	if a.rows == nil {
		return position
	}
	return int(a.rows[position])
}

func (a *Arrangement[K, R]) find(key K, guess int) (position int, shown bool) {
	row := guess
	if f, ok := a.source.(finder[K]); ok {
		if row, ok = f.Find(key); !ok {
			return 0, false
		}
	} else if n := a.source.Len(); guess >= n || a.source.Key(guess) != key {
		for row = 0; row < n && a.source.Key(row) != key; {
			row++
		}
	}
	if a.rows == nil {
		return row, row < a.total
	}
	at := slices.Index(a.rows, uint32(row))
	return at, at >= 0
}

func (t *Table[K, R]) show(next Arrangement[K, R]) {
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
			t.home = &anchor[K]{key, offset}
		}
		if position, ok = nearest(was, next, t.cursor); !ok {
			position = max(0, min(t.cursor, next.total-1))
		}
	}
	t.goTo(position, offset)
}

const reach = 32

// nearest returns the remaining row that is nearest to a position. Rows below come before rows above.
func nearest[K comparable, R any](was, next Arrangement[K, R], cursor int) (int, bool) {
	for step := 1; step <= reach; step++ {
		for _, position := range [2]int{cursor + step, cursor - step} {
			if position < 0 || position >= was.total {
				continue
			}
			row := was.row(position)
			if at, ok := next.find(was.source.Key(row), row); ok {
				return at, true
			}
		}
	}
	return 0, false
}
