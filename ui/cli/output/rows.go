package output

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// Rows writes flat records that share a header.
type Rows interface {
	// Write writes one record: a value for each name of the header. Behind a
	// write that failed it writes nothing.
	Write(record ...Value)
	// Flush hands what was written on. The error is that of the first write that
	// failed.
	Flush() error
}

// NewRows returns a writer of records in CSV or JSON lines. The header is
// names separated by commas.
func NewRows(w io.Writer, f Format, header string) Rows {
	names := strings.Split(header, ",")
	if f == JSONL {
		return &lines{out: bufio.NewWriterSize(w, 64<<10), names: names}
	}
	rows := &sheet{csv: csv.NewWriter(w)}
	_ = rows.csv.Write(names)
	return rows
}

type sheet struct {
	csv   *csv.Writer
	cells []string
}

func (s *sheet) Write(record ...Value) {
	s.cells = s.cells[:0]
	for _, v := range record {
		s.cells = append(s.cells, v.cell())
	}
	_ = s.csv.Write(s.cells)
}

func (s *sheet) Flush() error {
	s.csv.Flush()
	return s.csv.Error()
}

// lines writes an object a line, with the members in the order of the header.
type lines struct {
	out   *bufio.Writer
	names []string
	line  []byte
}

func (l *lines) Write(record ...Value) {
	before := byte('{')
	l.line = l.line[:0]
	for i, v := range record {
		l.line = append(append(append(l.line, before, '"'), l.names[i]...), `":`...)
		l.line = v.appendJSON(l.line)
		before = ','
	}
	_, _ = l.out.Write(append(l.line, '}', '\n'))
}

func (l *lines) Flush() error { return l.out.Flush() }

func marshal(v any) ([]byte, error) {
	if v, ok := v.(Value); ok {
		return v.appendJSON(nil), nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
