package table

import (
	"iter"
	"slices"

	"tonne/model/filter"
)

// inline is the number of rows up to which sort and filter are done at once: a
// millisecond of work.
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

	// What earlier work has left that is still good: the whole source in the
	// order of the column, the text that words are looked for in, and how well each
	// row passes.
	sorted []uint32
	index  *filter.Index
	ranks  []filter.Rank
}

// Result is sorted and filtered rows, made by the function of Work.
type Result[K comparable, R any] struct {
	plan plan[K, R]
	view view[K, R]
}

// Rows returns the rows that match, in their order.
func (r Result[K, R]) Rows() iter.Seq2[K, R] { return r.view.part(0, r.view.total) }

// Pending reports whether the screen does not show yet what was asked for.
func (t *Table[K, R]) Pending() bool { return t.want.generation != 0 }

// Work returns the work that is to be done in the background, or nil. The
// function does not touch the table; what it returns goes to Apply.
func (t *Table[K, R]) Work() func() Result[K, R] {
	if !t.Pending() || t.handed == t.want.generation {
		return nil
	}
	t.handed = t.want.generation
	return t.want.run
}

// Apply shows the result of work. It reports false and does nothing where
// something else was asked for since.
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
	p.rank()
	v := view[K, R]{source: p.source, rows: p.sorted, total: n}
	if p.ranks != nil {
		v.rows, v.byID = p.keep()
		v.total = len(v.rows)
	}
	return Result[K, R]{p, v}
}

// keep returns the rows that pass, in order, and how many of them do by an id
// alone: those come last.
func (p plan[K, R]) keep() (rows []uint32, last int) {
	rows = make([]uint32, 0, p.source.Len())
	for _, wanted := range [...]filter.Rank{filter.In, filter.ByID} {
		last = -len(rows)
		for position := range p.ranks {
			i := uint32(position)
			if p.sorted != nil {
				i = p.sorted[position]
			}
			if p.ranks[i] == wanted {
				rows = append(rows, i)
			}
		}
		last += len(rows)
	}
	return rows, last
}

func (p *plan[K, R]) rank() {
	if p.ranks != nil || p.filter.Empty() && p.match == nil {
		return
	}
	if p.filter.Words() {
		if p.index == nil {
			p.index = filter.NewIndex(p.source.Len(), func(i int) filter.Row { return p.filtered(p.source.At(i), filter.Needs{Details: true}) })
		}
		p.ranks = p.filter.RankAll(p.index)
	} else {
		p.ranks = slices.Repeat([]filter.Rank{filter.In}, p.source.Len())
	}
	conditions := p.filter.Without()
	needs := conditions.Needs()
	for i, rank := range p.ranks {
		if rank == filter.Out {
			continue
		}
		r := p.source.At(i)
		passes := p.match == nil || p.match(r)
		if passes && !conditions.Empty() {
			row := p.filtered(r, needs)
			passes = conditions.Match(&row)
		}
		if !passes {
			p.ranks[i] = filter.Out
		}
	}
}
