package listing

import (
	"fmt"
	"iter"

	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// Formats print the same rows in each of the formats.
type Formats[T any] struct {
	app     *command.App
	columns field.Columns[T]
	rows    iter.Seq[T]
	// Document prints JSON. The default is a list of the rows.
	Document func() error
	// Tables returns the tables of the rows, sorted by --sort. They are printed with empty lines
	// between them. With --columns, a single table is printed instead.
	Tables func(rows iter.Seq[T]) []*output.Grid
	// None is the message if the only table has no rows. If empty, there is no message.
	None string
}

// NewFormats returns the formats of rows with columns.
func NewFormats[T any](a *command.App, columns field.Columns[T], rows iter.Seq[T]) *Formats[T] {
	return &Formats[T]{
		app: a, columns: columns, rows: rows,
		Document: func() error { return output.Write(a.Data(), output.JSON, columns, rows) },
	}
}

// Print prints the rows according to --columns and --sort. The error is from standard output.
func (f *Formats[T]) Print(chosen output.Format) error {
	if s := f.app.Selection; !s.Empty() {
		columns, rows := output.Select(f.columns, f.rows, s, chosen == output.Table)
		selected := NewFormats(f.app, columns, rows)
		selected.None = f.None
		if len(s.Columns) == 0 {
			selected.Tables = f.Tables
		}
		f = selected
	}
	switch chosen {
	case output.JSON:
		return f.Document()
	case output.Table:
		return f.printTables()
	}
	return output.Write(f.app.Data(), chosen, f.columns, f.rows)
}

func (f *Formats[T]) printTables() error {
	tables := []*output.Grid{output.GridOf(f.columns, f.rows)}
	if f.Tables != nil {
		tables = f.Tables(f.rows)
	}
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
