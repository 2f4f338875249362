package style

import (
	"slices"
	"strings"
)

// Block builds lines of the same width. A reused block allocates only the returned string.
type Block struct {
	line          Line
	theme         *Theme
	width, height int
	lines         int
}

// NewBlock returns an empty block of exactly width × height cells.
func NewBlock(theme *Theme, width, height int) *Block {
	b := new(Block)
	b.Reset(theme, width, height)
	return b
}

// Reset empties the block and sets its size.
func (b *Block) Reset(theme *Theme, width, height int) {
	b.theme, b.width, b.height, b.lines = theme, max(width, 0), max(height, 0), 0
	if b.line.buf == nil {
		// An estimate of the bytes of the cells with their styles.
		b.line.buf = make([]byte, 0, b.height*(b.width*3/2))
	}
	b.line.buf = b.line.buf[:0]
}

// Theme returns the theme of the block.
func (b *Block) Theme() *Theme { return b.theme }

// Width returns the width of every line.
func (b *Block) Width() int { return b.width }

// Height returns the total number of lines.
func (b *Block) Height() int { return b.height }

// Room returns the number of lines that are left.
func (b *Block) Room() int { return b.height - b.lines }

// Line starts the next line. It is valid until the next call. After the last line of the block, it ignores text.
func (b *Block) Line(state RowState) *Line {
	if b.lines > 0 && b.lines <= b.height {
		b.line.finish()
	}
	b.lines++
	switch {
	case b.lines > b.height:
		return &Line{theme: b.theme, state: state}
	case b.lines > 1:
		b.line.buf = append(b.line.buf, '\n')
	}
	b.line.begin(b.theme, b.width, state)
	return &b.line
}

// Put adds a line with text in one role.
func (b *Block) Put(role Role, s string) { b.Line(Plain).Put(role, s) }

// Blank adds empty lines.
func (b *Block) Blank(n int) {
	for range min(n, b.Room()) {
		b.Line(Plain)
	}
}

// String fills the block with empty lines up to its height and returns it.
func (b *Block) String() string {
	b.Blank(b.Room())
	b.lines = b.height
	if b.height == 0 {
		return ""
	}
	b.line.finish()
	return string(b.line.buf)
}

// Beside joins blocks of the same height from left to right.
func Beside(blocks ...string) string {
	var out strings.Builder
	size := 0
	for _, block := range blocks {
		size += len(block)
	}
	out.Grow(size)
	for more := true; more; {
		more = false
		for i, block := range blocks {
			line, rest, found := strings.Cut(block, "\n")
			out.WriteString(line)
			blocks[i], more = rest, more || found
		}
		if more {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// Split fills the rest of the block with two blocks: left has left cells, right the others except a gap before it
// and a margin after it.
func (b *Block) Split(left, gap, margin int, drawLeft, drawRight func(b *Block)) {
	one, other := NewBlock(b.theme, left, b.Room()), NewBlock(b.theme, b.width-left-gap-margin, b.Room())
	drawLeft(one)
	drawRight(other)
	blank := func(width int) string { return NewBlock(b.theme, width, b.Room()).String() }
	b.Append(Beside(one.String(), blank(gap), other.String(), blank(margin)))
}

// Stack joins blocks of the same width from top to bottom. Empty blocks take no line.
func Stack(blocks ...string) string {
	return strings.Join(slices.DeleteFunc(blocks, func(b string) bool { return b == "" }), "\n")
}

// Append adds finished lines, which must have the width of the block, until the block is full.
func (b *Block) Append(lines string) {
	for more := lines != ""; more && b.Room() > 0; {
		var line string
		line, lines, more = strings.Cut(lines, "\n")
		b.Line(Plain)
		b.line.buf = append(b.line.buf, line...)
		b.line.begin(b.theme, 0, Plain)
	}
}
