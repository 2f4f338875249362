package tab

import (
	"testing"

	must "tonne/model/musttest"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		body, table, detail int
		resting, focused    int
	}{
		{"a long table", 32, 220, 8, 12, 12},
		{"a long table over many rows", 32, 220, 17, 12, 17},
		{"a long table over more rows than there is room for", 32, 220, 99, 12, 19},
		{"a long table over prose", 32, 220, Prose, 12, 19},
		{"a table of one row", 19, 2, 8, 17, 17},
		{"a table of one row over prose", 19, 2, Prose, 17, 17},
		{"a table that just fits", 32, 20, 5, 12, 12},
		{"a high terminal", 100, 220, 30, 16, 30},
		{"a low terminal", 9, 220, Prose, 6, 6},
		{"no room for both", 8, 220, 8, 0, 8},
	} {
		must.Equal(t, Split(c.body, c.table, c.detail, false), c.resting, c.name)
		must.Equal(t, Split(c.body, c.table, c.detail, true), c.focused, c.name)
	}
}
