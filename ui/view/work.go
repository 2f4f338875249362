package view

import (
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
	title := marked
	for _, c := range t.Columns() {
		if c.Key == marked && c.Title != "" {
			title = c.Title
		}
	}
	t.ToggleSort(marked)
	sorted, descending := t.Sorting()
	order := "lowest first"
	if descending {
		order = "highest first"
	}
	said := "Sorted by " + title + ", " + order + ". ← → mark another column."
	if sorted == "" {
		said = "Rows cannot be sorted by " + title + ". ← → mark another column."
	}
	return tea.Batch(Work(t), Say(said))
}
