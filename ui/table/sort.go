package table

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		case a.missing || b.missing:
			return compareBools(a.missing, b.missing)
		case descending:
			a, b = b, a
		}
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return compareFold(a.text, b.text)
	})
	for i, e := range entries {
		rows[i] = e.row
	}
	return rows
}

// pack returns what the rows are sorted by, each with the number of its row in the
// lowest rowBits bits. It is false if the numbers are so far apart that no room is
// left for the row.
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

// unsigned returns a number that orders negative numbers before the others.
func unsigned(v int64) uint64 { return uint64(v) ^ 1<<63 }

type entry struct {
	// head is a number, or the beginning of a text.
	head    uint64
	text    string
	row     uint32
	missing bool
}

func newEntry[R any](row R, column *Column[R]) entry {
	if column.Number != nil {
		v, known := column.Number(row)
		return entry{head: unsigned(v), missing: !known}
	}
	text := column.Text(row)
	return entry{head: head(text), text: text, missing: text == ""}
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// head returns the first eight bytes of a text as a number that compares as
// compareFold does, so far as it is ASCII.
func head(s string) uint64 {
	var h uint64
	for i := range 8 {
		h <<= 8
		if i >= len(s) {
			continue
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			// No byte of ASCII is higher, nor is there a need to tell more.
			return (h | 0xff) << (8 * (7 - i))
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h |= uint64(c)
	}
	return h
}

// fold returns a letter in lower case. What is not ASCII stays so, as head
// expects.
func fold(r rune) rune {
	if l := unicode.ToLower(r); l < utf8.RuneSelf == (r < utf8.RuneSelf) {
		return l
	}
	return r
}

func compareFold(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s {
			if r, s = fold(r), fold(s); r != s {
				return cmp.Compare(r, s)
			}
		}
		a, b = a[n:], b[m:]
	}
	return strings.Compare(a, b)
}
