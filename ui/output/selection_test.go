package output

import (
	"slices"
	"strings"
	"testing"

	"tonne/model/field"
	"tonne/model/texttest"
)

func TestAListIsSortedByNumbersThenTextsThenWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	columns := field.Columns[string]{{Name: "id", Title: "ID",
		Value: func(s string) field.Value { return field.Optional(s) }}}
	texttest.Table(t, "sorted", func(input string) string {
		by, list, _ := strings.Cut(input, ":")
		items := strings.Split(list, ",")
		_, sorted := Select(columns, slices.Values(items), Selection{Sort: by}, true)
		return strings.Join(slices.Collect(sorted), ",")
	})
}
