package filter

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is text that a row has to have somewhere. Its letters may stand apart,
// each right behind the one before or at the beginning of a word: "bm" finds
// Bale Mountains. Those of a phrase, a number or an id stand together.
type word struct {
	// text is in lower case.
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
	text = strings.ToLower(text)
	w := word{text: text, letters: []rune(text), without: without}
	w.apart = !phrase && len(w.letters) <= mostLetters && strings.Trim(text, "0123456789") != ""
	return w
}

func (w *word) in(text string) bool {
	return text != "" && (contains(text, w.text) || w.apart && w.scattered(text, nil))
}

func (w *word) inID(id string) bool { return id != "" && contains(id, w.text) }

func (w *word) inYear(year int) bool {
	return year != 0 && strings.Contains(strconv.Itoa(year), w.text)
}

// scattered reports whether the letters of the word are in a text in order,
// each where it may stand. It appends to ends, if that is not nil, the letters
// that may end at each rune, as bits.
func (w *word) scattered(text string, ends *[]uint64) bool {
	done := uint64(1) << (len(w.letters) - 1)
	var last, ever uint64
	begins := true
	for _, r := range text {
		next := last << 1
		if begins {
			next |= ever<<1 | 1
		}
		last = next & w.places(unicode.ToLower(r))
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

// mark marks the bytes of a text that the word matches.
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
		for i := starts[at]; i == starts[at] || i < len(text) && !utf8.RuneStart(text[i]); i++ {
			marked[i] = true
		}
		letter--
	}
}

// markPhrase marks each place of a text, in any case, where a part stands that
// is in lower case. It reports whether there is one.
func markPhrase(text, part string, marked []bool) (found bool) {
	if part == "" {
		return false
	}
	letters := []rune(part)
	for from := range text {
		if to, ok := stands(text, from, letters); ok {
			found = true
			for i := from; i < to; i++ {
				marked[i] = true
			}
		}
	}
	return found
}

// stands reports whether letters stand at a place of a text, and where they
// end.
func stands(text string, from int, letters []rune) (to int, ok bool) {
	to = from
	for _, letter := range letters {
		r, size := utf8.DecodeRuneInString(text[to:])
		if size == 0 || unicode.ToLower(r) != letter {
			return 0, false
		}
		to += size
	}
	return to, true
}
