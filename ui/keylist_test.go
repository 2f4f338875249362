package ui

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/style"
)

// longHelp is an entry with a long reason.
const longHelp = "show only watched vintages, or all · You watch nothing yet. f watches the selected vintage."

func TestHelpIsNotCutIfThereIsRoom(t *testing.T) {
	t.Parallel()
	for _, show := range []func(*robot){func(*robot) {}, (*robot).ShowInventory, (*robot).ShowRetirements} {
		for _, open := range []string{"?", ":"} {
			r := settled(t, 120, 100)
			show(r)
			groups := r.app.keys
			r.Press(open)
			for _, g := range groups {
				for _, b := range g.Bindings {
					if open == "?" && len(b.Keys) == 0 {
						continue
					}
					help := b.Help
					if why := b.Disabled(); why != "" {
						help += " · " + why
					}
					r.Sees(b.Labels(), help+" ")
				}
			}
		}
	}
}

func TestHelpGrowsWithTerminal(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]int{60: 56, 80: 76, 100: 96, 120: 110, 240: 110} {
		r := settled(t, width, 100)
		r.Press("?")
		w := r.app.dialog.width + 4
		must.Equal(t, w, want, width)
		if width < style.Width(longHelp) {
			r.SeesNot(longHelp)
		}
	}
}

func TestHelpOfTabKeyNamesTheTab(t *testing.T) {
	t.Parallel()
	groups := Keys()
	everywhere := groups[len(groups)-1].Bindings
	for n, tab := range groups[:len(groups)-1] {
		must.Equal(t, everywhere[n].Help, "show "+tab.Name, "key", n+1)
	}
}
