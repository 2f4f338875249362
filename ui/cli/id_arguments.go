package cli

import (
	"io"
	"os"
	"strings"

	"tonne/model"
)

// largestList is the longest text of ids that is read.
const largestList = 16 << 20

// readIDs collects ids from arguments and from a file, where "-" stands for
// standard input. Each counts once, in order.
func (a *app) readIDs(args []string, file string) ([]string, error) {
	var all []string
	for _, arg := range args {
		if arg != "-" {
			all = append(all, arg)
			continue
		}
		ids, err := readList(a.Stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	switch file {
	case "":
	case "-":
		ids, err := readList(a.Stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		ids, err := readList(f)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	return once(all), nil
}

func readList(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, largestList+1))
	if err != nil {
		return nil, err
	}
	if len(text) > largestList {
		return nil, usage("split the list", "the list of ids is longer than %d MiB", largestList>>20)
	}
	return model.SplitIDs(withoutComments(string(text))), nil
}

// withoutComments leaves out the lines that begin with #.
func withoutComments(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t\ufeff"), "#") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// once leaves out what was there before.
func once(ids []string) []string {
	seen := make(map[string]bool)
	var kept []string
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}
