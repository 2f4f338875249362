package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// deskRobot returns a robot in the desk view with a watch list, a fired rule and a day of prices.
func deskRobot(t *testing.T, width, height int, theme string) *robot {
	r := newRobotWith(t, width, height, func(o *Options) { o.Theme = theme })
	r.settle()
	bale, kwamisa := uitest.Key("003bale", 0), uitest.Key("003kwam", 1)
	below, plenty := alert.Rule{Compare: alert.Below, Price: 700}, alert.Rule{Measure: alert.Available, Compare: alert.Below, Quantity: 500 * model.GramsPerTonne}
	r.hear(
		session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(below.On(bale)).WithRule(plenty.On(kwamisa)).With(uitest.Key("003cabo", 0)).
			WithRule(alert.Rule{Request: "00mclosed", Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour})},
		whatFired(1),
		session.PricesEvent{Vintage: bale, Observations: []store.Observation{
			{Vintage: bale, At: uitest.Now.Add(-20 * time.Hour), BestAsk: 650}, {Vintage: bale, At: uitest.Now.Add(-9 * time.Hour), BestAsk: 585},
			{Vintage: bale, At: uitest.Now.Add(-2 * time.Hour), BestAsk: 620},
		}},
	)
	r.press("D")
	return r
}

func TestDeskViewGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		theme         string
	}{{160, 45, "dark"}, {160, 45, "light"}, {160, 45, "mono"}, {200, 60, "dark"}, {240, 70, "dark"}} {
		r := deskRobot(t, c.width, c.height, c.theme)
		uitest.Exact(t, r.frame(), c.width, c.height)
		uitest.Golden(t, fmt.Sprintf("desk-%dx%d", c.width, c.height), r.frame())
	}
}

func TestHistoryGolden(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{80, 24}, {120, 36}, {160, 45}, {200, 60}} {
		r := newRobot(t, size[0], size[1])
		r.settle()
		r.hear(whatFired(3))
		r.press("w")
		uitest.Exact(t, r.frame(), size[0], size[1])
		uitest.Golden(t, fmt.Sprintf("history-%dx%d", size[0], size[1]), r.frame())
	}
}

func TestDeskViewNeedsWideTerminal(t *testing.T) {
	t.Parallel()
	r := newRobot(t, 120, 36)
	r.settle()
	before := r.frame()
	r.press("D")
	r.Sees("The desk view needs 160 columns; the terminal has 120.")
	if asked := strings.Join(r.feed.Asked, ", "); strings.Contains(asked, "choose") || !strings.Contains(before, "order book") {
		t.Errorf("calls %q", asked)
	}
}
