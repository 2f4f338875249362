// Package country knows the names of countries by their ISO 3166-1 alpha-2 codes.
package country

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"tonne/model/fold"
)

// table has a country a line: its code, its name, and other names that people type.
//
//go:embed names.txt
var table string

// entry is a country; the first of its names is the one that is shown.
type entry struct {
	code  string
	names []string
}

var entries = sync.OnceValue(func() []entry {
	var all []entry
	for line := range strings.Lines(table) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, entry{code, strings.Split(names, "|")})
	}
	return all
})

// Name returns the name of a country by its code in any case, or "".
func Name(code string) string {
	if names := Names(code); len(names) > 0 {
		return names[0]
	}
	return ""
}

// Names returns all names of a country by its code in any case, the usual one first.
func Names(code string) []string {
	if len(code) != 2 {
		return nil
	}
	all := entries()
	i, ok := slices.BinarySearchFunc(all, strings.ToUpper(code),
		func(e entry, code string) int { return strings.Compare(e.code, code) })
	if !ok {
		return nil
	}
	return all[i].names
}

// Find returns the codes of the country with the code or name, or else of all with a word
// that begins so, in any case.
func Find(text string) (codes []string) {
	text = fold.String(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	for _, e := range entries() {
		if strings.EqualFold(e.code, text) ||
			slices.ContainsFunc(e.names, func(name string) bool { return fold.String(name) == text }) {
			return []string{e.code}
		}
	}
	for _, e := range entries() {
		if slices.ContainsFunc(e.names, func(name string) bool { return strings.Contains(" "+fold.String(name), " "+text) }) {
			codes = append(codes, e.code)
		}
	}
	return codes
}

// All calls yield with each code and name, in the order of the codes.
func All(yield func(code, name string) bool) {
	for _, e := range entries() {
		if !yield(e.code, e.names[0]) {
			return
		}
	}
}
