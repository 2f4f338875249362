package tab

// Prose is what a detail needs that is read rather than walked by rows.
const Prose = 1 << 20

// Split returns how many lines of a body the detail below a table takes. The
// table would like to have as many lines as table says, and the detail as many
// as detail says, which counts only while it has the focus: otherwise it would
// jump from one row of the table to the next.
func Split(body, table, detail int, focused bool) int {
	switch {
	case body < 9 && focused:
		return body
	case body < 9:
		return 0
	}
	least := max(min(body*2/5, 16), 6)
	// What the table leaves empty is of no use to anybody there.
	least = max(least, body-table)
	if !focused {
		return least
	}
	return max(least, min(detail, body*3/5))
}
