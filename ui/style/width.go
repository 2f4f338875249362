package style

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ellipsis ends text that was cut, replacement stands for what must not reach a terminal: control
// characters, invalid UTF-8, and marks that stand on nothing.
const (
	ellipsis    = "…"
	replacement = "\uFFFD"
)

const unbounded = int(^uint(0) >> 1)

// Width returns the number of cells that a Line gives to s.
func Width(s string) int {
	_, cells := fit(clean(s), unbounded)
	return cells
}

// Clip returns s if it fits in width cells, or its longest beginning with an ellipsis that does.
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

// ClipMiddle returns s if it fits in width cells, and otherwise as much of its beginning and its end,
// where ids differ, as does with an ellipsis.
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

// Split cuts s where width cells are full, but behind one character at least. What must not reach a
// terminal is replaced in both parts.
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

// fit returns how much of s, up to what must not reach a terminal, fits in width cells.
func fit[T string | []byte](s T, width int) (n, cells int) {
	for n < len(s) {
		begin := n
		for n < len(s) && n-begin < width-cells && s[n]-' ' <= '~'-' ' {
			n++
		}
		if n > begin && n < len(s) && s[n] >= utf8.RuneSelf {
			n-- // What follows may be a mark on it.
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

// cluster returns the first character of s, and a size of 0 if it must not reach a terminal.
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

// narrow reports whether a character is one cell wide everywhere and joins with nothing but marks:
// Latin letters, and dashes, quotes, lines, blocks, triangles and ★.
func narrow(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r <= 0x17f:
		return r > 0xa0 && r != 0xad
	}
	return r >= 0x2010 && r <= 0x2027 || r >= 0x2200 && r <= 0x223f || r >= 0x2500 && r <= 0x25fc || r == 0x25ff || r == '★'
}

func control(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

func decode[T string | []byte](s T) (rune, int) {
	if len(s) > 0 && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	var head [utf8.UTFMax]byte
	return utf8.DecodeRune(head[:copy(head[:], s)])
}

// Wrap breaks text into lines, at least one, between words or within one that is wider than a line.
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
