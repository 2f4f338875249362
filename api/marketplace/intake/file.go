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
	// MaxFile is the largest file that is read, in bytes.
	MaxFile = 32 << 20
	// MaxLines is how many lines or objects of a file are read at most: all of
	// them are written in one transaction, and purchases wait for that.
	MaxLines = 20_000
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

func readRows(text []byte, needed, optional []string, f *faults) []row {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	names, ok := readHeader(r, needed, optional, f)
	if !ok {
		return nil
	}
	var rows []row
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			f.Add(broken.StartLine, "is not CSV: %v", broken.Err)
			continue
		}
		line, _ := r.FieldPos(0)
		switch {
		case len(cells) != len(names):
			f.Add(line, "has %d cells, the first line %d", len(cells), len(names))
			continue
		case len(rows) == MaxLines:
			f.Add(line, "is beyond the %d lines that a file may have: split it", MaxLines)
			return rows
		}
		one := row{line, make(map[string]string, len(names))}
		for i, name := range names {
			one.cells[name] = unguarded(cells[i])
		}
		rows = append(rows, one)
	}
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
