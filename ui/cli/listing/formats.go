package listing

import (
	"fmt"
	"iter"

	"tonne/ui/cli/command"
	"tonne/ui/cli/output"
)

// Formats print the same rows in each of the formats.
type Formats struct {
	app    *command.App
	header string
	rows   func(output.Rows)
	// choose returns the rows that --columns and --sort leave.
	choose func(s output.Selection, table bool) *output.Selected
	// Document prints JSON. It is a list of the rows if a command sets no other.
	Document func() error
	// Tables are printed with an empty line between two of them.
	Tables func() []*output.Grid
	// None is the message if the only table has no row. Empty is no message.
	None string
}

// NewFormats returns the formats of rows, as their columns describe them.
func NewFormats[T any](a *command.App, columns output.Columns[T], rows iter.Seq[T]) *Formats {
	return &Formats{
		app: a, header: columns.Header(), rows: func(out output.Rows) { columns.Write(out, rows) },
		choose:   func(s output.Selection, table bool) *output.Selected { return output.Select(columns, rows, s, table) },
		Document: func() error { return output.List(a.Data(), columns.Objects(rows)) },
		Tables:   func() []*output.Grid { return []*output.Grid{columns.Grid(rows)} },
	}
}

// Print prints the rows in the chosen format. The error is one of standard output.
func (f *Formats) Print(chosen output.Format) error {
	if s := f.app.Selection; !s.Empty() {
		all := f.choose(s, chosen == output.Table)
		f.header, f.rows = all.Header(), all.Write
		f.Document = func() error { return output.List(f.app.Data(), all.Objects()) }
		f.Tables = func() []*output.Grid { return []*output.Grid{all.Grid()} }
	}
	switch chosen {
	case output.JSON:
		return f.Document()
	case output.Table:
		return f.printTables()
	}
	rows := output.NewRows(f.app.Data(), chosen, f.header)
	f.rows(rows)
	return rows.Flush()
}

func (f *Formats) printTables() error {
	tables := f.Tables()
	for i, table := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(f.app.Data()); err != nil {
				return err
			}
		}
		if err := f.app.Grid(table); err != nil {
			return err
		}
	}
	if len(tables) == 1 && tables[0].Empty() && f.None != "" {
		f.app.Warn("%s", f.None)
	}
	return nil
}
