package table

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"tonne/model/filter"
)

// Sort orders the rows by a column. Rows that are equal keep the order of the
// source; those with nothing in the column come last. A column that is not
// there, or cannot be sorted, gives the order of the source.
func (t *Table[K, R]) Sort(key string, descending bool) {
	t.want.column, t.want.descending = nil, false
	if i := t.index(key); i >= 0 && t.columns[i].sortable() {
		t.want.column, t.want.descending = &t.columns[i], descending
	}
	t.want.sorted = nil
	t.update()
}

// ToggleSort sorts by a column, or the other way round if the rows are
// sorted by it. It is false, and leaves the order as it is, if the column
// cannot be sorted.
func (t *Table[K, R]) ToggleSort(key string) bool {
	i := t.index(key)
	if i < 0 || !t.columns[i].sortable() {
		return false
	}
	now, descending := t.Sorting()
	t.Sort(key, now == key && !descending)
	return true
}

// Sorting returns the column that the rows are sorted by, and the direction.
// The key is empty for the order of the source.
func (t *Table[K, R]) Sorting() (key string, descending bool) {
	if t.want.column == nil {
		return "", false
	}
	return t.want.column.Key, t.want.descending
}

// SetFilter shows only the rows that pass a filter, which is the same as another
// if it was typed the same. Those that pass by an id alone come last.
func (t *Table[K, R]) SetFilter(typed string, f filter.Filter) {
	if typed == t.want.query {
		return
	}
	t.want.query, t.want.filter = typed, f
	t.refilter()
}

// Query returns the filter as it was typed.
func (t *Table[K, R]) Query() string { return t.want.query }

// ByID returns how many of the rows match by an id alone.
func (t *Table[K, R]) ByID() int { return t.shown.byID }

// SetMatch shows only the rows that match a condition, besides the filter. The
// function must depend on nothing but the row and on what never changes. Nil
// shows all.
func (t *Table[K, R]) SetMatch(match func(row R) bool) {
	t.want.match = match
	t.refilter()
}

func (t *Table[K, R]) refilter() {
	t.want.ranks = nil
	t.refiltered = true
	t.Remeasure()
	t.update()
}

func sortRows[K comparable, R any](source Source[K, R], column *Column[R], descending bool) []uint32 {
	rows := make([]uint32, source.Len())
	if column.Number != nil {
		if keys, rowBits, ok := pack(source, column.Number, descending); ok {
			slices.Sort(keys)
			for i, key := range keys {
				rows[i] = uint32(key & (1<<rowBits - 1))
			}
			return rows
		}
	}
	entries := make([]entry, len(rows))
	for i := range entries {
		entries[i] = newEntry(source.At(i), column)
		entries[i].row = uint32(i)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		switch {
		case a.missing != b.missing:
			return cmp.Compare(a.missing, b.missing)
		case descending:
			a, b = b, a
		}
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return strings.Compare(a.text, b.text)
	})
	for i, e := range entries {
		rows[i] = e.row
	}
	return rows
}

// pack returns sort keys with the row in the lowest bits, false if numbers are too far apart.
func pack[K comparable, R any](source Source[K, R], number func(R) (int64, bool), descending bool) (keys []uint64, rowBits int, ok bool) {
	n := source.Len()
	keys, rowBits = make([]uint64, n), bits.Len(uint(n))
	missing := make([]bool, n)
	low, high := uint64(math.MaxUint64), uint64(0)
	for i := range n {
		v, known := number(source.At(i))
		keys[i], missing[i] = unsigned(v), !known
		if known {
			low, high = min(low, keys[i]), max(high, keys[i])
		}
	}
	span := high - min(low, high)
	if bits.Len64(span)+1+rowBits > 64 {
		return nil, 0, false
	}
	for i, key := range keys {
		switch {
		case missing[i]:
			key = span + 1
		case descending:
			key = high - key
		default:
			key -= low
		}
		keys[i] = key<<rowBits | uint64(i)
	}
	return keys, rowBits, true
}

func unsigned(v int64) uint64 { return uint64(v) ^ 1<<63 }

// entry is what a row is sorted by: a number, or a text and its first eight bytes.
type entry struct {
	missing uint8
	row     uint32
	head    uint64
	text    string
}

func newEntry[R any](row R, column *Column[R]) (e entry) {
	known := false
	if column.Number != nil {
		var v int64
		if v, known = column.Number(row); known {
			e.head = unsigned(v)
		}
	} else {
		var head [8]byte
		e.text = strings.ToLower(column.Text(row))
		copy(head[:], e.text)
		e.head, known = binary.BigEndian.Uint64(head[:]), e.text != ""
	}
	if !known {
		e.missing = 1
	}
	return e
}
