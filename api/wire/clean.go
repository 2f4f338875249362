package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxText = 8 << 10
	// maxMarks is how many combining marks one character may carry: more
	// than any living script needs, fewer than it takes to cover other rows.
	maxMarks = 8
)

// Clean returns s fit for a cell of a terminal, a line of a log or a file:
//
//   - Control characters are replaced by visible ones: ESC by ␛, a line feed
//     by ␊, U+009B by <U+009B>.
//   - Characters that hide or reorder text (bidirectional controls, line
//     separators and every default-ignorable code point of Unicode: zero-width
//     and tag characters, fillers, variation selectors) are marked, such as
//     <U+202E>. Those that emoji and scripts need stay: see stays.
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
		before := c.out.Len()
		if c.add(r, s[i:]); c.out.Len() > maxText {
			// What the last one joined to is gone.
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

// IsClean reports whether s is a text that Clean leaves as it is.
func IsClean(s string) bool { return Clean(s) == s }

type cleaner struct {
	out   strings.Builder
	last  rune // the character that was written last
	marks int  // combining marks since the last character that is none
}

func (c *cleaner) add(r rune, rest string) {
	switch {
	case isHidden(r):
		if c.stays(r, rest[min(utf8.RuneLen(r), len(rest)):]) {
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

// keep writes a character that belongs to its neighbours. The count of marks
// continues, so that it does not allow more of them.
func (c *cleaner) keep(r rune) {
	c.out.WriteRune(r)
	c.last = r
}

// mark writes a combining mark unless the character carries enough of them.
// One at the start of a text would be combined with the text before it.
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
