package command

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
)

// NewCSV reads CSV that may begin with a byte order mark.
func NewCSV(r io.Reader) *csv.Reader {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	return csv.NewReader(text)
}

// LinesBelow reads the lines below a header. It returns the readable lines, and the errors
// with line numbers. The format twice takes a line and the earlier one with the same key.
func LinesBelow[T any, K comparable](in *csv.Reader, read func(cells []string) (T, error), key func(T) K, twice string) (all []T, wrong []string) {
	first := make(map[K]int)
	for {
		cells, err := in.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return all, wrong
		case errors.As(err, &broken):
			wrong = append(wrong, fmt.Sprintf("line %d: %v", broken.StartLine, broken.Err))
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			// After an unclosed quotation mark there are no more lines.
			return all, wrong
		case err != nil:
			return all, append(wrong, fmt.Sprintf("line 0: %v", err))
		}
		line, _ := in.FieldPos(0)
		one, why := read(cells)
		switch before, again := first[key(one)]; {
		case why != nil:
			wrong = append(wrong, fmt.Sprintf("line %d: %v", line, why))
		case again:
			wrong = append(wrong, fmt.Sprintf(twice, line, before))
		}
		first[key(one)] = line
		all = append(all, one)
	}
}

// OpenLines opens a file of lines; "-" is standard input.
func (p Process) OpenLines(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(p.Stdin), nil
	}
	return os.Open(path)
}
