// Package intake reads the files of an operator, a catalogue as CSV or JSON and sell orders as
// CSV, and names every wrong line. It writes a catalogue as CSV that it reads back to the same.
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
	// MaxFile is the largest catalogue, in bytes: it is read into memory.
	MaxFile = 32 << 20
	// MaxLines is the largest number of lines or objects of a catalogue.
	MaxLines = 20_000
	// maxRecord bounds the memory for one line of a file, such as one whose quote has no end.
	maxRecord = 1 << 20
)

type faults struct{ exchange.FileError }

func readFile(r io.Reader, f *faults) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxFile {
		f.Add(0, "is larger than %d MiB: split it", MaxFile>>20)
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
			f.Add(r.line, "is beyond the %d lines that a file may have: split it", MaxLines)
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

// next returns the next row. A row with a fault has no cells. The error is io.EOF at the end.
func (s sheet) next(f *faults) (row, error) {
	s.limit.left = maxRecord
	cells, err := s.csv.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		f.Add(broken.StartLine, "is not CSV: %v", broken.Err)
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

// recordLimit fails if more than left bytes are read before left is set again.
type recordLimit struct {
	r    io.Reader
	left int
}

// Read reads from the file.
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
			f.Add(1, "names the column %q; the columns are %s, each once", name, strings.Join(slices.Concat(needed, optional), ","))
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

// formula is how a cell begins that a spreadsheet would run.
const formula = "=+-@\t\r"

// guarded writes a cell so that no spreadsheet runs it; unguarded reads it back.
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
