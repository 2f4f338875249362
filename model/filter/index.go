package filter

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"tonne/model/country"
	"tonne/model/fold"
)

// Index is the text of many rows: one field a line, as fold has it, the ids last.
type Index struct {
	text []byte
	rows []indexRow
}

// indexRow is where the text of a row ends, how much of it is ids, and its signatures.
type indexRow struct {
	end               int
	ids               uint32
	letters, initials uint64
}

// NewIndex returns the index of n rows, of which it needs the details.
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
	for _, field := range [...]string{r.Wallet, r.Name, r.Type, r.Country, r.Registry} {
		x.field(field)
	}
	for _, name := range country.Names(r.Country) {
		x.field(name)
	}
	if r.Year != 0 {
		x.text = append(strconv.AppendInt(x.text, int64(r.Year), 10), '\n')
	}
	read := len(x.text)
	for _, id := range [...]string{r.RegistryID, r.ProjectID, r.VintageID} {
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

// RankAll returns the ranks of all rows by the words alone.
func (f Filter) RankAll(x *Index) []Rank {
	ranks := make([]Rank, len(x.rows))
	from := 0
	for i := range x.rows {
		ranks[i] = f.rank(&x.rows[i], x.text[from:x.rows[i].end])
		from = x.rows[i].end
	}
	return ranks
}

func (f Filter) rank(row *indexRow, text []byte) Rank {
	// last is the rank by a word and those that would do instead.
	rank, last := In, In
	for i := range f.words {
		w := &f.words[i]
		found := w.rank(row, text)
		switch {
		case w.without && found != Out:
			return Out
		case w.without:
		case w.or:
			last = max(last, found)
		case last == Out:
			return Out
		default:
			rank, last = min(rank, last), found
		}
	}
	return min(rank, last)
}

func (w *word) rank(row *indexRow, text []byte) Rank {
	if w.signature&^row.letters != 0 {
		return Out
	}
	at, read := bytes.Index(text, w.bytes), len(text)-int(row.ids)
	switch {
	case at >= 0 && at < read:
		return In
	case w.apart && bit(w.bytes[0])&row.initials != 0 && w.scattered(text[:read], nil):
		return In
	case at >= 0:
		return ByID
	}
	return Out
}

// scattered reports whether the letters of the word are in one field, in
// order, each right behind the one before or at the beginning of a word. It
// appends to ends, if that is not nil, the letters that may end at each byte.
func (w *word) scattered(text []byte, ends *[]uint64) bool {
	done := uint64(1) << (len(w.bytes) - 1)
	// Bit i of last: letter i matched the byte before; of ever: any byte of the field.
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
		if ends != nil {
			*ends = append(*ends, last)
		}
		if ever&done != 0 {
			return true
		}
		begins = !inWord(c)
	}
	return false
}

// signature has a bit for each kind of byte in a text, and for each that begins a
// word. A text can only hold another if it has all of its bits.
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
