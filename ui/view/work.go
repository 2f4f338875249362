package view

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
func SortByMarked[K comparable, R any](t *table.Table[K, R]) tea.Cmd {
	marked := t.Column()
	title, order := marked, [2]string{"lowest first", "highest first"}
	for _, c := range t.Columns() {
		if c.Key != marked {
			continue
		}
		title = cmp.Or(c.Title, marked)
		if c.Number == nil {
			order = [2]string{"A to Z", "Z to A"}
		}
	}
	t.ToggleSort(marked)
	sorted, descending := t.Sorting()
	direction := order[0]
	if descending {
		direction = order[1]
	}
	said := "Sorted by " + title + ", " + direction + ". ← → mark another column."
	if sorted == "" {
		said = "Rows cannot be sorted by " + title + ". ← → mark another column."
	}
	return tea.Batch(Work(t), Say(said))
}
