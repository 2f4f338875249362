package filing

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

// limits bound what ids are read: the length of their text in bytes, and how many
// they are. column is the column of a table that has them, empty for the usual.
type limits struct {
	text, ids int
	column    string
}

// bounds are the bounds here: somebody else's machine holds what a guest asks
// for.
func bounds(a *command.App, column string) limits {
	if a.Guest != nil {
		return limits{1 << 20, 10_000, column}
	}
	return limits{16 << 20, math.MaxInt, column}
}

// ReadIDs returns the ids of arguments and of a list, each once. "-" is standard input;
// a column names that of a CSV. A list that is too long is wrong usage.
func ReadIDs(a *command.App, args []string, file, column string) ([]string, error) {
	limits := bounds(a, column)
	var all []string
	if file != "" {
		args = append(slices.Clip(args), file)
	}
	for i, arg := range args {
		if arg != "-" && (file == "" || i < len(args)-1) {
			all = append(all, arg)
			continue
		}
		ids, err := readList(a, limits, arg)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	given := len(all)
	if all = listing.Once(all); len(all) > limits.ids {
		return nil, command.Usage("split the list", "there are %d ids, and a shared desk looks up %d at once", len(all), limits.ids)
	}
	if again := given - len(all); again > 0 {
		a.Warn("%s left out: each id is looked up once", model.Count(again, "repeated id is", "repeated ids are"))
	}
	return all, nil
}

func readList(a *command.App, l limits, path string) ([]string, error) {
	file, err := a.OpenLines(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return l.read(file)
}

func (l limits) read(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(l.text)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > l.text {
		return nil, command.Usage("split the list", "the list of ids is longer than %d MiB", l.text>>20)
	}
	return l.cells(string(text))
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

func (l limits) cells(text string) ([]string, error) {
	table := command.NewCSV(strings.NewReader(text))
	table.Comment, table.LazyQuotes, table.FieldsPerRecord, table.TrimLeadingSpace = '#', true, -1, true
	table.Comma = separatorOf(text)
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	column := model.IDColumn(header)
	if l.column != "" {
		column = slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), l.column) })
	}
	switch {
	case column >= 0:
		return idsBelow(table, column)
	case l.column == "" && (len(header) < 2 || !slices.ContainsFunc(header, isNoID)):
		return model.SplitAllIDs(withoutComments(text)), nil
	case l.column != "":
		return nil, command.Usage("the columns are: "+strings.Join(header, ", "), "there is no column %q in the list of ids", l.column)
	}
	return nil, command.Usage("name the column with --column; the columns are: "+strings.Join(header, ", "),
		"the list of ids is a table without a column id, retirement_id or retirement_request_id")
}

// separatorOf is what separates the cells of the first line that is no comment.
func separatorOf(text string) rune {
	header, _, _ := strings.Cut(strings.TrimLeft(withoutComments(text), "\ufeff \t\r\n"), "\n")
	best, most := ',', 0
	for _, separator := range ",;\t" {
		if n := strings.Count(header, string(separator)); n > most {
			best, most = separator, n
		}
	}
	return best
}

// isNoID reports whether a cell of the first line is part of a header: an id has
// letters and digits, and no blank.
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
			return nil, command.Usage("correct the file", "the list of ids cannot be read: %v", err)
		}
		if column < len(row) {
			ids = append(ids, model.SplitAllIDs(row[column])...)
		}
	}
}
