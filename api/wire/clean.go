package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxText is the longest text that is kept, in bytes.
	maxText = 8 << 10
	// maxMarks is how many combining marks one character may carry: more
	// than any living script needs, fewer than it takes to cover other rows.
	maxMarks = 8
)

// Clean returns s fit for a cell of a terminal, a line of a log or a file:
//
//   - Control characters are replaced by visible ones: ESC by ␛, a line feed
//     by ␊, U+009B by <U+009B>.
//   - Characters that hide or reorder text (bidirectional controls, zero-width
//     and tag characters, line separators) are marked, such as <U+202E>.
//     Joiners stay where emoji and scripts need them.
//   - Invalid UTF-8 becomes U+FFFD.
//   - More than a few combining marks on one character are left out.
//   - What is longer than 8 KiB is cut off and ends in an ellipsis.
//
// Clean of a clean text is that text.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var c cleaner
	for i, r := range s {
		if c.out.Len() >= maxText {
			return c.out.String() + "…"
		}
		c.add(r, s[i:])
	}
	return c.out.String()
}

// isPlain reports whether s is short and printable ASCII, which nothing needs
// to be done to.
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

// cleaner writes the clean form of a text.
type cleaner struct {
	out   strings.Builder
	last  rune // the character before
	marks int  // combining marks since the last character that is none
}

// add writes r. The rest of the text starts with r.
func (c *cleaner) add(r rune, rest string) {
	before := c.last
	c.last = r
	switch {
	case unicode.Is(unicode.M, r):
		c.mark(r)
		return
	case r < ' ':
		c.out.WriteRune('\u2400' + r)
	case r == 0x7f:
		c.out.WriteRune('\u2421')
	case isJoiner(r) && joins(before, r, rest):
		c.out.WriteRune(r)
	case isHidden(r):
		fmt.Fprintf(&c.out, "<U+%04X>", r)
	default:
		c.out.WriteRune(r)
	}
	c.marks = 0
}

// mark writes a combining mark unless the character carries enough of them.
// One at the start of a text would land on what stands before the text.
func (c *cleaner) mark(r rune) {
	if c.out.Len() == 0 {
		c.out.WriteRune('\u25cc')
	}
	if c.marks++; c.marks <= maxMarks {
		c.out.WriteRune(r)
	}
}

// isHidden reports whether r shows nothing or changes how its neighbours are
// shown. Signs of Arabic and Syriac that enclose the digits behind them are
// formally of this kind, but show.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins reports whether a joiner stands where a script or an emoji sequence
// needs it: between two letters other than Latin, Greek or Cyrillic ones, or
// between two pictures.
func joins(before, joiner rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(joiner):])
	if isPicture(after) && joiner == '\u200d' {
		return isPicture(before) || before == '\ufe0f'
	}
	return isJoined(after) && (isJoined(before) || unicode.Is(unicode.M, before))
}

func isPicture(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.Is(unicode.S, r)
}

func isJoined(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}
