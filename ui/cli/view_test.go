package cli

import (
	"slices"
	"testing"

	"tonne/ui/output"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
	"tonne/ui/uitest"
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
	uitest.ColumnNames(t, ledger.New(new(tab.View)).Table.Columns(), known, "entered")
}
