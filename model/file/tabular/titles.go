package tabular

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed titles.txt
var titlesText string

// knownTitles returns the plain titles of each entry of titles.txt, and the exports.
var knownTitles = sync.OnceValues(func() (map[string]map[string]bool, []export) { return parseTitles(titlesText) })

// export is a file of a known program, whose titles decide all its columns.
type export struct {
	name string
	// has are the plain titles by which it is recognised.
	has []string
	of  map[string]map[string]bool
}

// titles returns the titles of an entry, and whether the export decides them.
func (e *export) titles(entry string) (map[string]bool, bool) {
	if e == nil {
		return nil, false
	}
	titles, fixed := e.of[entry]
	return titles, fixed
}

// units are the units at the end of titles of quantities.
var units = map[Kind][]string{
	Tonnes: {"tonnes", "tons", "tco2e", "tco2eq", "tco2", "mt", "t"},
	Kilograms: {
		"kilograms", "kilogram", "kilogramm", "kilogrammes", "kilogramme", "kilogramos", "chilogrammi", "chili", "kilos",
		"kilo", "kgco2e", "kgco2eq", "kgco2", "kgs", "kg",
	},
	Grams: {"grams", "gram", "gramm", "grammes", "gramos", "grammi", "g"},
}

// hasUnit reports whether a plain title is one of quantities with a unit of the kind.
func (k Kind) hasUnit(title string, known map[string]map[string]bool) bool {
	for _, unit := range units[k] {
		if quantity, ok := strings.CutSuffix(title, unit); ok && known["tonnes"][quantity] {
			return true
		}
	}
	return false
}

// foreign are units of quantities that no kind has.
var foreign = []string{"kt", "lb", "lbs", "pounds"}

// unreadUnit returns the unit that the plain title of a column of quantities names, if no kind has it.
func unreadUnit(title string) string {
	known, _ := knownTitles()
	for _, unit := range foreign {
		if quantity, ok := strings.CutSuffix(title, unit); ok && (quantity == "" || known["tonnes"][quantity]) {
			return unit
		}
	}
	return ""
}

// otherUnit returns the unit that the plain title of a column of quantities names, if it is not that of the kind.
func (k Kind) otherUnit(title string) string {
	if len(units[k]) == 0 {
		return ""
	}
	known, _ := knownTitles()
	for _, of := range [][]string{units[Tonnes], units[Kilograms], units[Grams]} {
		for _, unit := range of {
			quantity, ok := strings.CutSuffix(title, unit)
			if ok && (quantity == "" || known["tonnes"][quantity]) && !slices.Contains(units[k], unit) {
				return unit
			}
		}
	}
	return unreadUnit(title)
}

func exportOf(exports []export, plain []string) *export {
	for i := range exports {
		n := 0
		for _, title := range exports[i].has {
			n += min(len(positions(plain, func(p string) bool { return p == title })), 1)
		}
		if n == len(exports[i].has) {
			return &exports[i]
		}
	}
	return nil
}

// parseTitles parses lines such as "entry: title, title", and for exports "export NAME: title, title"
// followed by "= entry: title".
func parseTitles(text string) (map[string]map[string]bool, []export) {
	known := make(map[string]map[string]bool)
	var all []export
	for line := range strings.Lines(text) {
		head, tail, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(head, "#") {
			continue
		}
		titles := make(map[string]bool)
		var order []string
		for title := range strings.SplitSeq(tail, ",") {
			if p := plainTitle(title); p != "" {
				titles[p], order = true, append(order, p)
			}
		}
		if name, ok := strings.CutPrefix(head, "export "); ok {
			all = append(all, export{name: name, has: order, of: make(map[string]map[string]bool)})
		} else if entry, ok := strings.CutPrefix(head, "= "); ok {
			all[len(all)-1].of[entry] = titles
		} else {
			for p := range titles {
				if known[head] == nil {
					known[head] = make(map[string]bool)
				}
				known[head][p] = true
			}
		}
	}
	return known, all
}
