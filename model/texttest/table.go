package texttest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	must "tonne/model/musttest"
)

// Table compares the outputs in testdata/name.txt, in lines such as "input => output", with what answer returns. An input
// may be written as a string of Go. Lines without an arrow, and those that begin with #, are remarks.
func Table(t must.Test, name string, answer func(input string) string) {
	t.Helper()
	path, lines := table(name)
	rows := 0
	for i, line := range lines {
		if input, output, ok := row(line); ok {
			rows++
			got := strings.TrimSpace(answer(input))
			if *update {
				lines[i] = strings.TrimSpace(strings.TrimSuffix(line, output) + " " + got)
			} else {
				must.Equal(t, got, strings.TrimSpace(output), path, input)
			}
		}
	}
	must.Need(t, rows > 0, path)
	if *update {
		must.Succeed(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644))
	}
}

// Inputs returns the inputs of a table.
func Inputs(name string) (all []string) {
	_, lines := table(name)
	for _, line := range lines {
		if input, _, ok := row(line); ok {
			all = append(all, input)
		}
	}
	return all
}

func table(name string) (path string, lines []string) {
	path = filepath.Join("testdata", name+".txt")
	return path, strings.Split(string(must.Get(os.ReadFile(path))), "\n")
}

func row(line string) (input, output string, ok bool) {
	input, output, ok = strings.Cut(line, "=>")
	if input = strings.TrimSpace(input); strings.HasPrefix(input, "#") {
		return "", "", false
	}
	if text, err := strconv.Unquote(input); err == nil {
		input = text
	}
	return input, output, ok
}
