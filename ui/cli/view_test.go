package cli

import (
	"slices"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/output"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// A saved view works in the command if it has its columns. The other tabs test theirs next to their columns.
func TestColumnsOfTheLedgerHaveTheNamesOfTheCommand(t *testing.T) {
	t.Parallel()
	var known []string
	for _, form := range printedSchema(t).command(t, "tonne ledger").Outputs {
		if slices.Contains(form.Formats, output.CSV) {
			known = append(known, form.Selectable...)
			for _, f := range form.Fields {
				known = append(known, f.Name)
			}
		}
	}
	var others []string
	for _, c := range ledger.New(new(tab.View)).Table.Columns() {
		switch {
		case c.Auto:
		case c.Name == "":
			others = append(others, c.Key)
		case !slices.Contains(known, c.Name):
			t.Errorf("tonne ledger has no column %s", c.Name)
		}
	}
	want := []string{"entered"}
	must.Hold(t, slices.Equal(others, want), "only the dashboard has", others, "want", want)
}
