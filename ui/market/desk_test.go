package market

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

func TestDeskViewShowsFiredRules(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.DeskView()
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
		line := r.Line(text)
		must.Hold(t, strings.Contains(line, want), "the line", line, want)
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
	line := r.Line("< $6.00  fired 1h ago")
	must.Hold(t, !strings.Contains(line, newMark), "seen alert is still marked", line)
}

func TestMarkedColumnOfSideWatchListIsVisible(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.DeskView()
	r.Press("w", "w")
	before := r.Frame()
	list := r.tab.watch.list.table
	was := list.Column()
	r.Press("right")
	must.Need(t, list.Column() != was, "no other column is marked")
	must.Hold(t, r.Frame() != before, "the marked column is not visible")
}
