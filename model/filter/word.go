package filter

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model/fold"
)

// word is text that a row has to have somewhere. Its letters may stand apart,
// each right behind the one before or at the beginning of a word: "bm" finds
// Bale Mountains. Those of a phrase, a number or an id stand together.
type word struct {
	// text is as fold has it.
	text    string
	letters []rune
	without bool
	apart   bool
	// or says that the word will do instead of the one before.
	or bool
}

// mostLetters is how many letters a word has that may stand apart.
const mostLetters = 64

func newWord(text string, phrase, without bool) word {
	text = folded(text)
	w := word{text: text, letters: []rune(text), without: without}
	w.apart = !phrase && len(w.letters) <= mostLetters && strings.Trim(text, "0123456789") != ""
	return w
}

// folded is a text that is looked for. One of signs alone is not nothing.
func folded(text string) string { return cmp.Or(fold.String(text), strings.ToLower(text)) }

func (w *word) in(text string) bool {
	return text != "" && (contains(text, w.text) || w.apart && w.scattered(text, nil))
}

func (w *word) inID(id string) bool { return id != "" && contains(id, w.text) }

func (w *word) inYear(year int) bool {
	return year != 0 && strings.Contains(strconv.Itoa(year), w.text)
}

// scattered reports whether the letters of the word are in a text in order,
// each where it may stand. It appends to ends, if that is not nil, the letters
// that may end at each rune, as bits. A sign belongs to the rune before it.
func (w *word) scattered(text string, ends *[]uint64) bool {
	done := uint64(1) << (len(w.letters) - 1)
	var last, ever uint64
	begins := true
	for _, r := range text {
		if fold.IsSign(r) {
			if ends != nil {
				*ends = append(*ends, 0)
			}
			continue
		}
		next := last << 1
		if begins {
			next |= ever<<1 | 1
		}
		last = next & w.places(fold.Rune(r))
		ever |= last
		if ends != nil {
			*ends = append(*ends, last)
		}
		if ever&done != 0 {
			return true
		}
		begins = !inWord(r)
	}
	return false
}

// places has bit i set if the rune is letter i of the word.
func (w *word) places(r rune) (set uint64) {
	for i, letter := range w.letters {
		if letter == r {
			set |= 1 << i
		}
	}
	return set
}

func inWord(r rune) bool { return r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (w *word) mark(text string, marked []bool) {
	if markPhrase(text, w.text, marked) || !w.apart {
		return
	}
	var ends []uint64
	if !w.scattered(text, &ends) {
		return
	}
	starts := make([]int, 0, len(text))
	for i := range text {
		starts = append(starts, i)
	}
	// The last place ahead where the letter before may end is right: a letter
	// that begins no word has it directly in front.
	letter := len(w.letters) - 1
	for at := len(ends) - 1; letter >= 0; at-- {
		if ends[at]&(1<<letter) == 0 {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[starts[at]:])
		for i := starts[at]; i < behindSigns(text, starts[at]+size); i++ {
			marked[i] = true
		}
		letter--
	}
}

func markPhrase(text, part string, marked []bool) (found bool) {
	if part == "" {
		return false
	}
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
