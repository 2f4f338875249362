package style

import (
	"bytes"
	"strings"
)

// Cell builds the styled text of one cell of a table. The zero value is empty. A reused Cell does not allocate.
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

// Scratch returns an empty buffer for PutBytes. It is valid until the next call.
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
		_, width = fit(c.text[from:], unbounded)
	}
	c.spans = append(c.spans, span{from, len(c.text), width, role})
	c.width += width
}

// Mark gives the bytes from to to the role Found, extended to whole characters.
func (c *Cell) Mark(from, to int) {
	spans := make([]span, 0, len(c.spans)+2)
	for _, s := range c.spans {
		part := span{from: s.from, to: s.from}
		for part.to < s.to {
			size, cells := cluster(c.text[part.to:s.to])
			size = max(size, 1)
			role := s.role
			if part.to < to && part.to+size > from {
				role = Found
			}
			if role != part.role && part.from < part.to {
				spans = append(spans, part)
				part = span{from: part.to, to: part.to}
			}
			part.to, part.width, part.role = part.to+size, part.width+cells, role
		}
		spans = append(spans, part)
	}
	c.spans = spans
}

// ClipMiddle cuts the middle of a text that is too wide. The result has the role of the start.
func (c *Cell) ClipMiddle(width int) {
	if c.width <= width || len(c.spans) == 0 {
		return
	}
	role, text := c.spans[0].role, c.Text()
	c.Reset()
	c.Put(role, ClipMiddle(text, width))
}

// Says reports whether the cell has more than blanks or a dash.
func (c *Cell) Says() bool {
	text := bytes.TrimSpace(c.text)
	return len(text) > 0 && string(text) != "—"
}

// Width returns the width of the text in cells.
func (c *Cell) Width() int { return c.width }

// Empty reports whether there is no text.
func (c *Cell) Empty() bool { return len(c.text) == 0 }

// Text returns the text without its style.
func (c *Cell) Text() string { return string(c.text) }

// Span is a text with its role.
type Span struct {
	Role Role
	Text string
}

// Spans are consecutive texts of a line.
type Spans []Span

// Put returns spans with one text.
func Put(role Role, text string) Spans { return Spans{{role, text}} }

// Put appends a text.
func (s Spans) Put(role Role, text string) Spans { return append(s, Span{role, text}) }

// Width returns the width in cells.
func (s Spans) Width() (cells int) {
	for _, span := range s {
		cells += Width(span.Text)
	}
	return cells
}

// String returns the text without roles.
func (s Spans) String() string {
	var b strings.Builder
	for _, span := range s {
		b.WriteString(span.Text)
	}
	return b.String()
}

// PutSpans adds spans.
func (l *Line) PutSpans(spans Spans) {
	for _, s := range spans {
		l.Put(s.Role, s.Text)
	}
}
