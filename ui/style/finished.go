package style

import (
	"strings"
	"unicode/utf8"
)

// WidthOf returns how many cells a finished line takes: one that a Line, a
// Block or Cut made. Its styles and links take none.
func WidthOf(line string) int {
	cells := 0
	for line != "" {
		p := next(line, unbounded)
		cells += p.cells
		line = line[p.size:]
	}
	return cells
}

// Cut returns the cells of a finished line from one column up to another,
// counted from 0: exactly to-from cells, in the styles and links that they have
// in the line. A character that is two cells wide and half outside becomes a
// blank, and so does each cell behind the end of the line.
func Cut(line string, from, to int) string {
	from = max(from, 0)
	c := cutter{style: end, painted: end, link: unlink, open: unlink}
	at := 0
	for line != "" && at < to {
		room := to - at
		if at < from {
			room = from - at
		}
		p := next(line, room)
		s, start := line[:p.size], at
		line, at = line[p.size:], at+p.cells
		switch {
		case p.kind == styling:
			c.style = s
		case p.kind == linking:
			c.link = s
		case at <= from:
		case start < from || at > to:
			c.blank(min(at, to) - max(start, from))
		default:
			c.put(s, p.kind)
		}
	}
	c.blank(to - max(at, from))
	return c.close()
}

type piece struct {
	size, cells int
	kind        kind
}

type kind uint8

const (
	plain kind = iota
	// raw is what must not reach a terminal.
	raw
	styling
	linking
)

func next(line string, width int) piece {
	if line[0] == '\x1b' {
		if size, k := sequence(line); size > 0 {
			return piece{size: size, kind: k}
		}
	}
	if n, cells := fit(line, width); n > 0 {
		return piece{n, cells, plain}
	}
	if size, cells := cluster(line, 0); size > 0 {
		return piece{size, cells, plain}
	}
	return piece{unfit(line), 1, raw}
}

// The beginnings and the end of the sequences that a Line writes, and the one
// that ends a link.
const (
	styleStart = "\x1b["
	linkStart  = "\x1b]8;;"
	linkEnd    = "\x1b\\"
	unlink     = linkStart + linkEnd
)

func sequence(line string) (size int, k kind) {
	if rest, ok := strings.CutPrefix(line, styleStart); ok {
		n := strings.IndexFunc(rest, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
		if n >= 0 && rest[n] == 'm' {
			return len(styleStart) + n + len("m"), styling
		}
	}
	if rest, ok := strings.CutPrefix(line, linkStart); ok {
		n := strings.IndexFunc(rest, unlinkable)
		if n >= 0 && strings.HasPrefix(rest[n:], linkEnd) {
			return len(linkStart) + n + len(linkEnd), linking
		}
	}
	return 0, plain
}

func unlinkable(r rune) bool { return r <= ' ' || r >= 0x7f }

type cutter struct {
	line []byte
	// style and link are in force where the line is read; painted and open are
	// in force where the part is written.
	style, link   string
	painted, open string
	// joins says that the last character is not ASCII: see Line.
	joins bool
}

func (c *cutter) put(s string, k kind) {
	if k == raw {
		s = replacement
	}
	c.enter(c.style, c.link)
	c.line = append(c.line, s...)
	c.joins = s[len(s)-1] >= utf8.RuneSelf
}

func (c *cutter) blank(n int) {
	if n > 0 {
		c.enter(c.style, c.link)
		c.line = append(c.line, strings.Repeat(" ", n)...)
	}
}

func (c *cutter) enter(style, link string) {
	if c.open != link {
		c.line = append(c.line, link...)
		c.open, c.joins = link, false
	}
	if c.joins || c.painted != style {
		c.line = append(c.line, style...)
		c.painted, c.joins = style, false
	}
}

func (c *cutter) close() string {
	c.enter(end, unlink)
	return string(c.line)
}

const eraseLine = "\x1b[K"

// Changed returns what is written onto a finished line, from a column on that is
// counted from 0, to make it another one: nothing where it is the same. It is
// written in no style and no link, and leaves none.
//
// Terminals disagree about the width of some characters. A line with one of them
// is written as a whole.
func Changed(was, is string) (column int, text string) {
	if was == is {
		return 0, ""
	}
	cells, sure := certain(was)
	if wanted, certain := certain(is); !sure || !certain || wanted != cells {
		return 0, end + eraseLine + is
	}
	from, column := sameHead(was, is)
	to := len(is) - sameTail(was[from:], is[from:])
	if to == len(is) {
		return column, is[from:]
	}
	return column, is[from:to] + end
}

// certain also reports whether all terminals agree on the width.
func certain(line string) (cells int, sure bool) {
	for i := 0; i < len(line); {
		if line[i] == '\x1b' {
			size, k := sequence(line[i:])
			if size == 0 || k != styling {
				return 0, false
			}
			i += size
			continue
		}
		size := simple(line, i)
		if size == 0 {
			return 0, false
		}
		i += size
		cells++
	}
	return cells, true
}

// sameHead returns the common beginning, up to where a style begins in both.
func sameHead(a, b string) (size, cells int) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	for at := 0; ; {
		next := strings.Index(b[at:], styleStart)
		if next < 0 || at+next > same {
			return size, cells
		}
		width, _ := certain(b[at : at+next])
		cells += width
		size = at + next
		styled, _ := sequence(b[size:])
		at = size + styled
	}
}

// sameTail returns the common end, from where a style begins in both.
func sameTail(a, b string) (size int) {
	same := 0
	for same < min(len(a), len(b)) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	begins := strings.Index(b[len(b)-same:], styleStart)
	if begins < 0 {
		return 0
	}
	return same - begins
}
