package style

import (
	"bytes"
	"strconv"
)

// Cell collects the styled text of one cell, and how wide it is, before it is
// known where it stands. The zero value is empty. A Cell that is reused does
// not allocate.
type Cell struct {
	text    []byte
	spans   []span
	width   int
	scratch []byte
}

type span struct {
	from, to, width int
	role            Role
}

// Reset empties the cell.
func (c *Cell) Reset() {
	c.text, c.spans, c.width = c.text[:0], c.spans[:0], 0
}

// Put adds text.
func (c *Cell) Put(role Role, s string) {
	c.text = append(c.text, s...)
	c.close(role, len(c.text)-len(s))
}

// PutBytes adds text. It copies the bytes.
func (c *Cell) PutBytes(role Role, s []byte) {
	c.text = append(c.text, s...)
	c.close(role, len(c.text)-len(s))
}

// PutInt adds a number as digits.
func (c *Cell) PutInt(role Role, n int64) {
	from := len(c.text)
	c.text = strconv.AppendInt(c.text, n, 10)
	c.close(role, from)
}

// Scratch returns an empty buffer to format into before PutBytes. It is good
// until the next call.
func (c *Cell) Scratch() []byte {
	if c.scratch == nil {
		c.scratch = make([]byte, 0, 64)
	}
	return c.scratch[:0]
}

func (c *Cell) close(role Role, from int) {
	if from == len(c.text) {
		return
	}
	n, width := fit(c.text[from:], unbounded)
	if from+n < len(c.text) {
		c.text = append(c.text[:from], clean(string(c.text[from:]))...)
		width = measure(c.text[from:])
	}
	c.spans = append(c.spans, span{from, len(c.text), width, role})
	c.width += width
}

// Mark gives a part of the text, in bytes, the role of what was found, up to the
// ends of its characters.
func (c *Cell) Mark(from, to int) {
	spans := make([]span, 0, len(c.spans)+2)
	for _, s := range c.spans {
		if to <= s.from || from >= s.to {
			spans = append(spans, s)
			continue
		}
		a, b := c.cluster(s, max(from, s.from), false), c.cluster(s, min(to, s.to), true)
		before, found := measure(c.text[s.from:a]), measure(c.text[a:b])
		// What is behind may be long, and is marked next.
		for _, part := range [...]span{{s.from, a, before, s.role}, {a, b, found, Found}, {b, s.to, s.width - before - found, s.role}} {
			if part.from < part.to {
				spans = append(spans, part)
			}
		}
	}
	c.spans = spans
}

func (c *Cell) cluster(s span, at int, end bool) int {
	text := c.text[s.from:s.to]
	for i := 0; i < len(text); {
		size, _ := cluster(text, i)
		next := i + max(size, 1)
		switch {
		case s.from+i == at:
			return at
		case s.from+next > at && end:
			return s.from + next
		case s.from+next > at:
			return s.from + i
		}
		i = next
	}
	return s.to
}

// ClipMiddle cuts the middle of a text that is wider than width. All of it takes
// the role of its beginning.
func (c *Cell) ClipMiddle(width int) {
	if c.width <= width || len(c.spans) == 0 {
		return
	}
	role, text := c.spans[0].role, c.Text()
	c.Reset()
	c.Put(role, ClipMiddle(text, width))
}

// Says reports whether there is more in the cell than blanks, or a dash that
// stands for nothing.
func (c *Cell) Says() bool {
	text := bytes.TrimSpace(c.text)
	return len(text) > 0 && string(text) != "—"
}

// Width returns the cells that the text takes.
func (c *Cell) Width() int { return c.width }

// Empty reports whether there is no text.
func (c *Cell) Empty() bool { return len(c.text) == 0 }

// Text returns the text without its style.
func (c *Cell) Text() string { return string(c.text) }
