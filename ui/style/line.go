// Package style builds styled text of an exact width, and has the theme: one style
// for each meaning (Role). A Line has a fixed width: it cuts longer text and pads
// shorter text. A Block is a number of lines of the same width. Start reading at Block.
//
// A theme prepares its styles, so that drawing a cell only appends to a buffer. Text
// is measured in grapheme clusters, like Bubble Tea's renderer. All measuring and
// cutting is in this package, because different functions would disagree on some text.
package style

import (
	"strings"
	"unicode/utf8"
)

// Align is the alignment of text in a wider field.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Right
)

// Line builds a line of text. An ellipsis replaces text that does not fit. Block.Line starts one.
type Line struct {
	theme *Theme
	buf   []byte
	// width is the end of the line or of the current field, and used the number of cells so far.
	width, used int
	state       RowState
	flash       bool
	clipped     bool
	// styled is the current escape sequence. bare reports that empty cells look the same without it.
	styled string
	bare   bool
	// joins reports that the last character is not ASCII. A style after it prevents joining with the next character.
	joins bool
	// last is the start of the last piece in buf, which an ellipsis may replace.
	last, lastWidth int
}

func (l *Line) begin(theme *Theme, width int, state RowState) {
	*l = Line{theme: theme, buf: l.buf, width: max(width, 0), state: state, styled: end}
}

// Used returns the number of cells so far.
func (l *Line) Used() int { return l.used }

// Room returns the number of cells that are left.
func (l *Line) Room() int { return l.width - l.used }

// Flash turns the mark of a changed value, bold and underlined, on or off for the following text.
func (l *Line) Flash(on bool) { l.flash = on }

// Put adds text.
func (l *Line) Put(role Role, s string) { put(l, role, s) }

// PutLeft adds left-aligned text in a field of exactly width cells.
func (l *Line) PutLeft(role Role, s string, width int) {
	l.Field(width, func() { put(l, role, s) })
}

// PutMiddle adds text. If it does not fit, its middle is cut.
func (l *Line) PutMiddle(role Role, s string) { put(l, role, ClipMiddle(s, l.Room())) }

// PutRight adds right-aligned text in a field of exactly width cells.
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

// Link adds text that opens an address, which the caller has checked. It adds plain text if the address cannot be
// written.
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

// Repeat adds a character of one cell n times.
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

// shortGap is the longest gap that keeps the style of the text before it. The style of
// empty cells is invisible, but keeping it saves bytes, because most gaps are between
// texts of the same style. Longer gaps have no style: a terminal can erase them in a few bytes.
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

// GapTo adds empty cells up to a column, from 0.
func (l *Line) GapTo(column int) { l.Gap(column - l.used) }

func (l *Line) finish() {
	l.bare = false
	l.Gap(l.Room())
	l.style(end)
}

// Field calls fill with the line limited to width cells, and pads the field.
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
