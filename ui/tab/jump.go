package tab

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sahilm/fuzzy"

	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// mostJumps limits the projects that the palette offers.
const mostJumps = 6

// Jumps returns a binding for each of the projects that match a text best. The text may end with a year. Jump goes to
// the first row of a project, or of its vintage of the year if that is not 0.
func (v *View) Jumps(
	typed string,
	projects []string,
	jump func(project string, year int) effect.Effect,
) []keymap.Binding {
	typed = strings.TrimSpace(typed)
	name, year := typed, 0
	if at := strings.LastIndexByte(typed, ' '); at > 0 && len(typed)-at == len(" 2021") {
		if n, err := strconv.Atoi(typed[at+1:]); err == nil {
			name, year = typed[:at], n
		}
	}
	if name == "" {
		return nil
	}
	names := make([]string, len(projects))
	for i, id := range projects {
		names[i] = v.Projects.Name(id)
	}
	found := slices.DeleteFunc(fuzzy.Find(name, names), func(m fuzzy.Match) bool { return m.Score <= 0 })
	var all []keymap.Binding
	for _, m := range found[:min(len(found), mostJumps)] {
		action := m.Str
		if year != 0 {
			action += " " + Year(year)
		}
		all = append(all, keymap.Binding{Action: action, Help: "go to " + action, Do: func() effect.Effect {
			return jump(projects[m.Index], year)
		}})
	}
	return all
}

// Distinct returns ids without repetitions, in their order.
func Distinct(ids func(yield func(string) bool)) (distinct []string) {
	known := make(map[string]bool)
	for id := range ids {
		if !known[id] {
			known[id], distinct = true, append(distinct, id)
		}
	}
	return slices.Clip(distinct)
}
