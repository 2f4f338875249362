package cli

import (
	"io"
	"math"
	"strings"

	"tonne/model"
)

// lists bound what ids are read: the length of their text in bytes, and how many
// they are. column is the column of a table that has them, empty for the usual.
type lists struct {
	text, ids int
	column    string
}

// lists are the bounds here: somebody else's machine holds what a guest asks
// for.
func (a *app) lists(column string) lists {
	if a.guest != nil {
		return lists{1 << 20, 10_000, column}
	}
	return lists{16 << 20, math.MaxInt, column}
}

func (a *app) readIDs(args []string, file, column string) ([]string, error) {
	lists := a.lists(column)
	var all []string
	for _, arg := range args {
		if arg != "-" {
			all = append(all, arg)
			continue
		}
		ids, err := a.readList(lists, arg)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	if file != "" {
		ids, err := a.readList(lists, file)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	given := len(all)
	if all = once(all); len(all) > lists.ids {
		return nil, usage("split the list", "there are %d ids, and a shared desk looks up %d at once", len(all), lists.ids)
	}
	if again := given - len(all); again > 0 {
		a.warn("%s left out: each id is looked up once", model.Count(again, "repeated id is", "repeated ids are"))
	}
	return all, nil
}

func (a *app) readList(l lists, path string) ([]string, error) {
	file, err := a.openLines(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return l.read(file)
}

func (l lists) read(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(l.text)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > l.text {
		return nil, usage("split the list", "the list of ids is longer than %d MiB", l.text>>20)
	}
	return l.cells(string(text))
}

func withoutComments(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t\ufeff"), "#") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

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
