package tab

import (
	"tonne/ui/table"

	"tonne/ui/effect"
)

// ChooseColumns lets the person choose the columns of a table. Each that is
// turned on or off comes back as an effect.Toggled with its key.
func ChooseColumns[K comparable, R any](t *table.Table[K, R]) effect.Effect {
	var choices []effect.Choice
	for _, c := range t.Columns() {
		if c.Title != "" {
			missing := func() string { return t.Missing(c.Key) }
			choices = append(choices, effect.Choice{Key: c.Key, Label: c.Title, Help: c.Help, On: !c.Hidden, Missing: missing})
		}
	}
	return effect.Checklist{Title: "Columns", Choices: choices}
}
