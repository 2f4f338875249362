package market

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// desk returns a robot in the desk view with rules on the first two vintages.
func desk(t testing.TB) *robot {
	r := settled(t)
	r.FrameAt(160, 41)
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j", "a")
	r.Reply("price < 7")
	r.Press("D")
	r.Frame()
	return r
}

func TestDeskViewShowsListBookAndChart(t *testing.T) {
	t.Parallel()
	r := desk(t)
	r.Sees("Watch list  rules", "best ask < $6.00  not yet", "best ask < $7.00  ✓ fired 0s ago", "Bale Mountains · 2020  order book", "best ask  24 hours", "All vintages  changes")
	r.Press("j")
	r.Sees("Bale Mountains · 2021  order book")
	r.Press("c")
	if r.tab.panes.chart.period != 1 || !r.tab.panes.onBook() {
		t.Error("c does not switch the period of the side chart")
	}
	r.Press("D")
	r.SeesNot("Watch list")
	if want := []string{"market.desk on", "market.desk off"}; !slices.Equal(r.session.chosen, want) {
		t.Errorf("stored choices %q, want %q", r.session.chosen, want)
	}
}

func TestDeskViewShowsFiredRules(t *testing.T) {
	t.Parallel()
	r := desk(t)
	closed := alert.Rule{Request: "00mclosed", Measure: alert.State, Status: retirement.Closed}
	paid := alert.Rule{Request: "00mcomplete", Measure: alert.State, Status: retirement.Complete}
	r.Hear(session.WatchlistEvent{Edits: 2, Watchlist: r.tab.watch.Watchlist.WithRule(closed).WithRule(paid)})
	below := r.tab.watch.Rules[0]
	at := uitest.Now.Add(-time.Hour)
	fired := []store.Alert{
		{Rule: below, ID: 2, At: at, Facts: alert.Facts{BestAsk: 599}},
		{Rule: closed, ID: 1, At: at, Facts: alert.FactsOf(retirement.Closed), Seen: true},
	}
	r.Hear(session.AlertsEvent{Alerts: fired})
	// A fired rule stays listed even though the price is above the limit again.
	for text, want := range map[string]string{"< $6.00": "< $6.00  " + newMark + " fired 1h ago", "becomes CLOSED": "becomes CLOSED    fired 1h ago"} {
		if line := r.Line(text); !strings.Contains(line, want) {
			t.Errorf("the line is %q, want %q", line, want)
		}
	}
	r.Hear(
		session.LedgerEvent{Requests: []*session.Request{{ID: "00mclosed", Label: "Q3 flights"}, {ID: "00mcomplete"}, {ID: "00mother", Label: "no rule"}}},
		session.AnnotationsEvent{Journal: map[string]retirement.Journaled{"00mcomplete": {References: []string{"order 7"}}}},
	)
	r.Sees("Q3 flights  ", "order 7  ")
	r.Press("w")
	r.Sees("Fired rules")
	fired[0].Seen = true
	r.Hear(session.AlertsEvent{Alerts: fired})
	r.Press("w")
	if line := r.Line("< $6.00  fired 1h ago"); strings.Contains(line, newMark) {
		t.Errorf("seen alert is still marked: %q", line)
	}
}

func TestDeskViewOpensHistoryEvenIfEmpty(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.FrameAt(160, 41)
	r.Press("D", "w")
	r.Sees("No rule has fired yet.")
}

func TestDeskViewIsRememberedAndNeedsRoom(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.FrameAt(160, 41)
	r.Hear(session.ChoicesEvent{Choices: map[string]string{"market.desk": "on"}})
	r.Sees("You watch nothing yet.")
	for _, size := range [][2]int{{159, 41}, {160, 17}} {
		r.FrameAt(size[0], size[1])
		r.SeesNot("You watch nothing yet.")
		r.Press("D")
		if said := uitest.LastOf(r.Said); !strings.Contains(said, "The desk view needs") {
			t.Errorf("%v: D says %q", size, said)
		}
	}
	r.FrameAt(160, 41)
	r.Sees("You watch nothing yet.")
	r.Press("D")
	r.Hear(session.ChoicesEvent{Choices: map[string]string{"market.desk": "on"}})
	r.SeesNot("You watch nothing yet.")
}

