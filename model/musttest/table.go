package musttest

import (
	"os"
	"strconv"
	"strings"
)

// Rows returns the rows of a file with lines such as "input => output". An input may be written as a
// string of Go. Lines that are empty or begin with # are no rows.
func Rows(t Test, file string) (rows [][2]string) {
	t.Helper()
	for line := range strings.Lines(string(Get(os.ReadFile(file)))) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		input, output, ok := strings.Cut(line, "=>")
		Need(t, ok, file, line)
		input = strings.TrimSpace(input)
		if text, err := strconv.Unquote(input); err == nil {
			input = text
		}
		rows = append(rows, [2]string{input, strings.TrimSpace(output)})
	}
	Need(t, len(rows) > 0, file)
	return rows
}

// Table fails the test of t for each row of a file whose output is not what f makes of its input.
func Table(t Test, file string, f func(input string) string) {
	t.Helper()
	for _, row := range Rows(t, file) {
		Equal(t, strings.TrimSpace(f(row[0])), row[1], file, row[0])
	}
}
