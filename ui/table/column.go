package table

import (
	"cmp"

	"tonne/model/field"
	"tonne/model/filter"
	"tonne/ui/style"
)

// Source is an immutable list of rows. The key identifies a row, also in the next Source.
// Keys are unique.
//
// A Source may implement Find(K) (int, bool) to avoid a linear search for a key.
type Source[K comparable, R any] interface {
	Len() int
	Key(i int) K
	At(i int) R
}

// List returns rows as a Source, with the key of each row from key. The caller must not change them afterwards.
func List[K comparable, R any](rows []R, key func(R) K) Source[K, R] { return list[K, R]{rows, key} }

type list[K comparable, R any] struct {
	rows []R
	key  func(R) K
}

func (l list[K, R]) Len() int    { return len(l.rows) }
func (l list[K, R]) Key(i int) K { return l.key(l.rows[i]) }
func (l list[K, R]) At(i int) R  { return l.rows[i] }

type finder[K comparable] interface {
	Find(key K) (int, bool)
}

// Column places one column. Place adds what package field describes: the title, the help and the value.
type Column[R any] struct {
	// Key identifies the column in settings and calls. Help explains it in one sentence.
	Key, Title, Help string
	// Name is the name of the column in commands. It is empty if they do not have the column.
	Name string
	// Value returns the value, which is shown, copied and sorted. It must depend only on the row, because Work calls it on
	// another goroutine. A column without it shows Cell.
	Value func(row R) field.Value
	// Order returns the value to sort by. The default is Value.
	Order func(row R) field.Value
	// Fixed columns cannot be sorted by, as those without a value.
	Fixed bool
	// Style is the style of values without a role. Bare columns show nothing instead of a dash for unknown values.
	Style style.Role
	Bare  bool
	// Cell writes the cell of the row, if a value does not say it all.
	Cell func(c *style.Cell, row R)

	Align style.Align
	// Min is the minimum width; with 0 the column does not shrink. Ideal is the width if there is room. Max is the
	// maximum width, beyond which text is cut; 0 means the width of the text.
	Min, Ideal, Max int
	// width is the width that a user chose, or 0.
	width int
	// Whole columns exceed Max if no other column needs the room.
	Whole bool
	// Middle columns contain ids, which are cut in the middle.
	Middle bool
	// Priority is the order in which columns are dropped: the highest first, 0 never.
	Priority int
	// demoted is added to Priority.
	demoted int
	// Quiet columns are shown only if they are not empty.
	Quiet bool
	// Spare columns are quiet columns that are shown only if the others have their ideal width. The one with the
	// highest priority is dropped first.
	Spare bool
	// Hidden columns are not shown until Show is called.
	Hidden bool
	// Auto columns are shown and hidden by the program.
	Auto bool
	// Grouped columns show their text in the first row of a group and in the row of the cursor.
	Grouped bool
	// Marked columns highlight the matches of a filter.
	Marked bool
	// Picture columns are graphics, which are not copied with the row.
	Picture bool
}

// Sortable reports whether rows can be sorted by the column.
func (c *Column[R]) Sortable() bool { return c.Order != nil && !c.Fixed }

// Place returns columns with the titles, help and values of the columns of data with the same names. It keeps what a
// column says itself. It panics if there is no data with the name.
func Place[R, D any](data field.Columns[D], of func(R) D, columns ...Column[R]) []Column[R] {
	for i := range columns {
		c := &columns[i]
		if c.Name == "" {
			continue
		}
		d := data.Pick(c.Name)[0]
		c.Title, c.Help = cmp.Or(c.Title, d.Title), cmp.Or(c.Help, d.Help)
		if d.Right {
			c.Align = style.Right
		}
		if c.Value == nil {
			c.Value = func(row R) field.Value { return d.Shown(of(row)) }
		}
		if c.Order == nil {
			c.Order = func(row R) field.Value { return d.Value(of(row)) }
		}
	}
	return columns
}

// Spec describes a table.
type Spec[R any] struct {
	Columns []Column[R]
	// Group returns the group of a row, such as its project. Rows of a group are consecutive.
	Group func(row R) string
	// Units returns the units of values. Nil means the zero value.
	Units func() field.Units
	// Inline is the number of rows that are sorted and filtered without Work. Use 0 for rows that are cheap to read.
	Inline int
	// Filtered returns the row for a filter, from immutable data. If nil, there are no filters.
	Filtered func(row R, needs filter.Needs) filter.Row
}
