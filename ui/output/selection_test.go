package output

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

func TestAListIsSortedByNumbersThenTextsThenWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	columns := Columns[string]{{Name: "id", Title: "ID", Value: func(s string) Value { return Optional(s) }}}
	for _, tt := range []struct{ sort, items, want string }{
		{"id", "10 9 b A 1a", "9 10 1a A b"},
		{"-id", "10 9 b A 1a", "b A 1a 10 9"},
		{"id", "b - a", "a b -"},
		{"-id", "a - b", "b a -"},
		{"", "b a", "b a"},
	} {
		t.Run(tt.sort+" "+tt.items, func(t *testing.T) {
			t.Parallel()
			items := strings.Fields(strings.ReplaceAll(tt.items, "-", "?"))
			for i, item := range items {
				items[i] = strings.Trim(item, "?")
			}
			_, sorted := Select(columns, slices.Values(items), Selection{Sort: tt.sort}, true)
			var got []string
			for item := range sorted {
				got = append(got, cmp.Or(item, "-"))
			}
			must.Equal(t, strings.Join(got, " "), tt.want, got)
		})
	}
}
