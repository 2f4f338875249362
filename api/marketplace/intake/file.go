// Package intake reads the files of an operator: a catalogue as CSV or JSON, and sell orders
// as CSV. Its errors name every wrong line. It can also write a catalogue as CSV. It does not
// change the database: package exchange imports what it returns. Start reading at
// ReadCatalogue and Orders.
package intake

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tonne/api/marketplace/exchange"
)

const (
	// MaxFile is the maximum size of a catalogue, in bytes: it is read into memory.
	MaxFile = 32 << 20
	// MaxLines is the maximum number of lines or objects of a catalogue.
	MaxLines = 20_000
	// maxRecord limits the memory for one row of a file, such as a row with an open quote.
	maxRecord = 1 << 20
)

type faults struct{ exchange.FileError }

func readFile(r io.Reader, f *faults) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxFile {
		f.Add(0, "is larger than %d MiB: split the file", MaxFile>>20)
		return nil, f.Err()
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		line := 0
		for bytes := range bytes.Lines(text) {
			if line++; !utf8.Valid(bytes) {
				f.Add(line, "is not UTF-8: save the file as UTF-8")
			}
		}
	}
	return text, f.Err()
}

type row struct {
	line  int
	cells map[string]string
}

func readRows(text []byte, needed, optional []string, f *faults) (rows []row) {
	s, ok := openSheet(bytes.NewReader(text), needed, optional, f)
	for ok {
		r, err := s.next(f)
		switch {
		case err != nil:
			return rows
		case r.cells == nil:
		case len(rows) == MaxLines:
			f.Add(r.line, "exceeds the limit of %d lines: split the file", MaxLines)
			return rows
		default:
			rows = append(rows, r)
		}
	}
	return rows
}

// sheet reads the rows of a CSV file, one at a time.
type sheet struct {
	csv   *csv.Reader
	names []string
	limit *recordLimit
}

func openSheet(r io.Reader, needed, optional []string, f *faults) (s sheet, ok bool) {
	s.limit = &recordLimit{r: r, left: maxRecord}
	s.csv = csv.NewReader(s.limit)
	s.csv.FieldsPerRecord, s.csv.ReuseRecord = -1, true
	s.names, ok = readHeader(s.csv, needed, optional, f)
	return s, ok
}

// next returns the next row, without cells if it has a fault. The error is io.EOF at the end.
func (s sheet) next(f *faults) (row, error) {
	s.limit.left = maxRecord
	cells, err := s.csv.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		f.Add(broken.StartLine, "is not valid CSV: %v", broken.Err)
		return row{line: broken.StartLine}, nil
	}
	if errors.Is(err, errRecord) {
		f.Add(0, "has a line longer than %d MiB: check its quotes", maxRecord>>20)
		err = io.EOF
	}
	if err != nil {
		return row{}, err
	}
	line, _ := s.csv.FieldPos(0)
	if len(cells) != len(s.names) {
		f.Add(line, "has %d cells, the first line %d", len(cells), len(s.names))
		return row{line: line}, nil
	}
	r := row{line, make(map[string]string, len(s.names))}
	for i, name := range s.names {
		r.cells[name] = unguarded(cells[i])
	}
	return r, nil
}

var errRecord = errors.New("a line is too long")

// recordLimit fails after left bytes. The caller resets left for each row.
type recordLimit struct {
	r    io.Reader
	left int
}

// Read reads from the file and counts the bytes.
func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

func readHeader(r *csv.Reader, needed, optional []string, f *faults) (names []string, ok bool) {
	header, err := r.Read()
	if err != nil {
		f.Add(1, "must name the columns %s", strings.Join(needed, ","))
		return nil, false
	}
	for _, name := range header {
		name = strings.TrimSpace(name)
		known := slices.Contains(needed, name) || slices.Contains(optional, name)
		if !known || slices.Contains(names, name) {
			f.Add(1, "has an unknown or repeated column %q; the columns are %s", name, strings.Join(slices.Concat(needed, optional), ","))
			return nil, false
		}
		names = append(names, name)
	}
	for _, name := range needed {
		if !slices.Contains(names, name) {
			f.Add(1, "lacks the column %s", name)
		}
	}
	return names, f.Err() == nil
}

// formula are the first characters of cells that a spreadsheet would execute.
const formula = "=+-@\t\r"

// guarded escapes a cell that a spreadsheet would execute; unguarded reverses it.
func guarded(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); rest != "" && strings.IndexByte(formula, rest[0]) >= 0 {
		return "'" + cell
	}
	return cell
}

func unguarded(cell string) string {
	if rest, quoted := strings.CutPrefix(cell, "'"); quoted && guarded(rest) == cell {
		return rest
	}
	return cell
}
