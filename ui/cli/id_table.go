package cli

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"tonne/model"
)

func (l lists) cells(text string) ([]string, error) {
	table := newCSV(strings.NewReader(text))
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
		return nil, usage("the columns are: "+strings.Join(header, ", "), "there is no column %q in the list of ids", l.column)
	}
	return nil, usage("name the column with --column; the columns are: "+strings.Join(header, ", "),
		"the list of ids is a table without a column id, retirement_id or retirement_request_id")
}

// separatorOf is what separates the cells of the first line that is no comment.
func separatorOf(text string) rune {
	header, _, _ := strings.Cut(strings.TrimLeftFunc(withoutComments(text), isBlank), "\n")
	best, most := ',', 0
	for _, separator := range ",;\t" {
		if n := strings.Count(header, string(separator)); n > most {
			best, most = separator, n
		}
	}
	return best
}

func isBlank(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) }

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
			return nil, usage("correct the file", "the list of ids cannot be read: %v", err)
		}
		if column < len(row) {
			ids = append(ids, model.SplitAllIDs(row[column])...)
		}
	}
}
