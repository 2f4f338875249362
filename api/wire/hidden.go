package wire

import (
	"unicode"
	"unicode/utf8"
)

// isHidden reports whether r shows nothing or changes how its neighbours are
// shown: controls beyond ASCII, formats, line separators, and what else has
// the property Default_Ignorable_Code_Point. Signs of Arabic and Syriac that
// enclose the digits after them are formally of this kind, but visible.
func isHidden(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	nonJoiner      = '\u200c'
	joiner         = '\u200d'
	textSelector   = '\ufe0e'
	emojiSelector  = '\ufe0f'
	enclosedKeycap = '\u20e3'
)

// stays reports whether the hidden character r is needed in its place. Needed are only:
//
//   - U+FE0E and U+FE0F directly after a character that has an emoji form; a
//     digit, # or * has one only before U+20E3.
//   - U+200D between two pictures.
//   - U+200C and U+200D between two letters other than Latin, Greek, Cyrillic,
//     Chinese or Korean ones, the first of which may carry marks.
//   - U+200C and U+200D in an Indic script directly after a virama, and
//     between a letter and a mark.
func (c *cleaner) stays(r rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case textSelector, emojiSelector:
		return hasEmojiForm(c.last) || isKeycapBase(c.last) && after == enclosedKeycap
	case joiner:
		return c.joinsPictures(after) || c.joinsLetters(after)
	case nonJoiner:
		return c.joinsLetters(after)
	}
	return false
}

func (c *cleaner) joinsPictures(after rune) bool {
	return isPicture(after) && (isPicture(c.last) || c.last == emojiSelector)
}

func (c *cleaner) joinsLetters(after rune) bool {
	switch {
	case isVirama(c.last):
		return true
	case isJoined(c.last):
		return isJoined(after) || isIndic(c.last) && isIndic(after) && unicode.Is(unicode.M, after)
	}
	return unicode.Is(unicode.M, c.last) && isJoined(after)
}

func isPicture(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.Is(unicode.S, r)
}

// hasEmojiForm reports whether r is shown as a picture or as text, as the
// selector after it says.
func hasEmojiForm(r rune) bool {
	switch r {
	case '©', '®', '‼', '⁉', '™', 'ℹ', '〰', '〽', '㊗', '㊙':
		return true
	}
	return isPicture(r)
}

func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

func isJoined(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}

func isIndic(r rune) bool { return r >= 0x900 && r <= 0xdff }

// isVirama reports whether r removes a letter's vowel, so that the joiner after
// it selects the form of the letter. All Indic blocks except Sinhala have theirs
// in the same place.
func isVirama(r rune) bool { return isIndic(r) && r < 0xd80 && r%0x80 == 0x4d || r == 0xdca }
