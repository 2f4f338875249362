package filing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"tonne/model/file/tabular"
	"tonne/model/statement"
	"tonne/ui/cli/command"
)

// Table reads the tables that people bring, with the flags of a command.
type Table struct {
	app *command.App
	// Quiet leaves the columns out of the decisions, because the command prints them.
	Quiet bool
	// Refused returns the failure for a table that is refused; nil is command.Usage.
	Refused func(todo, format string, args ...any) error
	// undone is what is not done then, such as "sent".
	undone  string
	sheet   string
	columns []string
	tabular.Formats
}

// NewTable returns a reader with the flag --sheet. undone is what a command does not do if it refuses a
// table, such as "sent".
func NewTable(a *command.App, f *pflag.FlagSet, undone string) *Table {
	t := &Table{app: a, undone: undone, Refused: command.Usage[string]}
	f.StringVar(&t.sheet, "sheet", "", "`NAME` of the sheet of a workbook (default the first)")
	return t
}

// AddColumns adds the flag --column, which names any column.
func (t *Table) AddColumns(f *pflag.FlagSet) {
	f.StringArrayVar(&t.columns, "column", nil, "take a column by its title: `NAME=TITLE` (repeatable)")
}

// AddFormats adds the flags that decide what a column leaves ambiguous.
func (t *Table) AddFormats(f *pflag.FlagSet, dates bool) {
	if dates {
		f.StringVar(&t.Dates, "date-format", "",
			"`ORDER` of dates such as 03/04/2026: dmy, mdy or ymd (default as the column shows)")
	}
	f.StringVar(&t.Decimal, "decimal-mark", "",
		"`MARK` of decimals in numbers such as 1,234: . or , (default as the column shows)")
}

// Read reads a file. "-" is standard input.
func (t *Table) Read(ctx context.Context, path string, largest int64) (*tabular.Table, error) {
	switch {
	case t.Dates != "" && t.Dates != "dmy" && t.Dates != "mdy" && t.Dates != "ymd":
		return nil, command.Usage("choose one of dmy, mdy, ymd",
			"--date-format %s is not an order of day, month and year", t.Dates)
	case t.Decimal != "" && t.Decimal != "." && t.Decimal != ",":
		return nil, command.Usage("choose . or a comma", "--decimal-mark %s is not a decimal mark", t.Decimal)
	}
	in, err := t.app.OpenLines(path)
	if err != nil {
		return nil, err
	}
	o := tabular.Options{Sheet: t.sheet, Largest: largest}
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			o.Size = info.Size()
		}
	}
	var table *tabular.Table
	// A read from a pipe may never return.
	_, err = t.app.Answer(ctx, func() (_ string, err error) {
		defer in.Close()
		table, err = tabular.Read(in, o)
		return "", err
	})
	if err != nil {
		return nil, t.failure(path, err)
	}
	return table, nil
}

// Records finds the columns of a table, and prints what was decided. The faults are those of single
// lines, which the records lack.
func (t *Table) Records(
	path string, table *tabular.Table, s tabular.Spec,
) (*tabular.Records, *tabular.FaultsError, error) {
	s.Formats = t.Formats
	if s.Given == nil {
		s.Given = make(map[string]string)
	}
	for _, given := range t.columns {
		name, title, found := strings.Cut(given, "=")
		if !found || !hasField(s.Fields, name) {
			return nil, nil, command.Usage("the columns are: "+names(s.Fields),
				"--column %s does not have the form NAME=TITLE", given)
		}
		s.Given[name] = title
		s.Flag = func(name string) string { return "--column " + name + "=" }
	}
	if len(t.columns) == 0 && s.Flag == nil {
		s.Flag = func(name string) string { return "--column " + name + "=TITLE" }
	}
	r, err := table.Records(s)
	if faults, ok := errors.AsType[*tabular.FaultsError](err); ok {
		return r, faults, nil
	}
	if err != nil {
		return nil, nil, t.failure(path, err)
	}
	if decided := r.Decisions(!t.Quiet); decided != "" {
		t.app.Note(command.Notice{Code: command.InformationCode, Message: fmt.Sprintf("%s: %s", NameOf(path), decided)})
	}
	if r.Count == 0 {
		return nil, nil, t.Refused("add one line per record; nothing was "+t.undone,
			"%s has a line of titles, and no records", NameOf(path))
	}
	return r, new(tabular.FaultsError), nil
}

// NameOf returns the name of a file in messages.
func NameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

func hasField(fields []tabular.Field, name string) bool {
	for _, f := range fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

func names(fields []tabular.Field) string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.Name
	}
	return strings.Join(all, ", ")
}

// mostTitles limits the titles that a message lists.
const mostTitles = 50

// failure returns the failure for a table that is refused, which is wrong usage.
func (t *Table) failure(path string, err error) error {
	columns, isColumns := errors.AsType[*tabular.ColumnsError](err)
	faults, isFaults := errors.AsType[*tabular.FaultsError](err)
	format, isFormat := errors.AsType[*tabular.FormatError](err)
	large, isLarge := errors.AsType[tabular.TooLargeError](err)
	switch {
	case isColumns && len(columns.Titles) == 0:
		return t.Refused("give a table with a line of titles; nothing was "+t.undone, "%s has no lines", NameOf(path))
	case isColumns:
		todo := "the columns are: " + statement.SomeOf(columns.Titles, mostTitles, ", ")
		if flag := cmp.Or(columns.Flag, columns.Lacks); flag != "" {
			todo = "name one with " + flag + "; " + todo
		}
		return t.Refused(todo, "%s: %v; nothing was %s", NameOf(path), columns, t.undone)
	case isFaults:
		return t.Refuse(path, faults)
	case isFormat:
		return t.Refused("give a table as CSV or .xlsx; nothing was "+t.undone, "%s cannot be read: %v", NameOf(path), format)
	case isLarge:
		return t.Refused("split it; nothing was "+t.undone, "%s cannot be read: %v", NameOf(path), large)
	}
	return err
}

// Refuse returns the failure for lines that are refused.
func (t *Table) Refuse(path string, faults *tabular.FaultsError) error {
	todo := "correct the file"
	if len(faults.Flags) > 0 {
		todo += ", or give " + strings.Join(faults.Flags, " and ")
	}
	return t.Refused(todo+"; nothing was "+t.undone, "%s: %s", NameOf(path), SomeOf(faults.Lines()))
}

// Lines reads the records of a table, and adds what is wrong with them to the faults. The format twice
// takes the line of an earlier record with the same key.
func Lines[T any, K comparable](r *tabular.Records, faults *tabular.FaultsError,
	read func(tabular.Record) (T, error), key func(T) K, twice string) (all []T) {
	first := make(map[K]int)
	for record := range r.All() {
		one, why := read(record)
		switch before, again := first[key(one)]; {
		case why != nil:
			faults.Add(record.Line, "%v", why)
		case again:
			faults.Add(record.Line, twice, before)
		}
		first[key(one)] = record.Line
		all = append(all, one)
	}
	return all
}
