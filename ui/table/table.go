// Package table is the data table of the dashboard. It shows typed rows of a
// Source through columns that are data, and keeps the cursor on a thing: a
// refresh, a sort or a filter never moves it to another row, nor the row on
// the screen.
//
// Only the rows on the screen are formatted. Sort and filter work on row
// numbers; if there are many rows they are done by Work, off the goroutine
// of the user interface.
//
// A Table is not safe for concurrent use. What Work returns is safe to run
// anywhere, because a Source never changes.
package table

import (
	"cmp"
	"iter"
	"slices"

	"tonne/ui/style"
)

// Table shows the rows of a Source. New makes one.
type Table[K comparable, R any] struct {
	walk[K]
	grid[R]
	group  func(R) string
	inline int

	// want is what was asked for, shown what is on the screen: they differ while work is pending.
	want, shown Arrangement[K, R]
	// handed is the work that was handed out last.
	handed uint64
	// refiltered says that the filter changed since the last view.
	refiltered bool
}

type grid[R any] struct {
	columns []Column[R]
	column  int
	layout  layout
	cells   [][]style.Cell
	spare   style.Cell
}

// New returns an empty table.
func New[K comparable, R any](spec Spec[R]) *Table[K, R] {
	t := &Table[K, R]{group: spec.Group, inline: cmp.Or(spec.Inline, inline)}
	t.columns = slices.Clone(spec.Columns)
	t.want.filtered = spec.Filtered
	t.Remeasure()
	t.SetSource(nil)
	return t
}

// SetSource shows another state of the rows, nil for none. The cursor stays on its key and its place on
// the screen; if the key is gone, it goes to the row next to it.
func (t *Table[K, R]) SetSource(source Source[K, R]) {
	if source == nil {
		source = list[K, R]{}
	}
	t.want.source, t.want.sorted, t.want.passes, t.want.index = source, nil, nil, nil
	t.update()
}

// Len returns the number of rows that are shown: those that match.
func (t *walk[K]) Len() int { return t.total }

// Total returns the number of rows of the source that is shown.
func (t *Table[K, R]) Total() int { return t.shown.source.Len() }

// Visible returns the positions, from 1 on, of the first and the last row on the screen, and their number.
func (t *Table[K, R]) Visible() (first, last, total int) {
	total = t.Len()
	if total == 0 {
		return 0, 0, 0
	}
	return t.top + 1, min(t.top+max(t.rows, 1), total), total
}

// Position returns the position of the current row, from 0 on, and -1 if there is none.
func (t *walk[K]) Position() int { return min(t.cursor, t.total-1) }

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

// Rows returns the rows that match, in the order of the table.
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

// Show shows or hides a column. The last one that is shown stays.
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
	t.Remeasure()
}

// Remeasure lets columns take their width again, for cells that write their rows in another way.
func (t *grid[R]) Remeasure() { t.layout.reset(len(t.columns)) }

// Retitle heads a column with another title, such as that of another unit.
func (t *grid[R]) Retitle(key, title string) {
	if i := t.index(key); i >= 0 && t.columns[i].Title != title {
		t.columns[i].Title = title
		t.Remeasure()
	}
}

func (t *grid[R]) index(key string) int {
	return slices.IndexFunc(t.columns, func(c Column[R]) bool { return c.Key == key })
}
