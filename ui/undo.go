package ui

import (
	"slices"

	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// mostUndone limits the changes that can be undone.
const mostUndone = 100

// change is a change of a tab that can be undone.
type change struct {
	effect.Undo
	tab int
}

func (a *App) record(tab int, u effect.Undo) {
	if tab == current {
		tab = a.active
	}
	a.changes = append(a.changes[max(len(a.changes)-mostUndone+1, 0):], change{u, tab})
}

// undoKey undoes the last change, and shows the tab on which it was made.
func (a *App) undoKey() keymap.Binding {
	const help = "undo the last change of a rule, watch, label or request"
	return keymap.Binding{Name: "desk.undo", Keys: []string{"Z"}, Help: help, Why: func() string {
		if len(a.changes) == 0 {
			return "There is nothing to undo."
		}
		return ""
	}, Do: func() effect.Effect {
		last := a.changes[len(a.changes)-1]
		a.changes = slices.Clip(a.changes[:len(a.changes)-1])
		shown := a.show(last.tab)
		return effect.Batch(shown, effect.Say("Undone: "+last.What+"."), last.Undone())
	}}
}
