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

type finder[K comparable] interface {
	Find(key K) (int, bool)
}

// Column says what one column shows. Its functions must depend on nothing but
// the row as far as they are used to sort: Work calls Number and Text on
// another goroutine.
type Column[R any] struct {
	// Key names the column in settings and calls. Title heads it, Help
	// explains it in one sentence.
	Key, Title, Help string
	Align            style.Align
	// Min is the width down to which the column shrinks before others fall
	// away; with 0 it does not shrink. Ideal is the width it takes if there
	// is room, whatever is in it, and Max the width beyond which its text is
	// cut; with 0 it is as wide as its text.
	Min, Ideal, Max int
	// Whole columns go beyond Max if all their text fits into room that no
	// other column needs.
	Whole bool
	// Middle columns hold ids: what is too wide is cut in its middle.
	Middle bool
	// Priority says which columns fall away if there is no room for all:
	// the highest first, 0 never.
	Priority int
	// Quiet columns are shown only if they say something.
	Quiet bool
	// Spare columns are quiet ones that are shown only if they leave the others
	// the width that these like to have. Of several the one with the highest
	// priority is the first to go.
	Spare bool
	// Hidden columns are not shown until Show is called.
	Hidden bool
	// Grouped columns show their text only in the first row of a group, and in
	// the row of the cursor.
	Grouped bool
	// Marked columns show what of their text a filter looked for; the column
	// "country" has codes of countries.
	Marked bool
	// Picture columns are drawn for the eye, and not copied with the row.
	Picture bool
	// Cell writes what the row shows.
	Cell func(c *style.Cell, row R)
	// Number or Text is what the column is sorted by. False, or an empty text,
	// is nothing: such rows come last in either direction. With neither the
	// column cannot be sorted.
	Number func(row R) (int64, bool)
	Text   func(row R) string
}

func (c *Column[R]) sortable() bool { return c.Number != nil || c.Text != nil }

// Spec is what a table is made of.
type Spec[R any] struct {
	Columns []Column[R]
	// Group returns the group of a row, such as its project. Rows of one group
	// follow one another in the Source.
	Group func(row R) string
	// Inline is how many rows are sorted and filtered at once rather than by
	// Work; 0 stands for as many as are quick if a row is cheap to read.
	Inline int
	// Filtered returns of a row what a filter needs, or more. It depends on nothing
	// but the row and on what never changes. Nil is for a table without filters.
	Filtered func(row R, needs filter.Needs) filter.Row
}