func TestKeysMoveInSidePanes(t *testing.T) {
	t.Parallel()
	r := desk(t)
	_, at := r.tab.Render()
	if at == nil || at.X != 0 {
		t.Errorf("the cursor is at %v", at)
	}
	r.Press("enter", "j")
	if id, _ := r.tab.panes.book.table.CurrentKey(); id != "006bale11" {
		t.Errorf("↵ and j selected order %q", id)
	}
	r.Frame()
	if _, at := r.tab.Render(); at.X != 102 || at.Y != 4+1+2 {
		t.Errorf("the cursor is at %v", at)
	}
	r.Press("esc", "w", "w", "g", "g")
	r.Frame()
	if _, at := r.tab.Render(); at.X != 102 || at.Y != 2 {
		t.Errorf("cursor in the watch list: %v", at)
	}
	r.Press("enter")
	if key, _ := r.tab.list.table.CurrentKey(); key != bale || r.tab.panes.focused {
		t.Errorf("↵ in the watch list went to %v", key)
	}
}

func TestSideWatchListShowsHowManyLinesAreHidden(t *testing.T) {
	t.Parallel()
	r := desk(t)
	for cents := range 30 {
		r.Press("a")
		r.Reply(fmt.Sprintf("price < 1.%02d", 69-cents))
	}
	// Rules of a vintage are sorted by their text.
	r.Sees("< $1.40", "more below")
	if line := r.Line("< $1.40"); !strings.Contains(line, "Bale Mountains 2020") {
		t.Errorf("the name is cut in %q", line)
	}
	r.Press("w", "w", "G")
	r.Frame()
	r.SeesNot("more below")
}

func TestMarkedColumnOfSideWatchListIsVisible(t *testing.T) {
	t.Parallel()
	r := desk(t)
	r.Press("w", "w")
	before := r.Frame()
	list := r.tab.watch.list.table
	was := list.Column()
	r.Press("right")
	if list.Column() == was {
		t.Fatal("no other column is marked")
	}
	if r.Frame() == before {
		t.Error("the marked column is not visible")
	}
}

func TestMouseWorksInSidePanes(t *testing.T) {
	t.Parallel()
	r := desk(t)
	r.tab.Input(tab.Click{X: 120, Y: 3})
	if row, _ := r.tab.watch.list.table.Current(); row.Vintage != uitest.Key("003bale", 1) || r.tab.panes.shown != pane(r.tab.watch.list) {
		t.Errorf("the click selected %v", row.Vintage)
	}
	r.Frame()
	r.tab.Input(tab.Click{X: 120, Y: 4 + 2 + 2})
	if id, _ := r.tab.panes.book.table.CurrentKey(); id != "006bale12" || r.tab.panes.shown != pane(r.tab.panes.book) {
		t.Errorf("the click in the book selected %q", id)
	}
	r.tab.Input(tab.Wheel{X: 120, Y: 5, Lines: -2})
	if id, _ := r.tab.panes.book.table.CurrentKey(); id != "006bale10" {
		t.Errorf("the wheel selected %q", id)
	}
	r.tab.Input(tab.Click{X: 120, Y: 39})
	r.tab.Input(tab.Click{X: 10, Y: 30})
	r.Frame()
	if r.tab.panes.shown != pane(r.tab.panes.changes) || !r.tab.panes.focused {
		t.Error("a click on the changes does not focus them")
	}
}

func TestDeskViewShowsOtherPanesBelowTable(t *testing.T) {
	t.Parallel()
	r := desk(t)
	r.Press("i")
	r.Sees("A project for tests.", "Watch list", "best ask  24 hours")
	r.later(time.Minute)
	r.poll(uitest.Market(-30))
	r.Press("w")
	r.Sees("Fired rules  history", "Watch list")
	r.Press("esc", "esc")
	r.SeesNot("Fired rules")
}

func TestDeskViewFitsEverySize(t *testing.T) {
	t.Parallel()
	scenes.Each(t, settled, func(_ string, r *robot) {
		r.FrameAt(160, 41)
		r.Press("D")
		for _, size := range [...][2]int{{160, 18}, {160, 41}, {200, 56}, {240, 66}, {161, 19}, {120, 30}} {
			for range 2 {
				r.FrameAt(size[0], size[1])
				r.Press("enter", "w")
			}
		}
	})
}
