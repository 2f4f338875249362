package style

import (
	"strings"
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
func Width(s string) int { return measure(s) }

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
	for over := measure(tail) - (width - 1 - taken); over > 0 && tail != ""; {
		n, cells := cluster(tail, 0)
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
		n, _ = cluster(s, 0)
	}
	return s[:n], s[n:]
}

func clean(s string) string {
	n, _ := fit(s, unbounded)
	if n == len(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		n, _ := fit(s, unbounded)
		b.WriteString(s[:n])
		s = s[n:]
		if bad := unfit(s); bad > 0 {
			b.WriteString(replacement)
			s = s[bad:]
		}
	}
	return b.String()
}

func measure[T string | []byte](s T) int {
	total := 0
	for len(s) > 0 {
		n, cells := fit(s, unbounded)
		total += cells
		s = s[n:]
		if len(s) > 0 {
			s = s[unfit(s):]
			total++
		}
	}
	return total
}

func fit[T string | []byte](s T, width int) (n, cells int) {
	for n < len(s) {
		run := ascii(s, n)
		if run > width-cells {
			return n + width - cells, width
		}
		n += run
		cells += run
		if n == len(s) {
			break
		}
		size, wide := cluster(s, n)
		if size == 0 || wide > width-cells {
			break
		}
		n += size
		cells += wide
	}
	return n, cells
}

// ascii returns how many bytes from s[i] on are printable ASCII, without one that a mark may join.
func ascii[T string | []byte](s T, i int) int {
	n := i
	for n < len(s) && s[n]-' ' <= '~'-' ' {
		n++
	}
	if n > i && n < len(s) && s[n] >= utf8.RuneSelf {
		n--
	}
	return n - i
}

func cluster[T string | []byte](s T, i int) (size, cells int) {
	size = simple(s, i)
	next := i + size
	if size > 0 && (next == len(s) || s[next] < utf8.RuneSelf || simple(s, next) > 0) {
		return size, 1
	}
	first, cells := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
	for j := 0; j < len(first); {
		r, k := decode(first[j:])
		if control(r, k) {
			// What the cluster would join with is replaced: it stands alone.
			first = first[:j]
			_, cells = ansi.FirstGraphemeCluster(first, ansi.GraphemeWidth)
			break
		}
		j += k
	}
	if cells == 0 || joins(first) {
		return 0, 0
	}
	return len(first), cells
}

// simple returns the length of a character of one cell that joins with nothing but marks, 0 for others.
func simple[T string | []byte](s T, i int) int {
	switch c := s[i]; {
	case c >= ' ' && c < 0x7f:
		return 1
	case c < 0xc2 || i+1 >= len(s):
		return 0
	case c <= 0xc5: // Latin-1 and Latin Extended-A.
		if d := s[i+1]; d < 0x80 || d > 0xbf || c == 0xc2 && (d < 0xa1 || d == 0xad) {
			return 0
		}
		return 2
	case c == 0xe2 && i+2 < len(s) && sign(s[i+1], s[i+2]):
		return 3
	}
	return 0
}

// sign knows dashes, quotes, lines, blocks, triangles and ★ by the end of their UTF-8.
func sign(second, third byte) bool {
	if third < 0x80 || third > 0xbf {
		return false
	}
	switch second {
	case 0x80: // U+2010 to U+2027.
		return third >= 0x90 && third <= 0xa7
	case 0x88, 0x94, 0x95, 0x96: // U+2200 to U+223F, U+2500 to U+25BF.
		return true
	case 0x97: // U+25C0 to U+25FF but for two squares that are emoji.
		return third != 0xbd && third != 0xbe
	case 0x98: // ★
		return third == 0x85
	}
	return false
}

func unfit[T string | []byte](s T) int {
	if len(s) == 0 {
		return 0
	}
	if size, _ := cluster(s, 0); size > 0 {
		return 0
	}
	_, size := decode(s)
	for size < len(s) && joins(s[size:]) {
		_, mark := decode(s[size:])
		size += mark
	}
	return size
}

func joins[T string | []byte](s T) bool {
	behind := [1 + utf8.UTFMax]byte{'x'}
	_, size := decode(s)
	copy(behind[1:], s[:size])
	first, _ := ansi.FirstGraphemeCluster(behind[:1+size], ansi.GraphemeWidth)
	return len(first) > 1
}

func control(r rune, size int) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1
}

func decode[T string | []byte](s T) (rune, int) {
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
