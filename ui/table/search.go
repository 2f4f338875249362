package table

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// term is one word of a query.
type term struct {
	text    []byte
	without bool
	// letters is the signature of the text. If its letters may stand apart,
	// places has bit i set at each byte that is letter i of it.
	letters uint64
	apart   bool
	places  [256]uint64
}

func parseQuery(query string) []*term {
	var terms []*term
	for _, word := range strings.Fields(strings.ToLower(query)) {
		text, without := strings.CutPrefix(word, "!")
		if text == "" {
			continue
		}
		q := &term{text: []byte(text), without: without, letters: signature([]byte(text))}
		// Digits are a year or an id: they stand together.
		q.apart = len(text) <= 64 && strings.Trim(text, "0123456789") != ""
		if q.apart {
			for i, c := range q.text {
				q.places[c] |= 1 << i
			}
		}
		terms = append(terms, q)
	}
	return terms
}

// signature has a bit for each kind of byte in a text. A text can only hold
// another if it has all of its bits.
func signature(text []byte) uint64 {
	var s uint64
	for _, c := range text {
		s |= bit(c)
	}
	return s
}

func bit(c byte) uint64 { return 1 << (c & 63) }

// initials is the signature of the bytes that begin words.
func initials(text []byte) uint64 {
	var s uint64
	begins := true
	for _, c := range text {
		if begins {
			s |= bit(c)
		}
		begins = !inWord(c)
	}
	return s
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// searchIndex is the text of all rows that queries look through: in lower case,
// one field a line.
type searchIndex struct {
	text []byte
	rows []indexRow
}

// indexRow is the text of a row up to a byte, and its signatures.
type indexRow struct {
	end               int
	letters, initials uint64
}

func newSearchIndex[K comparable, R any](source Source[K, R], search func([]byte, R) []byte) *searchIndex {
	n := source.Len()
	h := &searchIndex{rows: make([]indexRow, n)}
	for i := range n {
		from := len(h.text)
		h.text = search(h.text, source.At(i))
		h.lower(from)
		text := h.text[from:]
		h.rows[i] = indexRow{len(h.text), signature(text), initials(text)}
	}
	return h
}

// lower puts the text from a byte on into lower case.
func (h *searchIndex) lower(from int) {
	for i := from; i < len(h.text); i++ {
		switch c := h.text[i]; {
		case c >= utf8.RuneSelf:
			h.text = append(h.text[:from], bytes.ToLower(h.text[from:])...)
			return
		case 'A' <= c && c <= 'Z':
			h.text[i] = c + 'a' - 'A'
		}
	}
}

// match finds the rows that match all terms.
func (h *searchIndex) match(terms []*term, matched []bool) {
	from := 0
	for i, row := range h.rows {
		matched[i] = true
		for _, q := range terms {
			if q.in(row, h.text[from:row.end]) == q.without {
				matched[i] = false
				break
			}
		}
		from = row.end
	}
}

func (q *term) in(row indexRow, text []byte) bool {
	if q.letters&^row.letters != 0 {
		return false
	}
	return bytes.Contains(text, q.text) || q.apart && bit(q.text[0])&row.initials != 0 && q.scattered(text)
}

// scattered reports whether the letters of the term are in one field, in
// order, each right behind the one before or at the beginning of a word.
func (q *term) scattered(text []byte) bool {
	done := uint64(1) << (len(q.text) - 1)
	// Bit i of last is set if letter i was matched by the byte before, of
	// ever if it was matched by any byte of the field.
	var last, ever uint64
	begins := true
	for _, c := range text {
		if c == '\n' {
			last, ever, begins = 0, 0, true
			continue
		}
		next := last << 1
		if begins {
			next |= ever<<1 | 1
		}
		last = next & q.places[c]
		ever |= last
		if ever&done != 0 {
			return true
		}
		begins = !inWord(c)
	}
	return false
}
