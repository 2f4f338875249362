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
