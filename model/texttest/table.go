package texttest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	must "tonne/model/musttest"
)

// Table compares the outputs in testdata/name.txt, in lines such as "input => output", with what answer returns. An
// output of several lines is below its input, indented. An input may be written as a string of Go. Lines without an
// arrow, and those that begin with #, are remarks.
func Table(t must.Test, name string, answer func(input string) string) {
	t.Helper()
	path, lines := table(name)
	rows, updated := 0, []string(nil)
	for i, line := range lines {
		input, output, ok := row(lines[i:])
		switch {
		case ok:
			rows++
			got := strings.TrimSpace(answer(input))
			updated = append(updated, written(line, got))
			if !*update {
				must.Equal(t, got, output, path, input)
			}
		case !strings.HasPrefix(line, below):
			updated = append(updated, line)
		}
	}
	must.Need(t, rows > 0, path)
	if *update {
		must.Succeed(t, os.WriteFile(path, []byte(strings.Join(updated, "\n")), 0o644))
	}
}

const (
	arrow = "=>"
	below = "    "
)

// written returns the lines of a row with its output.
func written(line, output string) string {
	input, _, _ := strings.Cut(line, arrow)
	if strings.Contains(output, "\n") {
		return input + arrow + "\n" + below + strings.ReplaceAll(output, "\n", "\n"+below)
	}
	return strings.TrimSpace(input + arrow + " " + output)
}

// Inputs returns the inputs of a table.
func Inputs(name string) (all []string) {
	_, lines := table(name)
	for i := range lines {
		if input, _, ok := row(lines[i:]); ok {
			all = append(all, input)
		}
	}
	return all
}

func table(name string) (path string, lines []string) {
	path = filepath.Join("testdata", name+".txt")
	return path, strings.Split(string(must.Get(os.ReadFile(path))), "\n")
}

// row reads the row at the beginning of lines.
func row(lines []string) (input, output string, ok bool) {
	input, output, ok = strings.Cut(lines[0], arrow)
	if input = strings.TrimSpace(input); !ok || strings.HasPrefix(input, "#") {
		return "", "", false
	}
	outputs := []string{strings.TrimSpace(output)}
	for _, line := range lines[1:] {
		of, ok := strings.CutPrefix(line, below)
		if !ok {
			break
		}
		outputs = append(outputs, of)
	}
	if text, err := strconv.Unquote(input); err == nil {
		input = text
	}
	return input, strings.TrimSpace(strings.Join(outputs, "\n")), true
}
