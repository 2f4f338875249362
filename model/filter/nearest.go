package filter

import "strings"

func nearest(typed string, names []string) (near string) {
	typed = strings.ToLower(typed)
	best := 1 << 30
	for _, name := range names {
		if d := Distance(typed, strings.ToLower(name)); d < best && 3*d <= max(len(name), 3) {
			near, best = name, d
		}
	}
	return near
}

const mostCompared = 64

// Distance counts letters to change, add, take away or swap between texts. Long ones are far apart.
func Distance(a, b string) int {
	if len(a) > mostCompared || len(b) > mostCompared {
		return mostCompared
	}
	// before, above and row belong to the letters i-2, i-1 and i of a.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, above[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
