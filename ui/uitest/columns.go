package uitest

import (
	"slices"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/table"
)

// ColumnNames checks that commands know the names of columns, except of those that the program shows and hides. shown
// are the keys of the columns that only the dashboard has.
func ColumnNames[R any](t testing.TB, columns []table.Column[R], known []string, shown ...string) {
	t.Helper()
	var others []string
	for _, c := range columns {
		switch {
		case c.Auto:
		case c.Name == "":
			others = append(others, c.Key)
		default:
			must.Hold(t, slices.Contains(known, c.Name), "commands have no column", c.Name)
		}
	}
	must.Equal(t, others, shown, "only the dashboard has")
}
