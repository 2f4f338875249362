package style

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ellipsis ends text that was cut. replacement replaces text that must not reach a terminal: control characters,
// invalid UTF-8, and combining marks without a base character.
const (
	ellipsis    = "…"
	replacement = "\uFFFD"
)

const unbounded = int(^uint(0) >> 1)

// Width returns the width of s in a Line, in cells.
func Width(s string) int {
	_, cells := fit(clean(s), unbounded)
	return cells
}

// Clip cuts s to width cells. Text that is cut ends with an ellipsis.
func Clip(s string, width int) string {
	if width <= 0 {
		return ""
	}
	s = clean(s)
	if n, _ := fit(s, width); n == len(s) {
		return s
	}
	n, _ := fit(s, width-1)
	return s[:n] + ellipsis
}

// ClipMiddle cuts s to width cells. It replaces the middle with an ellipsis, because ids differ at their ends.
func ClipMiddle(s string, width int) string {
	if width <= 0 {
		return ""
	}
	s = clean(s)
	if n, _ := fit(s, width); n == len(s) {
		return s
	}
	head, taken := fit(s, width/2)
	tail := s[head:]
	for over := Width(tail) - (width - 1 - taken); over > 0 && tail != ""; {
		n, cells := cluster(tail)
		tail, over = tail[max(n, 1):], over-cells
	}
	return s[:head] + ellipsis + tail
}

// Split cuts s after at most width cells, but after at least one character. It replaces text that must not reach
// a terminal in both parts.
func Split(s string, width int) (head, rest string) {
	s = clean(s)
	n, _ := fit(s, max(width, 0))
	if n == 0 && s != "" {
		n, _ = cluster(s)
	}
	return s[:n], s[n:]
}

func clean(s string) string {
	if n, _ := fit(s, unbounded); n == len(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if control(r) {
			return utf8.RuneError
		}
		return r
	}, s)
	var b strings.Builder
	for s != "" {
		text, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(text):]
		if size, _ := cluster(text); size == 0 {
			text = replacement
		}
		b.WriteString(text)
	}
	return b.String()
}

// fit returns the length of the start of s that fits into width cells. It stops at text that must not reach a
// terminal.
func fit[T string | []byte](s T, width int) (n, cells int) {
	for n < len(s) {
		begin := n
		for n < len(s) && n-begin < width-cells && s[n]-' ' <= '~'-' ' {
			n++
		}
		if n > begin && n < len(s) && s[n] >= utf8.RuneSelf {
			n-- // The next character may be a combining mark.
		}
		cells += n - begin
		if n == len(s) {
			break
		}
		size, wide := cluster(s[n:])
		if size == 0 || wide > width-cells {
			break
		}
		n += size
		cells += wide
	}
	return n, cells
}

// cluster returns the size of the first character of s, or 0 if it must not reach a terminal.
func cluster[T string | []byte](s T) (size, cells int) {
	first, size := decode(s)
	if narrow(first) {
		if size == len(s) || s[size] < utf8.RuneSelf {
			return size, 1
		}
		if next, _ := decode(s[size:]); narrow(next) {
			return size, 1
		}
	}
	text, cells := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	behind := [1 + utf8.UTFMax]byte{'x'}
	copy(behind[1:], s[:size])
	joined, _ := ansi.FirstGraphemeCluster(behind[:1+size], ansi.GraphemeWidth)
	if cells == 0 || control(first) || !utf8.Valid([]byte(text)) || len(joined) > 1 {
		return 0, 0
	}
	return len(text), cells
}

// narrow reports whether a character has one cell on every terminal and joins only with combining marks: Latin
// letters, dashes, quotes, lines, blocks, triangles and ★.
func narrow(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r <= 0x17f:
		return r > 0xa0 && r != 0xad
	}
	return r >= 0x2010 && r <= 0x2027 || r >= 0x2200 && r <= 0x223f || r >= 0x2500 && r <= 0x25fc || r == 0x25ff ||
		r == '★'
}

func control(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

func decode[T string | []byte](s T) (rune, int) {
	if len(s) > 0 && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	var head [utf8.UTFMax]byte
	return utf8.DecodeRune(head[:copy(head[:], s)])
}

// Wrap breaks text into at least one line, between words or within a word that is wider than a line.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && Width(line)+1+Width(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		piece, rest := Split(word, width)
		for ; rest != ""; piece, rest = Split(rest, width) {
			lines = append(lines, piece)
		}
		line = piece
	}
	return append(lines, line)
}
