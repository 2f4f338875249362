package style

import "strings"

// Span is a piece of text with its meaning.
type Span struct {
	Role Role
	Text string
}

// Spans are pieces of text that follow one another in a line.
type Spans []Span

// Put returns a piece of text, after which others can be put.
func Put(role Role, text string) Spans { return Spans{{role, text}} }

// Put returns the spans with another one after them.
func (s Spans) Put(role Role, text string) Spans { return append(s, Span{role, text}) }

// Width returns the number of cells that they take.
func (s Spans) Width() (cells int) {
	for _, span := range s {
		cells += Width(span.Text)
	}
	return cells
}

// String returns the text alone.
func (s Spans) String() string {
	var b strings.Builder
	for _, span := range s {
		b.WriteString(span.Text)
	}
	return b.String()
}

// PutSpans adds the spans.
func (l *Line) PutSpans(spans Spans) {
	for _, s := range spans {
		l.Put(s.Role, s.Text)
	}
}
