package tab

import (
	"tonne/model"
	"tonne/ui/effect"
)

// Whole returns what copies a table as it is shown, all its rows with the titles
// of their columns. Things is what a row is called if there are several, thing
// if there is one.
func Whole(t interface{ CopyAll() (string, int) }, thing, things string) func() effect.Copy {
	return func() effect.Copy {
		text, rows := t.CopyAll()
		return effect.Copy{Text: text, What: "the whole view, " + model.Count(rows, thing, things)}
	}
}
