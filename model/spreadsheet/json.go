package spreadsheet

import (
	"bufio"
	"encoding/json"
	"io"
)

// writeJSON writes the rows as an array of objects: numbers with all their digits, null
// for empty cells, no totals.
func writeJSON(w io.Writer, s Sheet) error {
	out := bufio.NewWriter(w)
	names := make([]string, len(s.Columns))
	for i, name := range s.Columns {
		names[i] = quoted(name)
	}
	_, _ = out.WriteString("[")
	separator := "\n"
	for row := range s.rows() {
		_, _ = out.WriteString(separator + "  {")
		for i, cell := range row {
			if i > 0 {
				_, _ = out.WriteString(", ")
			}
			_, _ = out.WriteString(names[i] + ": " + cell.json())
		}
		_, _ = out.WriteString("}")
		separator = ",\n"
	}
	_, _ = out.WriteString("\n]\n")
	return out.Flush()
}

func (c Cell) json() string {
	switch {
	case c.text == "":
		return "null"
	case c.number:
		return c.text
	}
	return quoted(c.text)
}

func quoted(text string) string {
	written, err := json.Marshal(text)
	if err != nil {
		// No text fails.
		return `""`
	}
	return string(written)
}
