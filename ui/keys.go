package ui

import (
	"context"

	"tonne/ui/keymap"
)

// Keys returns the bindings that the dashboard begins with, those of each tab
// by its title, and those that work in every tab at the end.
func Keys() []keymap.Group {
	a := New(context.Background(), Options{})
	var all []keymap.Group
	for n, t := range a.tabs {
		var own []keymap.Binding
		for _, g := range t.Groups() {
			own = append(own, g.Bindings...)
		}
		all = append(all, keymap.Group{Name: a.infos[n].Title, Bindings: own})
	}
	return append(all, a.own)
}
