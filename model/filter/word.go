package filter

import "strings"

// word is text that a row must contain. Its letters may be scattered: each letter follows the one before or starts
// a word, so "bm" finds Bale Mountains. The letters of a phrase, a number or an id must be adjacent.
type word struct {
	// bytes are as fold has them, and signature is of which kinds.
	bytes     []byte
	signature uint64
	// places has bit i at each byte that is byte i, if the letters may stand apart.
	places         *[256]uint64
	without, apart bool
	// id says that the word may be a part of an id.
	id bool
	// or says that the word will do instead of the one before.
	or bool
}

// leastID is the length of the shortest number that is looked for in ids.
const leastID = 5

func newWord(text string, phrase, without bool) word {
	w := word{bytes: []byte(text), without: without}
	w.signature, _ = signature(w.bytes)
	// A year is no part of an id.
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
