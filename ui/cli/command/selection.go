package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui/output"
)

// ListFlags adds -o with all formats, and the flags that choose columns of a list and
// sort it.
func (a *App) ListFlags(cmd *cobra.Command, format *output.Format) {
	OutputFlag(cmd, format)
	a.SelectionFlags(cmd)
}

// SelectionFlags adds the flags that choose columns of a list and sort it.
func (a *App) SelectionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&a.Selection.Columns, "columns", nil, "print the columns `A,B` alone, by the names of CSV; JSON is then a flat array")
	f.StringVar(&a.Selection.Sort, "sort", "", "sort by `COLUMN`, or -COLUMN for the largest first")
}

// CheckSelection refuses names of columns that the list of a command does not have.
func CheckSelection(a *App, cmd *cobra.Command) error {
	if a.Selection.Empty() {
		return nil
	}
	if watch := cmd.Flag("watch"); watch != nil && watch.Changed {
		return Usage("leave them out", "--watch prints changes as they come: --columns and --sort do not apply")
	}
	columns := columnsOf(a.Descriptions[cmd], cmd)
	for i, name := range a.Selection.Names() {
		if !slices.Contains(columns, name) {
			return Usage("the columns are: "+strings.Join(columns, ", "), "there is no column %q", name)
		}
		if i < len(a.Selection.Columns) && slices.Contains(a.Selection.Columns[:i], name) {
			return Usage("name each once", "--columns names %q twice", name)
		}
	}
	return nil
}

func columnsOf(d Description, cmd *cobra.Command) (columns []string) {
	for _, form := range d.Outputs {
		flag := cmd.Flag(strings.TrimPrefix(form.With, "--"))
		if !slices.Contains(form.Formats, output.CSV) || form.With != "" && (flag == nil || !flag.Changed) {
			continue
		}
		columns = nil
		for _, f := range form.Fields {
			columns = append(columns, f.Name)
		}
	}
	return columns
}
