package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/table"
)

// ChooseColumns asks the desk to let the person choose the columns of a table.
func ChooseColumns[K comparable, R any](v *View, t *table.Table[K, R]) tea.Cmd {
	var choices []Choice
	for _, c := range t.Columns() {
		if c.Title != "" {
			choices = append(choices, Choice{
				Label: c.Title, Help: c.Help, On: !c.Hidden, Set: func(on bool) { t.Show(c.Key, on) },
			})
		}
	}
	return v.Show(Choose{Title: "Columns", Choices: choices})
}
