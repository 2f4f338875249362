package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// piece is text that stands together on a page.
type piece struct {
	x, y, end, size float64
	text            strings.Builder
}

// layOut returns the lines of a page as people read them: from the top, and
// what stands at one height in one line.
func layOut(letters []letter) []string {
	pieces := gather(letters)
	slices.SortStableFunc(pieces, func(a, b *piece) int { return cmp.Compare(b.y, a.y) })
	var lines []string
	for len(pieces) > 0 {
		first := pieces[0]
		n := slices.IndexFunc(pieces, func(p *piece) bool { return first.y-p.y > max(first.size, p.size)/2 })
		if n < 0 {
			n = len(pieces)
		}
		if line := beside(pieces[:n]); line != "" {
			lines = append(lines, line)
		}
		pieces = pieces[n:]
	}
	return lines
}

// gather joins letters that follow one another.
func gather(letters []letter) []*piece {
	var pieces []*piece
	var last *piece
	for _, l := range letters {
		if last == nil || !last.follows(l) {
			last = &piece{x: l.x, y: l.y, end: l.x, size: l.size}
			pieces = append(pieces, last)
		}
		if l.x-last.end > last.size/5 {
			last.text.WriteByte(' ')
		}
		last.text.WriteString(l.text)
		last.end = max(last.end, l.x+l.width)
	}
	return pieces
}

// follows reports whether a letter belongs to the piece.
func (p *piece) follows(l letter) bool {
	gap := l.x - p.end
	return math.Abs(l.y-p.y) < p.size/2 && gap > -p.size/2 && gap < p.size*1.5
}

// beside puts pieces of one height into a line.
func beside(pieces []*piece) string {
	slices.SortStableFunc(pieces, func(a, b *piece) int { return cmp.Compare(a.x, b.x) })
	var texts []string
	for _, p := range pieces {
		if text := visible(p.text.String()); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "   ")
}

// visible leaves out what is not shown, and blanks at the ends.
func visible(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, "\ufffd")))
}
