package filing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"tonne/model"
	"tonne/model/file/tabular"
	"tonne/ui/cli/command"
)

// IDs reads ids of requests from arguments, and from a list or a table.
type IDs struct {
	*Table
	// File is the path of the list, or empty.
	File   string
	column string
}

// NewIDs returns a reader with the flags --file, --column and --sheet.
func NewIDs(a *command.App, f *pflag.FlagSet) *IDs {
	i := &IDs{}
	f.StringVar(&i.File, "file", "",
		"read ids from `FILE`: one per line, or a CSV or .xlsx with titles; - is standard input")
	f.StringVar(&i.column, "column", "",
		"column `NAME` of the table that contains the ids (default id, retirement_id or retirement_request_id)")
	i.Table = NewTable(a, f, "requested")
	return i
}

// Read returns the distinct ids of the arguments and of the list. "-" is standard input. The length
// of the list is limited, more strictly for a guest.
func (i *IDs) Read(ctx context.Context, args []string) ([]string, error) {
	longest, most := int64(tabular.Largest), math.MaxInt
	if i.app.Guest != nil {
		longest, most = 1<<20, 10_000
	}
	var all []string
	if i.File != "" {
		args = append(slices.Clip(args), i.File)
	}
	for n, arg := range args {
		if arg != "-" && (i.File == "" || n < len(args)-1) {
			all = append(all, arg)
			continue
		}
		table, err := i.Table.Read(ctx, arg, longest)
		if err != nil {
			return nil, err
		}
		ids, err := i.listed(arg, table.WithoutComments())
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	given := len(all)
	if all = model.Unique(all); len(all) > most {
		return nil, command.Usage("split the list", "there are %d ids, and a shared desk looks up %d at once", len(all), most)
	}
	if again := given - len(all); again > 0 {
		i.app.Warn("%s left out: each id is looked up once", model.Count(again, "repeated id is", "repeated ids are"))
	}
	return all, nil
}

// listed returns the ids of a file: those of a column, or all words of a list.
func (i *IDs) listed(path string, table *tabular.Table) ([]string, error) {
	s := tabular.Spec{
		Fields: []tabular.Field{{Name: "id", Kind: tabular.ID, Expected: []string{"retirement id", "retirement request id"}}},
		Flag:   func(string) string { return "--column" },
	}
	s.Missing = func(has func(string) bool) string {
		if has("id") {
			return ""
		}
		return "the list of ids is a table without a column id, retirement_id or retirement_request_id"
	}
	if i.column != "" {
		s.Given = map[string]string{"id": i.column}
	}
	if i.column == "" && !table.Fixed() {
		_, err := table.Records(s)
		columns, none := errors.AsType[*tabular.ColumnsError](err)
		if none && columns.Flag == "" && !isHeader(columns.Titles, table) {
			return i.words(path, table)
		}
		if none && columns.Flag == "" {
			columns.Flag = "--column"
			return nil, i.failure(path, columns)
		}
	}
	records, faults, err := i.Records(path, table, s)
	if err != nil {
		return nil, err
	}
	if faults.Err() != nil {
		return nil, i.Refuse(path, faults)
	}
	var ids []string
	for r := range records.All() {
		ids = append(ids, model.SplitAllIDs(r.Text("id"))...)
	}
	return ids, nil
}

// words returns the words of a list.
func (i *IDs) words(path string, table *tabular.Table) (ids []string, err error) {
	var faults tabular.FaultsError
	for line, text := range table.Lines() {
		if len(ids) > tabular.MaxRows {
			faults.Add(line, "exceeds the limit of %s ids: split the file", model.FormatNumber(tabular.MaxRows))
			break
		}
		for _, id := range model.SplitAllIDs(text) {
			if why := tabular.CheckID(id); why != nil {
				faults.Add(line, "has %q, which %v", id, why)
			}
			ids = append(ids, id)
		}
	}
	if faults.Err() != nil {
		return nil, i.Refuse(path, &faults)
	}
	return ids, nil
}

// isHeader reports whether the first line of a file without a column of ids is a line of titles: one
// of several cells of which some is no id, or one word without a digit above ids with digits.
func isHeader(titles []string, table *tabular.Table) bool {
	if len(titles) != 1 {
		return slices.ContainsFunc(titles, isNoID)
	}
	lines, digits := 0, 0
	for _, text := range table.Lines() {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if lines++; strings.ContainsFunc(text, unicode.IsDigit) {
			digits++
		}
	}
	return lines > 1 && digits == lines-1 && !strings.ContainsFunc(titles[0], unicode.IsDigit)
}

// isNoID reports whether a cell of the first line belongs to a header. An id has letters
// and digits, and no spaces.
func isNoID(cell string) bool {
	return cell != "" && (!strings.ContainsFunc(cell, unicode.IsDigit) || !strings.ContainsFunc(cell, unicode.IsLetter) ||
		strings.ContainsFunc(cell, unicode.IsSpace))
}
