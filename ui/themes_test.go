package ui

import (
	"strings"
	"testing"

	"tonne/ui/uitest"
)

func TestPortfolioValueAndHistoryInEveryTheme(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"dark", "light", "mono"} {
		r := newRobotWith(t, 120, 36, func(o *Options) { o.Theme = theme })
		r.settle()
		r.hear(whatFired(3))
		r.press("w")
		uitest.Golden(t, "history-"+theme, strings.ReplaceAll(r.frame(), "\x1b", "␛"))
		r.press("esc")
		r.showInventory()
		uitest.Golden(t, "inventory-"+theme, strings.ReplaceAll(r.frame(), "\x1b", "␛"))
	}
}

func TestInventoryGoldenOnLargeTerminal(t *testing.T) {
	t.Parallel()
	r := newRobot(t, 200, 60)
	r.settle()
	r.showInventory()
	uitest.Exact(t, r.frame(), 200, 60)
	uitest.Golden(t, "inventory-200x60", r.frame())
}
