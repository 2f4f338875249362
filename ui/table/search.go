package table

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Term is a text that a row has to have somewhere, in any case. Its letters may
// stand apart: each right behind the one before, or at the beginning of a word.
// Those of a Phrase stand together, as digits always do. A row that has a
// Without does not match. One that has an Or needs none of the terms before it,
// back to the first without Or.
type Term struct {
	Text                string
	Phrase, Without, Or bool
}

// verdict says whether a row matches, and where.
type verdict int8

const (
	// out is a row that does not match.
	out verdict = iota
	// byID is a row with a term in an id and nowhere else.
	byID
	// in is any other row that matches.
	in
)

// term is a Term that is ready to be looked for.
type term struct {
	text        []byte
	without, or bool
	// letters is the signature of the text. If its letters may stand apart,
	// places has bit i set at each byte that is letter i of it.
	letters uint64
	apart   bool
	places  [256]uint64
}

func prepare(terms []Term) (ready []*term) {
	for _, t := range terms {
		text := []byte(strings.ToLower(t.Text))
		q := &term{text: text, without: t.Without, or: t.Or, letters: signature(text)}
		// Digits are a year or an id: they stand together.
		q.apart = !t.Phrase && len(text) <= 64 && strings.Trim(t.Text, "0123456789") != ""
		if q.apart {
			for i, c := range q.text {
				q.places[c] |= 1 << i
			}
		}
		ready = append(ready, q)
	}
	return ready
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

// indexRow is the text of a row up to a byte, of which so many at the end are
// ids, and its signatures.
type indexRow struct {
	end               int
	ids               uint32
	letters, initials uint64
}

func newSearchIndex[K comparable, R any](source Source[K, R], search, ids func([]byte, R) []byte) *searchIndex {
	n := source.Len()
	h := &searchIndex{rows: make([]indexRow, n)}
	for i := range n {
		from, row := len(h.text), source.At(i)
		h.text = search(h.text, row)
		h.lower(from)
		read := len(h.text)
		if ids != nil {
			h.text = ids(append(h.text, '\n'), row)
			h.lower(read)
		}
		text := h.text[from:]
		h.rows[i] = indexRow{len(h.text), uint32(len(h.text) - read), signature(text), initials(text)}
	}
	return h
}

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

func (h *searchIndex) match(terms []*term, matched []verdict) {
	from := 0
	for i, row := range h.rows {
		matched[i] = row.judge(terms, h.text[from:row.end])
		from = row.end
	}
}

func (row *indexRow) judge(terms []*term, text []byte) verdict {
	// last is the verdict on a term and those that would do instead.
	all, last := in, in
	for _, q := range terms {
		found := q.judge(row, text)
		switch {
		case q.without && found != out:
			return out
		case q.without:
		case q.or:
			last = max(last, found)
		case last == out:
			return out
		default:
			all, last = min(all, last), found
		}
	}
	return min(all, last)
}

func (q *term) judge(row *indexRow, text []byte) verdict {
	if q.letters&^row.letters != 0 {
		return out
	}
	at, read := bytes.Index(text, q.text), len(text)-int(row.ids)
	switch {
	case at >= 0 && at < read:
		return in
	case q.apart && bit(q.text[0])&row.initials != 0 && q.scattered(text[:read]):
		return in
	case at >= 0:
		return byID
	}
	return out
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
