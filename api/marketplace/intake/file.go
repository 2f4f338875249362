// Package intake reads what an operator brings: a catalogue of projects and
// vintages as CSV or JSON, and sell orders as CSV. A file is read as a whole
// and every wrong line is named; it writes a catalogue as CSV that it reads
// back to the same.
package intake

import (
	"bytes"
	"io"
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

// faults collect what is wrong with a file.
type faults struct{ exchange.LineFaults }

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
