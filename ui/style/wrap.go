package style

import "strings"

// Wrap breaks text into lines of at most width cells: between words, and
// within a word only if it is wider than a line. There is at least one line.
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
		pieces := chop(word, width)
		lines = append(lines, pieces[:len(pieces)-1]...)
		line = pieces[len(pieces)-1]
	}
	return append(lines, line)
}

func chop(word string, width int) []string {
	piece, rest := Split(word, width)
	pieces := []string{piece}
	for rest != "" {
		piece, rest = Split(rest, width)
		pieces = append(pieces, piece)
	}
	return pieces
}
