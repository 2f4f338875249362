package filter

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tonne/model/country"
	"tonne/model/fold"
)

// Index is the folded text of many rows: one field per line, the ids last.
type Index struct {
	text []byte
	rows []indexRow
}

// indexRow is the end of the text of a row, the length of the ids in it, and its signatures.
type indexRow struct {
	end               int
	ids               uint32
	letters, initials uint64
}

// NewIndex returns an index of n rows with their details.
func NewIndex(n int, row func(i int) Row) *Index {
	x := &Index{rows: make([]indexRow, 0, n)}
	for i := range n {
		r := row(i)
		x.add(&r)
	}
	return x
}

func (x *Index) add(r *Row) {
	from := len(x.text)
	for _, field := range [...]string{r.Wallet, cmp.Or(r.Name, r.ProjectID), r.Type, r.Country, r.Registry, r.RegistryID} {
		x.field(field)
	}
	for _, name := range country.Names(r.Country) {
		x.field(name)
	}
	if r.Year != 0 {
		x.text = append(strconv.AppendInt(x.text, int64(r.Year), 10), '\n')
	}
	read := len(x.text)
	for _, id := range [...]string{r.ProjectID, r.VintageID} {
		x.field(id)
	}
	x.close(from, read)
}

func (x *Index) close(from, read int) {
	letters, initials := signature(x.text[from:])
	x.rows = append(x.rows, indexRow{len(x.text), uint32(len(x.text) - read), letters, initials})
}

func (x *Index) field(text string) {
	if text != "" {
		x.text = append(fold.Append(x.text, text), '\n')
	}
}

// Find reports for each row whether it contains the words.
func (f Filter) Find(x *Index) []bool {
	found := make([]bool, len(x.rows))
	from := 0
	for i := range x.rows {
		found[i] = f.found(&x.rows[i], x.text[from:x.rows[i].end])
		from = x.rows[i].end
	}
	return found
}

func (f Filter) found(row *indexRow, text []byte) bool {
	// last reports that the last word, or an alternative to it, is found.
	last := true
	for i := range f.words {
		w := &f.words[i]
		found := w.in(row, text)
		switch {
		case w.without && found:
			return false
		case w.without:
		case w.or:
			last = last || found
		case !last:
			return false
		default:
			last = found
		}
	}
	return last
}

func (w *word) in(row *indexRow, text []byte) bool {
	if w.signature&^row.letters != 0 {
		return false
	}
	at, read := bytes.Index(text, w.bytes), len(text)-int(row.ids)
	return at >= 0 && (at < read || w.id) || w.apart && bit(w.bytes[0])&row.initials != 0 && w.scattered(text[:read])
}

// scattered reports whether one field contains the letters of the word in order, each
// directly after the previous one or at the start of a word.
func (w *word) scattered(text []byte) bool {
	done := uint64(1) << (len(w.bytes) - 1)
	// Bit i of last: letter i matched the previous byte; of ever: any earlier byte of the field.
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
		last = next & w.places[c]
		ever |= last
		if ever&done != 0 {
			return true
		}
		begins = !inWord(c)
	}
	return false
}

// signature returns a set of the bytes of a text, and one of the initial bytes of its words, for quick rejection.
func signature(text []byte) (letters, initials uint64) {
	begins := true
	for _, c := range text {
		letters |= bit(c)
		if begins {
			initials |= bit(c)
		}
		begins = !inWord(c)
	}
	return letters, initials
}

func bit(c byte) uint64 { return 1 << (c & 63) }

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// word is text that a row must contain. Its letters may be scattered: each letter follows the previous one or
// starts a word, so "bm" finds Bale Mountains. The letters of a phrase, a number or an id must be adjacent.
type word struct {
	// bytes is the folded text, and signature the set of its bytes.
	bytes     []byte
	signature uint64
	// places has bit i set at each byte equal to bytes[i], if the letters may be scattered.
	places         *[256]uint64
	without, apart bool
	// id reports that the word may be a part of an id.
	id bool
	// or reports that the word is an alternative to the previous one.
	or bool
}

// leastID is the length of the shortest number that is searched in ids.
const leastID = 5

func newWord(text string, phrase, without bool) word {
	w := word{bytes: []byte(text), without: without}
	w.signature, _ = signature(w.bytes)
	// A year is not part of an id.
	number := strings.Trim(text, "0123456789") == ""
	w.id = strings.ContainsAny(text, "0123456789") && (!number || len(text) >= leastID)
	w.apart = !phrase && len(text) <= 64 && !number
	if w.apart {
		w.places = new([256]uint64)
		for i, c := range w.bytes {
			w.places[c] |= 1 << i
		}
	}
	return w
}
