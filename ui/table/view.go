package table

import (
	"iter"
	"slices"

	"tonne/model/filter"
)

// inline is the number of rows that are sorted and filtered in a millisecond.
const inline = 16_384

type plan[K comparable, R any] struct {
	generation uint64
	source     Source[K, R]
	column     *Column[R]
	descending bool
	query      string
	filter     filter.Filter
	match      func(R) bool
	filtered   func(R, filter.Needs) filter.Row

	// What is still good of earlier work: the sorted source, the text of words, and the rows that pass.
	sorted []uint32
	index  *filter.Index
	passes []bool
}

// Result is sorted and filtered rows, made by the function of Work.
type Result[K comparable, R any] struct {
	plan plan[K, R]
	view view[K, R]
}

// Pending reports whether the screen does not show yet what was asked for.
func (t *Table[K, R]) Pending() bool { return t.want.generation != 0 }

// Work returns pending work, or nil. It does not touch the table; Apply takes what it returns.
func (t *Table[K, R]) Work() func() Result[K, R] {
	if !t.Pending() || t.handed == t.want.generation {
		return nil
	}
	t.handed = t.want.generation
	return t.want.run
}

// Apply shows the result of work, unless something else was asked for since.
func (t *Table[K, R]) Apply(result Result[K, R]) bool {
	if !t.Pending() || result.plan.generation != t.want.generation {
		return false
	}
	t.want = result.plan
	t.want.generation = 0
	t.show(result.view)
	return true
}

// Finish does the pending work at once.
func (t *Table[K, R]) Finish() {
	if t.Pending() {
		t.Apply(t.want.run())
	}
}

func (t *Table[K, R]) update() {
	t.asked++
	t.want.generation = t.asked
	if t.want.source.Len() <= t.inline {
		t.Finish()
	}
}

func (p plan[K, R]) run() Result[K, R] {
	n := p.source.Len()
	if p.column != nil && p.sorted == nil {
		p.sorted = sortRows(p.source, p.column, p.descending)
	}
	p.narrow()
	v := view[K, R]{source: p.source, rows: p.sorted, total: n}
	if p.passes != nil {
		v.rows = make([]uint32, 0, n)
		for position := range n {
			i := uint32(position)
			if p.sorted != nil {
				i = p.sorted[position]
			}
			if p.passes[i] {
				v.rows = append(v.rows, i)
			}
		}
		v.total = len(v.rows)
	}
	return Result[K, R]{p, v}
}

func (p *plan[K, R]) narrow() {
	if p.passes != nil || p.filter.Empty() && p.match == nil {
		return
	}
	if p.filter.Words() {
		if p.index == nil {
			p.index = filter.NewIndex(p.source.Len(), func(i int) filter.Row { return p.filtered(p.source.At(i), filter.Needs{Details: true}) })
		}
		p.passes = p.filter.Find(p.index)
	} else {
		p.passes = slices.Repeat([]bool{true}, p.source.Len())
	}
	conditions := p.filter.Without()
	needs := conditions.Needs()
	for i, passes := range p.passes {
		if !passes {
			continue
		}
		r := p.source.At(i)
		p.passes[i] = p.match == nil || p.match(r)
		if p.passes[i] && !conditions.Empty() {
			row := p.filtered(r, needs)
			p.passes[i] = conditions.Match(&row)
		}
	}
}

// view has the row of position p in rows[p]; with nil rows, position and row are the same.
type view[K comparable, R any] struct {
	source Source[K, R]
	rows   []uint32
	total  int
}

type spot[K comparable] struct {
	key    K
	offset int
}

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

const reach = 32

// nearest returns the first survivor around a position: below, above, and so on outward.
func nearest[K comparable, R any](was, next view[K, R], cursor int) (int, bool) {
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
