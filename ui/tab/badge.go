package tab

import "strconv"

// NewsBadge counts what nobody has looked at on the label of a tab, in two cells:
// "•3", "9+". It is empty for none.
func NewsBadge(n int) string {
	switch {
	case n <= 0:
		return ""
	case n > 9:
		return "9+"
	}
	return "•" + strconv.Itoa(n)
}
