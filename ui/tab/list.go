package tab

import (
	"strings"

	"tonne/ui/table"
)

// List is what the palette knows of the list of a tab.
type List struct {
	Columns []ColumnName
	// Filters are examples of conditions.
	Filters []string
}

// ColumnName are the names of a column: its key on the screen, its name in commands, and its title.
type ColumnName struct {
	Key, Name, Title, Help string
	// Sorts reports whether rows can be sorted by it.
	Sorts bool
}

// ListOf returns the columns that users choose, hidden ones included.
func ListOf[K comparable, R any](t *table.Table[K, R], filters []string) List {
	l := List{Filters: filters}
	for _, c := range t.Columns() {
		if !c.Auto && c.Title != "" {
			l.Columns = append(l.Columns, ColumnName{c.Key, savedName(c), c.Title, c.Help, c.Sortable()})
		}
	}
	return l
}

// Names returns the names in commands of the columns with the given keys or names. It ignores others.
func (l List) Names(typed string) (names []string) {
	for key := range strings.SplitSeq(typed, ",") {
		for _, c := range l.Columns {
			if key = strings.TrimSpace(key); key == c.Key || key == c.Name {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
