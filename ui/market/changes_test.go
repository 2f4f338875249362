package market

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/uitest"
)

func TestEnterOnChangeGoesToItsVintage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(-5))
	r.Press("v", "enter", "j", "j")
	change, ok := r.tab.panes.changes.table.Current()
	if before, _ := r.tab.list.table.CurrentKey(); !ok || change.Vintage == before {
		t.Fatalf("the vintage of the change is already selected: %v", change.Vintage)
	}
	r.Press("enter")
	if key, _ := r.tab.list.table.CurrentKey(); key != change.Vintage {
		t.Errorf("↵ on a change of %v went to %v", change.Vintage, key)
	}
	if r.tab.panes.focused {
		t.Error("the changes pane is still focused")
	}
	r.Sees(r.tab.list.rows.projects.Known.Name(change.Vintage.ProjectID) + " · " + r.View.VintageName(change.Vintage) + "  order book")
}

func TestEnterOnChangeOfHiddenVintageGivesReason(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(-5))
	r.Press("/", "h", "u", "m", "b", "enter", "v", "enter")
	change, _ := r.tab.panes.changes.table.Current()
	r.Press("enter")
	want := r.tab.view.Label(change.Vintage) + " is not in the table"
	if said := uitest.LastOf(r.Said); !strings.HasPrefix(said, want) {
		t.Errorf("says %q, want %q", said, want)
	}
	if !r.tab.panes.focused || r.tab.panes.shown != pane(r.tab.panes.changes) {
		t.Error("the changes pane was left, but the vintage is hidden")
	}
}

func TestEnterLeavesEmptyList(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"v", "w"} {
		r := settled(t)
		r.Press(list, "enter", "enter")
		if r.tab.panes.focused {
			t.Errorf("%s: the empty list is still focused", list)
		}
	}
}

func TestMovesDuringSuspendShowTheirTimeRange(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	r.Reply("price < 6")
	r.away(3 * time.Minute)
	r.poll(uitest.Market(-30))
	r.Sees("moved 2 Nov 2026 09:14–09:17 UTC: $6.20 → $5.90")
	if said := strings.Join(r.Notified, "\n"); !strings.Contains(said, "now $5.90 · some time 2 Nov 2026 09:14–09:17 UTC") {
		t.Errorf("notified %q", said)
	}
	r.Press("v")
	r.Sees("TIME                        WHAT", "2 Nov 2026 09:14–09:17 UTC  ▼ cheaper")
	r.Press("w")
	r.Sees("●    2 Nov 2026 09:14–09:17 UTC    Bale Mountains")
	r.Press("esc", "v")
	r.later(5 * time.Second)
	r.poll(uitest.Market(-20))
	r.Sees("2 Nov 2026 09:17 UTC        ▲ dearer", "2 Nov 2026 09:14–09:17 UTC  ▼ cheaper")
}

func TestChartHasGapsWhileNotWatching(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.later(time.Hour)
	r.poll(uitest.Market(10))
	r.Press("c")
	r.SeesNot("not watched", "·····")
	r.away(time.Hour)
	r.poll(uitest.Market(20))
	r.Sees("· not watched", "··········", "moved 2 Nov 2026 10:14–11:14 UTC: $6.30 → $6.40")
}

func TestMovesBeforeStartAreListedAsChanges(t *testing.T) {
	t.Parallel()
	r := settled(t)
	was := func(n int, ask model.PriceCents, g model.Grams) store.Observation {
		return store.Observation{Vintage: uitest.Key("003bale", n), BestAsk: ask, Available: g}
	}
	r.Hear(session.MissedMovesEvent{Since: uitest.Now.Add(-10 * time.Hour), At: uitest.Now, Moves: []session.MissedMove{
		{Was: was(0, 600, 5e6), Now: was(0, 620, 4_650e6)},
		{Was: was(1, model.UnknownPrice, 0), Now: was(1, 680, 4_650e6)},
		{Was: was(2, 700, 5e6), Now: was(2, model.UnknownPrice, 0)},
	}})
	r.Press("v")
	yesterday := uitest.Now.Add(-10*time.Hour).Format("2 Jan 2006 15:04") + " – " + uitest.Now.Format("2 Jan 2006 15:04 MST")
	r.Sees(yesterday+"  ▲ dearer", "5 t from $6.00", "4,650 t from $6.20", "best ask", "+ new", "− gone")
	r.SeesNot("Nothing has changed")
}
