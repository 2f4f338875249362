package evidence

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
)

// cells returns a row of evidence after the other, the titles of its columns
// first. The error is io.EOF after the last.
type cells func() ([]string, error)

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

// sheetCell is a cell of a sheet as a workbook has it. A number is what it is
// written as, and a formula has the value that it amounted to.
type sheetCell struct {
	Text    string `xml:"is>t"`
	Value   string `xml:"v"`
	Formula string `xml:"f"`
}

// book is a workbook that is read.
type book struct{ *zip.Reader }

func openBook(r io.Reader) (book, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return book{}, err
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	return book{archive}, err
}

// sheets are the names of the parts that are sheets.
func (b book) sheets() (names []string) {
	for _, f := range b.File {
		if path.Dir(f.Name) == "xl/worksheets" {
			names = append(names, f.Name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// rows returns a row of a sheet after the other, the titles of its columns first.
// The error is io.EOF after the last.
func (b book) rows(name string) (func() ([]sheetCell, error), error) {
	sheet, err := b.Open(name)
	if err != nil {
		return nil, err
	}
	d := xml.NewDecoder(io.LimitReader(sheet, maxPackFile))
	return func() ([]sheetCell, error) {
		for {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			start, ok := token.(xml.StartElement)
			if !ok || start.Name.Local != "row" {
				continue
			}
			var found struct {
				Cells []sheetCell `xml:"c"`
			}
			err = d.DecodeElement(&found, &start)
			return found.Cells, err
		}
	}, nil
}

// all returns all rows of a sheet.
func (b book) all(name string) (all [][]sheetCell, err error) {
	next, err := b.rows(name)
	for err == nil {
		var row []sheetCell
		if row, err = next(); err == nil {
			all = append(all, row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// sheetName is the name of the part that is a sheet, counted from 0.
func sheetName(n int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", n+1) }
