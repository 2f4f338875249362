package filter

import (
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
	// places has bit i set at each byte that is byte i of the text, if the letters
	// may stand apart.
	places         *[256]uint64
	without, apart bool
	// or says that the word will do instead of the one before.
	or bool
}

func newWord(text string, phrase, without bool) word {
	w := word{text: text, bytes: []byte(text), signature: signature([]byte(text)), without: without}
	w.apart = !phrase && len(text) <= 64 && strings.Trim(text, "0123456789") != ""
	if w.apart {
		w.places = new([256]uint64)
		for i, c := range w.bytes {
			w.places[c] |= 1 << i
		}
	}
	return w
}

// mark marks the word in a text: as a whole wherever it is, or else its letters.
func (w *word) mark(text string, marked []bool) {
	if markPhrase(text, w.text, marked) || !w.apart {
		return
	}
	var folded []byte
	// from and to are where each byte of folded comes from.
	var from, to []int
	for i, r := range text {
		if fold.IsSign(r) {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		end := behindSigns(text, i+size)
		folded = utf8.AppendRune(folded, fold.Rune(r))
		for len(from) < len(folded) {
			from, to = append(from, i), append(to, end)
		}
	}
	var ends []uint64
	if !w.scattered(folded, &ends) {
		return
	}
	// The last place ahead where the letter before may end is right: a letter
	// that begins no word has it directly in front.
	letter := len(w.bytes) - 1
	for at := len(ends) - 1; letter >= 0; at-- {
		if ends[at]&(1<<letter) == 0 {
			continue
		}
		for i := from[at]; i < to[at]; i++ {
			marked[i] = true
		}
		letter--
	}
}

func markPhrase(text, part string, marked []bool) (found bool) {
	for from := range text {
		if to, ok := stands(text, from, part); ok {
			found = true
			for i := from; i < to; i++ {
				marked[i] = true
			}
		}
	}
	return found
}

// stands reports whether a part, which is as fold has it, stands at a place of a
// text, and where it ends: behind the signs on its last letter.
func stands(text string, from int, part string) (to int, ok bool) {
	to = from
	for _, letter := range part {
		r, size := utf8.DecodeRuneInString(text[to:])
		if size == 0 || fold.Rune(r) != letter {
			return 0, false
		}
		to = behindSigns(text, to+size)
	}
	return to, true
}

func behindSigns(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !fold.IsSign(r) {
			break
		}
		at += size
	}
	return at
}
