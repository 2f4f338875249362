package filing

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/ui/cli/command"
)

// ReadIDs returns the distinct ids of the arguments and of a list. "-" is standard input.
// column is the name of the column of a CSV. The length of the list is limited, more
// strictly for a guest.
func ReadIDs(a *command.App, args []string, file, column string) ([]string, error) {
	longest, most := 16<<20, math.MaxInt
	if a.Guest != nil {
		longest, most = 1<<20, 10_000
	}
	var all []string
	if file != "" {
		args = append(slices.Clip(args), file)
	}
	for i, arg := range args {
		if arg != "-" && (file == "" || i < len(args)-1) {
			all = append(all, arg)
			continue
		}
		ids, err := readList(a, arg, column, longest)
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
		a.Warn("%s left out: each id is looked up once", model.Count(again, "repeated id is", "repeated ids are"))
	}
	return all, nil
}

func readList(a *command.App, path, column string, longest int) ([]string, error) {
	file, err := a.OpenLines(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(longest)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > longest {
		return nil, command.Usage("split the list", "the list of ids is longer than %d MiB", longest>>20)
	}
	return idsOf(string(text), column)
}

func withoutComments(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t\ufeff"), "#") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func idsOf(text, named string) ([]string, error) {
	table := command.NewCSV(strings.NewReader(text))
	table.Comment, table.LazyQuotes, table.FieldsPerRecord, table.TrimLeadingSpace = '#', true, -1, true
	table.Comma = separatorOf(text)
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	column := model.IDColumn(header)
	if named != "" {
		column = slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), named) })
	}
	switch {
	case column >= 0:
		return idsBelow(table, column)
	case named == "" && (len(header) < 2 || !slices.ContainsFunc(header, isNoID)):
		return model.SplitAllIDs(withoutComments(text)), nil
	case named != "":
		return nil, command.Usage("the columns are: "+strings.Join(header, ", "), "unknown column %q in the list of ids", named)
	}
	return nil, command.Usage("name the column with --column; the columns are: "+strings.Join(header, ", "),
		"the list of ids is a table without a column id, retirement_id or retirement_request_id")
}

func separatorOf(text string) rune {
	header, _, _ := strings.Cut(strings.TrimLeft(withoutComments(text), "\ufeff \t\r\n"), "\n")
	return reconcile.Delimiter(header)
}

// isNoID reports whether a cell of the first line belongs to a header. An id has letters
// and digits, and no spaces.
func isNoID(cell string) bool {
	cell = strings.TrimSpace(cell)
	return cell != "" && (!strings.ContainsFunc(cell, unicode.IsDigit) || !strings.ContainsFunc(cell, unicode.IsLetter) || strings.ContainsFunc(cell, unicode.IsSpace))
}

func idsBelow(table *csv.Reader, column int) (ids []string, err error) {
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return ids, nil
		}
		if err != nil {
			return nil, command.Usage("correct the file", "cannot read the list of ids: %v", err)
		}
		if column < len(row) {
			ids = append(ids, model.SplitAllIDs(row[column])...)
		}
	}
}
