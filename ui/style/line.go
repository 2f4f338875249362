// Package style makes styled text of an exact width, and holds the theme: one
// meaning, one style.
//
// A Line never becomes wider than it was started with and is padded to its
// full width; a Block is a number of lines, each exactly as wide as the block.
// Cut takes finished lines apart again.
// Styles are prepared when the theme is made, so that painting a cell is an
// append to one buffer. Text is measured in grapheme clusters, as the renderer
// of Bubble Tea does, and here alone: whoever measured with one function and cut
// with another would sooner or later meet a text on which they differ.
package style

import (
	"strings"
	"unicode/utf8"
)

// Align says where text stands in a field that is wider.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Right
)

// Line builds a line of text, in which an ellipsis ends what does not fit. A Block starts lines.
type Line struct {
	theme *Theme
	buf   []byte
	// width is where the line, or the field being filled, ends; used is how many cells are taken.
	width, used int
	state       RowState
	flash       bool
	clipped     bool
	// styled is the sequence in force, bare says that empty cells look in it as in none.
	styled string
	bare   bool
	// joins says that the last character is not ASCII: a style behind it keeps it from joining with the next.
	joins bool
	// last is where the last piece starts in buf: an ellipsis may take its place.
	last, lastWidth int
}

func (l *Line) begin(theme *Theme, width int, state RowState) {
	*l = Line{theme: theme, buf: l.buf, width: max(width, 0), state: state, styled: end}
}

// Used returns how many cells are taken.
func (l *Line) Used() int { return l.used }

// Room returns how many cells are left.
func (l *Line) Room() int { return l.width - l.used }

// Flash turns the mark of a changed value on or off for what follows: bold and underlined.
func (l *Line) Flash(on bool) { l.flash = on }

// Put adds text.
func (l *Line) Put(role Role, s string) { put(l, role, s) }

// PutLeft adds text in a field of exactly width cells, to the left.
func (l *Line) PutLeft(role Role, s string, width int) {
	l.Field(width, func() { put(l, role, s) })
}

// PutMiddle adds text. If there is no room for all of it, its middle is cut.
func (l *Line) PutMiddle(role Role, s string) { put(l, role, ClipMiddle(s, l.Room())) }

// PutRight adds text in a field of exactly width cells, to the right.
func (l *Line) PutRight(role Role, s string, width int) {
	width = min(width, l.Room())
	text := min(Width(s), width)
	l.Gap(width - text)
	l.Field(text, func() { put(l, role, s) })
}

// PutCell adds a cell in a field of exactly width cells.
func (l *Line) PutCell(c *Cell, width int, align Align) {
	width = min(width, l.Room())
	if c.width > width {
		l.Field(width, func() {
			for _, s := range c.spans {
				put(l, s.role, c.text[s.from:s.to])
			}
		})
		return
	}
	if align == Right {
		l.Gap(width - c.width)
	}
	for _, s := range c.spans {
		l.open(s.role, c.text[s.from])
		add(l, c.text[s.from:s.to], s.width)
	}
	if align == Left {
		l.Gap(width - c.width)
	}
}

const (
	linkStart = "\x1b]8;;"
	linkEnd   = "\x1b\\"
	unlink    = linkStart + linkEnd
)

// Link adds text that opens an address, which was checked, or plain text if it cannot be written.
func (l *Line) Link(role Role, address, text string) {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || address == "" || text == "" {
		l.Put(role, text)
		return
	}
	l.open(role, text[0])
	l.buf = append(append(append(l.buf, linkStart...), address...), linkEnd...)
	l.Put(role, text)
	l.buf = append(l.buf, unlink...)
	l.lastWidth = 0
}

// Repeat adds n times a character that is one cell wide.
func (l *Line) Repeat(role Role, s string, n int) {
	n = min(n, l.Room())
	if n <= 0 {
		return
	}
	l.open(role, s[0])
	l.last, l.lastWidth = len(l.buf), n
	for range n {
		l.buf = append(l.buf, s...)
	}
	l.used += n
}

// shortGap is how many empty cells keep the colour of the text before them,
// which nobody sees: a cell that changes is written to the terminal with its
// style, and most gaps stand between texts of the same one. Longer gaps are
// left without, because a terminal erases them in a few bytes.
const shortGap = 12

// Gap adds n empty cells.
func (l *Line) Gap(n int) {
	n = min(n, l.Room())
	if n <= 0 {
		return
	}
	if l.bare && n <= shortGap {
		l.style(l.styled)
	} else {
		l.style(l.theme.blank[l.state])
	}
	l.last, l.lastWidth = len(l.buf), n
	l.used += n
	for ; n > len(spaces); n -= len(spaces) {
		l.buf = append(l.buf, spaces...)
	}
	l.buf = append(l.buf, spaces[:n]...)
}

const spaces = "                                                                "

// GapTo adds empty cells up to a column, counted from 0.
func (l *Line) GapTo(column int) { l.Gap(column - l.used) }

func (l *Line) finish() {
	l.bare = false
	l.Gap(l.Room())
	l.style(end)
}

// Field runs fill with a line that ends after width cells, and pads it.
func (l *Line) Field(width int, fill func()) {
	width = min(width, l.Room())
	if width <= 0 {
		return
	}
	outer := l.width
	l.width = l.used + width
	fill()
	l.Gap(l.Room())
	l.width, l.clipped, l.lastWidth = outer, false, 0
}

func (l *Line) open(role Role, first byte) {
	l.joins = l.joins || first >= utf8.RuneSelf
	flash := 0
	if l.flash {
		flash = 1
	}
	l.style(l.theme.start[l.state][flash][role])
	l.bare = l.theme.bare[l.state][flash][role]
}

func (l *Line) style(sequence string) {
	if l.joins || l.styled != sequence {
		l.buf = append(l.buf, sequence...)
		l.bare = l.bare && l.styled == sequence
		l.styled, l.joins = sequence, false
	}
}

func put[T string | []byte](l *Line, role Role, s T) {
	if len(s) == 0 || l.clipped {
		return
	}
	l.open(role, s[0])
	if n, cells := fit(s, l.Room()); n == len(s) {
		add(l, s, cells)
		return
	}
	text := clean(string(s))
	n, cells := fit(text, l.Room())
	if n == len(text) {
		add(l, text, cells)
		return
	}
	l.clipped = true
	if l.Room() > 0 {
		n, cells = fit(text, l.Room()-1)
		add(l, text[:n], cells)
	} else if l.lastWidth > 0 {
		n, cells = fit(string(l.buf[l.last:]), l.lastWidth-1)
		l.buf = l.buf[:l.last+n]
		l.used -= l.lastWidth - cells
	} else {
		return
	}
	add(l, ellipsis, 1)
}

func add[T string | []byte](l *Line, s T, cells int) {
	l.last, l.lastWidth = len(l.buf), cells
	l.buf = append(l.buf, s...)
	l.used += cells
	if len(s) > 0 {
		l.joins = s[len(s)-1] >= utf8.RuneSelf
	}
}
