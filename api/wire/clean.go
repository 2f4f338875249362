package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model/fold"
)

const (
	maxText = 8 << 10
	// maxMarks limits the combining marks on one character: more than any living
	// script needs, and too few to cover other rows.
	maxMarks = 8
)

// Clean returns s in a form that is safe in a cell of a terminal, a line of a log or
// a file:
//
//   - Control characters become visible ones: ESC becomes ␛, a line feed ␊,
//     U+009B <U+009B>.
//   - Characters that hide or reorder text (bidirectional controls, line
//     separators and all default-ignorable code points of Unicode: zero-width
//     and tag characters, fillers, variation selectors) become text such as
//     <U+202E>, unless emoji or a script needs them there: see isNeeded.
//   - Invalid UTF-8 becomes U+FFFD.
//   - Combining marks beyond a few on one character are removed.
//   - A text longer than 8 KiB is cut and ends in an ellipsis.
//
// Clean is idempotent.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var c cleaner
	for i, r := range s {
		before := c.out.Len()
		if c.add(r, s[i:]); c.out.Len() > maxText {
			// Joiners and selectors at the end have lost the character that they join to.
			return strings.TrimRight(c.out.String()[:before], "\u200c\u200d\ufe0e\ufe0f") + "…"
		}
	}
	return c.out.String()
}

func isPlain[T ~string | ~[]byte](s T) bool {
	if len(s) > maxText {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// IsClean reports whether Clean does not change s.
func IsClean(s string) bool { return Clean(s) == s }

type cleaner struct {
	out   strings.Builder
	last  rune // the last character written
	marks int  // combining marks since the last base character
}

func (c *cleaner) add(r rune, rest string) {
	switch {
	case fold.IsHidden(r):
		if c.isNeeded(r, rest[min(utf8.RuneLen(r), len(rest)):]) {
			c.keep(r)
		} else {
			fmt.Fprintf(&c.out, "<U+%04X>", r)
			c.last, c.marks = '>', 0
		}
	case unicode.Is(unicode.M, r):
		c.mark(r)
	default:
		c.put(visible(r))
	}
}

func (c *cleaner) put(r rune) {
	c.out.WriteRune(r)
	c.last, c.marks = r, 0
}

// keep writes a character that belongs to its neighbours. It does not reset the count
// of marks.
func (c *cleaner) keep(r rune) {
	c.out.WriteRune(r)
	c.last = r
}

// mark writes a combining mark, unless the character has too many. A mark at the start
// gets a dotted circle, so that it does not combine with preceding text.
func (c *cleaner) mark(r rune) {
	if c.out.Len() == 0 {
		c.put('\u25cc')
	}
	if c.marks < maxMarks {
		c.keep(r)
		c.marks++
	}
}

func visible(r rune) rune {
	switch {
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	}
	return r
}

const (
	nonJoiner      = '\u200c'
	joiner         = '\u200d'
	textSelector   = '\ufe0e'
	emojiSelector  = '\ufe0f'
	enclosedKeycap = '\u20e3'
)

// isNeeded reports whether the hidden character r has an effect here that emoji or a
// script needs:
//
//   - U+FE0E and U+FE0F directly after a character that has an emoji form; a
//     digit, # or * has one only before U+20E3.
//   - U+200D between two pictures.
//   - U+200C and U+200D between two letters, unless they are Latin, Greek, Cyrillic,
//     Chinese or Korean. The first letter may have marks.
//   - U+200C and U+200D in an Indic script directly after a virama, and
//     between a letter and a mark.
func (c *cleaner) isNeeded(r rune, rest string) bool {
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

// hasEmojiForm reports whether a selector after r chooses between picture and text.
func hasEmojiForm(r rune) bool {
	switch r {
	case '©', '®', '‼', '⁉', '™', 'ℹ', '〰', '〽', '㊗', '㊙':
		return true
	}
	return isPicture(r)
}

func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

func isJoined(r rune) bool {
	return unicode.IsLetter(r) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}

func isIndic(r rune) bool { return r >= 0x900 && r <= 0xdff }

// isVirama reports whether r removes the vowel of a letter, so that a joiner after it
// selects the form of the letter. Its place is the same in all Indic blocks except
// Sinhala.
func isVirama(r rune) bool { return isIndic(r) && r < 0xd80 && r%0x80 == 0x4d || r == 0xdca }
