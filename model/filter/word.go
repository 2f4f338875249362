package filter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"tonne/model/fold"
)

// word is text that a row has to have somewhere. Its letters may stand apart,
// each right behind the one before or at the beginning of a word: "bm" finds
// Bale Mountains. Those of a phrase, a number or an id stand together.
type word struct {
	// text is as fold has it, bytes is the same, and signature its kinds of bytes.
	text      string
	bytes     []byte
	signature uint64
	// places has bit i at each byte that is byte i, if the letters may stand apart.
	places         *[256]uint64
	without, apart bool
	// or says that the word will do instead of the one before.
	or bool
}

func newWord(text string, phrase, without bool) word {
	w := word{text: text, bytes: []byte(text), without: without}
	w.signature, _ = signature(w.bytes)
	w.apart = !phrase && len(text) <= 64 && strings.Trim(text, "0123456789") != ""
	if w.apart {
		w.places = new([256]uint64)
		for i, c := range w.bytes {
			w.places[c] |= 1 << i
		}
	}
	return w
}

type marker struct {
	// folded is the text as fold has it, from where each byte of it comes from, and
	// where the text ends: signs belong to the letter before them.
	folded []byte
	from   []int
	marked []bool
}

func newMarker(text string) *marker {
	m := &marker{marked: make([]bool, len(text))}
	for i, r := range text {
		if fold.IsSign(r) {
			continue
		}
		m.folded = utf8.AppendRune(m.folded, fold.Rune(r))
		for len(m.from) < len(m.folded) {
			m.from = append(m.from, i)
		}
	}
	m.from = append(m.from, len(text))
	return m
}

func (m *marker) mark(first, end int) {
	for i := m.from[first]; i < m.from[end]; i++ {
		m.marked[i] = true
	}
}

// phrase marks text, which is as fold has it, wherever it is.
func (m *marker) phrase(text string) (found bool) {
	for at := 0; ; at++ {
		next := bytes.Index(m.folded[at:], []byte(text))
		if next < 0 {
			return found
		}
		at += next
		m.mark(at, at+len(text))
		found = true
	}
}

// word marks a word: as a whole wherever it is, or else its letters.
func (m *marker) word(w *word) {
	var ends []uint64
	if m.phrase(w.text) || !w.apart || !w.scattered(m.folded, &ends) {
		return
	}
	// The last place ahead where the letter before may end is right: a letter
	// that begins no word has it directly in front.
	letter := len(w.bytes) - 1
	for at := len(ends) - 1; letter >= 0; at-- {
		if ends[at]&(1<<letter) != 0 {
			m.mark(at, at+1)
			letter--
		}
	}
}
