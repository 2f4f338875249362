package tab

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/ui/table"
)

// SavedView is a saved arrangement of a list: the flags of the command that prints the same rows, by name. Columns
// and the sort that commands do not have are saved by their keys.
type SavedView map[string]string

// The flags of a view. WatchedOnly is no flag, because no command has that filter.
const (
	ViewColumns = "columns"
	ViewSort    = "sort"
	ViewFilter  = "filter"
	// ViewWidths are the widths that the user chose: "project_name:44,type:20".
	ViewWidths  = "widths"
	WatchedOnly = "watched only"
)

// SaveTable returns the shown columns and the sort of a table with a filter as a view.
func SaveTable[K comparable, R any](t *table.Table[K, R], filter string) SavedView {
	key, descending := t.Sorting()
	var shown []string
	v := SavedView{ViewFilter: strings.TrimSpace(filter)}
	for _, c := range t.Columns() {
		if !c.Hidden && !c.Auto {
			shown = append(shown, savedName(c))
		}
		if c.Key == key {
			v[ViewSort] = savedName(c)
		}
	}
	v[ViewWidths] = widthsOf(t)
	if descending {
		v[ViewSort] = "-" + v[ViewSort]
	}
	v[ViewColumns] = strings.Join(shown, ",")
	maps.DeleteFunc(v, func(_, value string) bool { return value == "" })
	return v
}

// RestoreTable shows the columns of a view and sorts by its column. It ignores columns that the table does not have.
func RestoreTable[K comparable, R any](t *table.Table[K, R], v SavedView) {
	wanted, sorting, sorted := strings.Split(v[ViewColumns], ","), v[ViewSort], ""
	by, descending := strings.CutPrefix(sorting, "-")
	// The last visible column cannot be hidden.
	for _, on := range [2]bool{true, false} {
		for _, c := range t.Columns() {
			if !c.Auto && slices.Contains(wanted, savedName(c)) == on {
				t.Show(c.Key, on)
			}
			if savedName(c) == by {
				sorted = c.Key
			}
		}
	}
	arrange(t, v)
	t.Sort(sorted, descending)
}

func widthsOf[K comparable, R any](t *table.Table[K, R]) string {
	var all []string
	widths := t.Widths()
	for _, c := range t.Columns() {
		if w := widths[c.Key]; w > 0 {
			all = append(all, savedName(c)+":"+strconv.Itoa(w))
		}
	}
	return strings.Join(all, ",")
}

// arrange restores the order and the widths of the columns of a view.
func arrange[K comparable, R any](t *table.Table[K, R], v SavedView) {
	widths := make(map[string]int)
	for part := range strings.SplitSeq(v[ViewWidths], ",") {
		name, width, _ := strings.Cut(part, ":")
		widths[name], _ = strconv.Atoi(width)
	}
	var keys []string
	for _, name := range strings.Split(v[ViewColumns], ",") {
		for _, c := range t.Columns() {
			if savedName(c) == name {
				keys = append(keys, c.Key)
			}
		}
	}
	t.ArrangeColumns(keys)
	for _, c := range t.Columns() {
		t.SetWidth(c.Key, widths[savedName(c)])
	}
}

func savedName[R any](c table.Column[R]) string { return cmp.Or(c.Name, c.Key) }

// Describe returns the sort and the filters of a view for people.
func (v SavedView) Describe() string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if name != ViewColumns && name != ViewWidths {
			text += PartsBetween + name + " " + Typed(v[name])
		}
	}
	return text
}

// Choice returns the name and the value of the user's choice in which a view is saved. The list has the name of the
// command that prints it. The value of a nil view deletes the choice.
func (v SavedView) Choice(list, name string) (choice, value string) {
	if v == nil {
		return viewPrefix(list) + name, ""
	}
	// Texts can be encoded.
	text, _ := json.Marshal(v)
	return viewPrefix(list) + name, string(text)
}

func viewPrefix(list string) string { return "view." + list + "." }

// SavedViews returns the views of a list among the choices of the user, by name.
func SavedViews(choices map[string]string, list string) map[string]SavedView {
	views := make(map[string]SavedView)
	for choice, value := range choices {
		var v SavedView
		name, ok := strings.CutPrefix(choice, viewPrefix(list))
		if ok && WrongViewName(name) == "" && json.Unmarshal([]byte(value), &v) == nil && len(v) > 0 {
			views[name] = v
		}
	}
	return views
}

const longestViewName = 40

// WrongViewName returns why a text cannot be the name of a view, or "".
func WrongViewName(name string) string {
	first, _, _ := strings.Cut(name, " ")
	switch {
	case name == "" || name != strings.Join(strings.Fields(name), " "):
		return "A view needs a name without blanks at its ends."
	case utf8.RuneCountInString(name) > longestViewName:
		return "The name of a view has at most 40 characters."
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "The name of a view has no invisible characters."
	case first == "save" || first == "delete":
		return "The name of a view cannot begin with save or delete, which are commands."
	}
	return ""
}
