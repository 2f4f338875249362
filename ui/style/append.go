package style

import "strings"

// Append adds finished lines, each exactly as wide as the block, such as
// another block's. Lines that it has no room for are left out.
func (b *Block) Append(lines string) {
	for more := lines != ""; more && b.Room() > 0; {
		var line string
		line, lines, more = strings.Cut(lines, "\n")
		b.Line(Plain)
		b.line.buf = append(b.line.buf, line...)
		b.line.begin(b.theme, 0, Plain)
	}
}
