// Package table is the data table of the dashboard. It shows the rows of a Source in
// columns (Column). The cursor stays on its row, at the same place on the screen, when
// the data is refreshed, sorted or filtered. Start reading at Table.
//
// The table formats only the rows on the screen. Sorting and filtering work on row
// numbers. For many rows, Work does this on another goroutine.
//
// A Table is not safe for concurrent use. The function from Work can run on any
// goroutine, because a Source is immutable.
package table

import (
	"cmp"
	"iter"
	"slices"

	"tonne/model/field"
	"tonne/ui/style"
)

// Table shows the rows of a Source. Create one with New.
type Table[K comparable, R any] struct {
	viewport[K]
	grid[R]
	group  func(R) string
	inline int

	// want is the requested arrangement, and shown the one on the screen. They differ while work is pending.
	want, shown Arrangement[K, R]
	// working is set while the result of work is to come.
	working bool
	// refiltered reports that the filter has changed since the last arrangement.
	refiltered bool
}

type grid[R any] struct {
	columns []Column[R]
	column  int
	layout  layout
	cells   [][]style.Cell
	spare   style.Cell
	units   func() field.Units
}

// New returns an empty table.
func New[K comparable, R any](spec Spec[R]) *Table[K, R] {
	t := &Table[K, R]{group: spec.Group, inline: cmp.Or(spec.Inline, inline)}
	t.columns, t.units = slices.Clone(spec.Columns), spec.Units
	for i := range t.columns {
		if c := &t.columns[i]; c.Order == nil {
			c.Order = c.Value
		}
	}
	if t.units == nil {
		t.units = func() field.Units { return field.Units{} }
	}
	t.want.filtered = spec.Filtered
	t.Remeasure()
	t.SetSource(nil)
	return t
}

// sameOrder reports whether two sources have the same rows in the same order, by any column. A source tells by a
// method Basis: what its order depends on, which can be compared.
func sameOrder[K comparable, R any](was, now Source[K, R]) bool {
	type based interface{ Basis() any }
	a, ok := was.(based)
	b, same := now.(based)
	return ok && same && a.Basis() == b.Basis()
}

// SetSource replaces the rows. A nil source has no rows. The cursor stays on its key and its place on the screen.
// If the key no longer exists, the cursor moves to the nearest row.
func (t *Table[K, R]) SetSource(source Source[K, R]) {
	if source == nil {
		source = list[K, R]{}
	}
	if !sameOrder(t.want.source, source) {
		t.want.sorted = nil
	}
	t.want.source, t.want.passes, t.want.index = source, nil, nil
	t.layout.unread = true
	t.update()
}

// Len returns the number of matching rows.
func (t *viewport[K]) Len() int { return t.total }

// Total returns the number of rows of the source.
func (t *Table[K, R]) Total() int { return t.shown.source.Len() }

// Visible returns the positions, from 1, of the first and last row on the screen, and the number of matching rows.
func (t *Table[K, R]) Visible() (first, last, total int) {
	total = t.Len()
	if total == 0 {
		return 0, 0, 0
	}
	return t.top + 1, min(t.top+max(t.rows, 1), total), total
}

// Position returns the position of the current row, from 0, or -1 if there is none.
func (t *viewport[K]) Position() int { return min(t.cursor, t.total-1) }

// Current returns the row of the cursor.
func (t *Table[K, R]) Current() (row R, ok bool) {
	if t.Len() == 0 {
		return row, false
	}
	return t.shown.source.At(t.shown.row(t.cursor)), true
}

// CurrentKey returns the key of the row of the cursor.
func (t *Table[K, R]) CurrentKey() (key K, ok bool) {
	if t.Len() == 0 {
		return key, false
	}
	return t.shown.source.Key(t.shown.row(t.cursor)), true
}

// Rows returns the matching rows, in the order of the table.
func (t *Table[K, R]) Rows() iter.Seq2[K, R] {
	t.Finish()
	return t.shown.part(0, t.shown.total)
}

// Screen returns the rows on the screen, in the order of the table.
func (t *Table[K, R]) Screen() iter.Seq2[K, R] {
	first, last, _ := t.Visible()
	return t.shown.part(max(first-1, 0), last)
}

// Columns returns the columns in order, hidden ones included.
func (t *grid[R]) Columns() []Column[R] { return slices.Clone(t.columns) }

// Show shows or hides a column. The last visible column cannot be hidden.
func (t *grid[R]) Show(key string, on bool) {
	i, shown := t.index(key), 0
	for _, c := range t.columns {
		if !c.Hidden {
			shown++
		}
	}
	if i < 0 || t.columns[i].Hidden == !on || !on && shown == 1 {
		return
	}
	t.columns[i].Hidden = !on
	t.layout.unread = true
}

// Remeasure recomputes the widths of the columns, after the format of cells has changed.
func (t *grid[R]) Remeasure() { t.layout.reset(len(t.columns)) }

// Retitle changes the title of a column, for example for another unit.
func (t *grid[R]) Retitle(key, title string) {
	if i := t.index(key); i >= 0 && t.columns[i].Title != title {
		t.columns[i].Title = title
		t.Remeasure()
	}
}

// Demote drops a column earlier than its priority says: by is added to it.
func (t *grid[R]) Demote(key string, by int) {
	if i := t.index(key); i >= 0 && t.columns[i].demoted != by {
		t.columns[i].demoted = by
		t.Remeasure()
	}
}

func (t *grid[R]) index(key string) int {
	return slices.IndexFunc(t.columns, func(c Column[R]) bool { return c.Key == key })
}
