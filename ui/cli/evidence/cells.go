package evidence

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// cells returns a row of evidence after the other, the titles of its columns
// first. The error is io.EOF after the last.
type cells func() ([]string, error)

// openCells opens evidence in each of the formats, in their order.
var openCells = [...]func(io.Reader) (cells, error){csvCells, jsonCells, xlsxCells}

func csvCells(r io.Reader) (cells, error) { return csv.NewReader(r).Read, nil }

var errNoRows = errors.New("no rows of evidence")

// jsonCells reads a list of objects. The titles are the names of the members of
// the first: an empty list has none.
func jsonCells(r io.Reader) (cells, error) {
	d := json.NewDecoder(r)
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return nil, errNoRows
	}
	var titles, first []string
	return func() ([]string, error) {
		if first != nil {
			row := first
			first = nil
			return row, nil
		}
		if !d.More() {
			return nil, io.EOF
		}
		names, values, err := readObject(d)
		switch {
		case err != nil:
			return nil, err
		case titles == nil:
			titles, first = names, values
			return titles, nil
		case !slices.Equal(names, titles):
			return nil, errNoRows
		}
		return values, nil
	}, nil
}

// readObject reads an object whose members are text, in their order.
func readObject(d *json.Decoder) (names, values []string, err error) {
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, nil, errNoRows
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		value, err := d.Token()
		text, ok := value.(string)
		if err != nil || !ok {
			return nil, nil, errNoRows
		}
		names, values = append(names, name.(string)), append(values, text)
	}
	_, err = d.Token()
	return names, values, err
}

// xlsxRow is a row of a sheet as a workbook has it.
type xlsxRow struct {
	Cells []struct {
		Text  string `xml:"is>t"`
		Value string `xml:"v"`
	} `xml:"c"`
}

// xlsxCells reads the first sheet of a workbook that tonne wrote. A number is what
// it is written as.
func xlsxCells(r io.Reader) (cells, error) {
	book, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		return nil, err
	}
	sheet, err := archive.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	d := xml.NewDecoder(io.LimitReader(sheet, maxPackFile))
	return func() ([]string, error) {
		for {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			start, ok := token.(xml.StartElement)
			if !ok || start.Name.Local != "row" {
				continue
			}
			var found xlsxRow
			if err := d.DecodeElement(&found, &start); err != nil {
				return nil, err
			}
			var row []string
			for _, c := range found.Cells {
				row = append(row, strings.ReplaceAll(c.Text+c.Value, "_x005F_x", "_x"))
			}
			return row, nil
		}
	}, nil
}
