package importer

import "strings"

// certain is the score of text that can hardly be anything but the id of a
// retirement request.
const certain = 3

// idScore says how much a text looks like the id of a retirement request: 0
// is not at all. The marketplace's ids have a form, but it is not promised:
// it only helps to find them.
func idScore(s string) int {
	digits, lower, upper := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z':
			lower++
		case 'A' <= c && c <= 'Z':
			upper++
		case c == '-' || c == '_':
		default:
			return 0
		}
	}
	switch {
	case len(s) == 18 && digits+lower == 18 && strings.HasPrefix(s, "00m"):
		return certain
	case digits > 0 && lower+upper > 0 && len(s) >= 6 && len(s) <= 64:
		return 1
	}
	return 0
}
