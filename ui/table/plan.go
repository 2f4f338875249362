package table

// inline is the number of rows up to which sort and filter are done at once: a
// millisecond of work.
const inline = 16_384

// plan is what the user asked for. It is copied to where the work is done.
type plan[K comparable, R any] struct {
	generation uint64
	source     Source[K, R]
	state      uint64
	column     *Column[R]
	descending bool
	query      string
	match      func(R) bool
	search     func([]byte, R) []byte

	// What earlier work has left that is still good: the whole source in the
	// order of the column, the text that queries look through, and the rows
	// that match.
	sorted  []uint32
	index   *searchIndex
	matched []bool
}

// Result is sorted and filtered rows, made by the function of Work.
type Result[K comparable, R any] struct {
	plan plan[K, R]
	view view[K, R]
}

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

// update shows what is wanted: at once if that is quick.
func (t *Table[K, R]) update() {
	t.asked++
	t.want.generation = t.asked
	if t.want.len() <= inline {
		t.Finish()
	}
}

func (p plan[K, R]) len() int {
	if p.source == nil {
		return 0
	}
	return p.source.Len()
}

// run sorts and filters.
func (p plan[K, R]) run() Result[K, R] {
	if p.source == nil {
		return Result[K, R]{p, view[K, R]{}}
	}
	n := p.len()
	if p.column != nil && p.sorted == nil {
		p.sorted = sortRows(p.source, p.column, p.descending)
	}
	p.filter()
	v := view[K, R]{source: p.source, state: p.state, rows: p.sorted, listed: p.sorted != nil, total: n}
	if p.matched != nil {
		v.rows, v.listed = p.keep(), true
		v.total = len(v.rows)
	}
	return Result[K, R]{p, v}
}

// keep returns the rows that match, in order.
func (p plan[K, R]) keep() []uint32 {
	rows := make([]uint32, 0, p.len())
	if p.sorted == nil {
		for i, ok := range p.matched {
			if ok {
				rows = append(rows, uint32(i))
			}
		}
		return rows
	}
	for _, i := range p.sorted {
		if p.matched[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// filter finds the rows that match.
func (p *plan[K, R]) filter() {
	query := parseQuery(p.query)
	if p.matched != nil || len(query) == 0 && p.match == nil {
		return
	}
	n := p.len()
	p.matched = make([]bool, n)
	if len(query) > 0 && p.search != nil {
		if p.index == nil {
			p.index = newSearchIndex(p.source, p.search)
		}
		p.index.match(query, p.matched)
	} else {
		for i := range p.matched {
			p.matched[i] = true
		}
	}
	if p.match == nil {
		return
	}
	for i, ok := range p.matched {
		p.matched[i] = ok && p.match(p.source.At(i))
	}
}
