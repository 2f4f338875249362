package tab

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/table"
)

// Work returns the command that sorts and filters a table in the background,
// or nil where it is done.
func Work[K comparable, R any](t *table.Table[K, R]) tea.Cmd {
	work := t.Work()
	if work == nil {
		return nil
	}
	return func() tea.Msg {
		result := work()
		return Done(func() tea.Cmd {
			t.Apply(result)
			return Work(t)
		})
	}
}

// SortByMarked sorts a table by its marked column, or the other way round, and
// says so: who does not know yet how to mark another learns it here.
func SortByMarked[K comparable, R any](t *table.Table[K, R]) tea.Cmd { return sortByMarked(t, "") }

// SortPageByMarked is SortByMarked for a table that holds one page of several:
// the rows of the other pages stay where they are.
func SortPageByMarked[K comparable, R any](t *table.Table[K, R]) tea.Cmd {
	return sortByMarked(t, " on this page")
}

func sortByMarked[K comparable, R any](t *table.Table[K, R], where string) tea.Cmd {
	column := marked(t)
	title := cmp.Or(column.Title, column.Key)
	if !t.ToggleSort(column.Key) {
		return Say("Rows cannot be sorted by " + title + ". ← → mark another column.")
	}
	order := [2]string{"lowest first", "highest first"}
	if column.Number == nil {
		order = [2]string{"A to Z", "Z to A"}
	}
	direction := order[0]
	if _, descending := t.Sorting(); descending {
		direction = order[1]
	}
	return tea.Batch(Work(t), Say("Sorted by "+title+where+", "+direction+". ← → mark another column."))
}

// marked returns the column that is marked.
func marked[K comparable, R any](t *table.Table[K, R]) (found table.Column[R]) {
	for _, c := range t.Columns() {
		if c.Key == t.Column() {
			found = c
		}
	}
	return found
}
