package table

import (
	"tonne/model/filter"
	"tonne/ui/style"
)

// Source is an immutable list of rows. The key of a row names its thing and is
// found again in the next Source; no two rows have the same key.
//
// A Source that also has a method Find(K) (int, bool) saves the search for the
// row of a key.
type Source[K comparable, R any] interface {
	Len() int
	Key(i int) K
	At(i int) R
}

// List returns rows, each with what key names it, as a Source. They must not be changed any more.
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

// Column says what one column shows. Number and Text depend on nothing but the row: Work calls them on
// another goroutine.
type Column[R any] struct {
	// Key names the column in settings and calls. Help explains it in one sentence.
	Key, Title, Help string
	Align            style.Align
	// Min is the width down to which the column shrinks; with 0 it does not. Ideal is the width it takes if
	// there is room, and Max the width beyond which its text is cut; with 0 it is as wide as its text.
	Min, Ideal, Max int
	// Whole columns go beyond Max if no other column needs the room.
	Whole bool
	// Middle columns hold ids: what is too wide is cut in its middle.
	Middle bool
	// Priority says which columns fall away first: the highest, 0 never.
	Priority int
	// Quiet columns are shown only if they say something.
	Quiet bool
	// Spare columns are quiet ones that are shown only if the others have their ideal width. The one with
	// the highest priority is the first to go.
	Spare bool
	// Hidden columns are not shown until Show is called.
	Hidden bool
	// Grouped columns show their text in the first row of a group and in the row of the cursor.
	Grouped bool
	// Marked columns show what of their text a filter looked for.
	Marked bool
	// Picture columns are drawn for the eye, and not copied with the row.
	Picture bool
	// Cell writes what the row shows.
	Cell func(c *style.Cell, row R)
	// Number or Text is what the column is sorted by, if it can be. False or an empty text comes last.
	Number func(row R) (int64, bool)
	Text   func(row R) string
}

func (c *Column[R]) sortable() bool { return c.Number != nil || c.Text != nil }

// Spec is what a table is made of.
type Spec[R any] struct {
	Columns []Column[R]
	// Group returns the group of a row, such as its project, whose rows follow one another.
	Group func(row R) string
	// Inline is how many rows are sorted and filtered without Work; 0 is right for rows that are cheap to read.
	Inline int
	// Filtered returns what a filter needs of a row, from what never changes. Nil is for no filters.
	Filtered func(row R, needs filter.Needs) filter.Row
}
