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
	if column.Number == nil {
		return sortTexts(source, column.Text, descending)
	}
	p, ok := pack(source, column.Number, descending)
	if !ok {
		return sortNumbers(source, column.Number, descending)
	}
	p.sort()
	rows := make([]uint32, len(p.keys))
	for i, key := range p.keys {
		rows[i] = p.row(key)
	}
	return rows
}

// packed is what rows are sorted by, together with their numbers: comparing
// two keys compares what the column holds first, then the row.
type packed struct {
	keys []uint64
	// rowBits is how many bits the number of a row takes, keyBits how many
	// there are above.
	rowBits, keyBits int
}

func (p packed) row(key uint64) uint32 { return uint32(key & (1<<p.rowBits - 1)) }

// pack reads what a column is sorted by. It is false if the numbers are so
// far apart that no room is left for the row.
func pack[K comparable, R any](source Source[K, R], number func(R) (int64, bool), descending bool) (packed, bool) {
	n := source.Len()
	p := packed{keys: make([]uint64, n), rowBits: bits.Len(uint(n))}
	missing := make([]bool, n)
	low, high := uint64(math.MaxUint64), uint64(0)
	for i := range n {
		v, ok := number(source.At(i))
		// Flipping the sign bit orders negative numbers before the others.
		p.keys[i], missing[i] = uint64(v)^1<<63, !ok
		if ok {
			low, high = min(low, p.keys[i]), max(high, p.keys[i])
		}
	}
	span := high - min(low, high)
	p.keyBits = bits.Len64(span) + 1
	if p.keyBits+p.rowBits > 64 {
		return p, false
	}
	for i, key := range p.keys {
		switch {
		case missing[i]:
			key = span + 1
		case descending:
			key = high - key
		default:
			key -= low
		}
		p.keys[i] = key<<p.rowBits | uint64(i)
	}
	return p, true
}

// sort orders the keys, digit by digit from the lowest. The rows are in order
// to begin with and each step keeps the order of the one before.
func (p *packed) sort() {
	const digit = 11
	other := make([]uint64, len(p.keys))
	for shift := p.rowBits; shift < p.rowBits+p.keyBits; shift += digit {
		var starts [1 << digit]int
		for _, key := range p.keys {
			starts[key>>shift&(1<<digit-1)]++
		}
		sum := 0
		for i, count := range starts {
			starts[i], sum = sum, sum+count
		}
		for _, key := range p.keys {
			d := key >> shift & (1<<digit - 1)
			other[starts[d]] = key
			starts[d]++
		}
		p.keys, other = other, p.keys
	}
}

func sortNumbers[K comparable, R any](source Source[K, R], number func(R) (int64, bool), descending bool) []uint32 {
	type entry struct {
		key     int64
		row     uint32
		missing bool
	}
	entries := make([]entry, source.Len())
	for i := range entries {
		v, ok := number(source.At(i))
		entries[i] = entry{v, uint32(i), !ok}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		switch {
		case a.missing || b.missing:
			return compareBools(a.missing, b.missing)
		case descending:
			a, b = b, a
		}
		return cmp.Compare(a.key, b.key)
	})
	return rowsOf(entries, func(e entry) uint32 { return e.row })
}

func sortTexts[K comparable, R any](source Source[K, R], text func(R) string, descending bool) []uint32 {
	type entry struct {
		head uint64
		text string
		row  uint32
	}
	entries := make([]entry, source.Len())
	for i := range entries {
		s := text(source.At(i))
		entries[i] = entry{head(s), s, uint32(i)}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		switch {
		case a.text == "" || b.text == "":
			return compareBools(a.text == "", b.text == "")
		case descending:
			a, b = b, a
		}
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return compareFold(a.text, b.text)
	})
	return rowsOf(entries, func(e entry) uint32 { return e.row })
}

func rowsOf[E any](entries []E, row func(E) uint32) []uint32 {
	rows := make([]uint32, len(entries))
	for i, e := range entries {
		rows[i] = row(e)
	}
	return rows
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
