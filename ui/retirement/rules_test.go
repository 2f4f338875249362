package retirement

import (
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

// lasting returns an alert of a duration rule.
func lasting(id int64, request string) store.Alert {
	return store.Alert{
		Rule:  alert.Rule{Request: request, Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour},
		ID:    id,
		At:    uitest.Now,
		Facts: alert.FactsOf(retirement.Closed),
		Was:   alert.FactsOf(retirement.Closed),
	}
}

func TestRuleOnOneOrAllRequests(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Press("a")
	r.hears("No request is selected.")
	r.feed.Add(session.Entry{ID: "00m1", Label: "Q3 flights"})
	r.found(uitest.Retirement("00m1", retirement.Closed))
	r.Press("a")
	if problem := r.Reply("closed for ever"); !strings.Contains(problem, `"ever" is no rule`) {
		t.Errorf("the problem is %q", problem)
	}
	for typed, want := range map[string][2]string{
		"CLOSED for 14 days": {"add rule 00m1 CLOSED for 14 days", "Rule added on Q3 flights: CLOSED for 14 days."},
		"all complete":       {"add rule  becomes COMPLETE", "Rule added on every request: becomes COMPLETE."},
	} {
		r.Press("a")
		if problem := r.Reply(typed); problem != "" || uitest.LastOf(r.feed.Asked) != want[0] {
			t.Errorf("%q: last call %q, problem %s", typed, uitest.LastOf(r.feed.Asked), problem)
		}
		r.hears(want[1])
	}
}

func TestFiredRequestRuleShowsBadgeUntilTabIsShown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.feed.Add(session.Entry{ID: "00m1", Label: "Q3 flights"})
	r.listen()
	r.tab.Handle(tab.Hidden{})
	onVintage := store.Alert{Rule: alert.Rule{Vintage: uitest.Key("003bale", 0)}, ID: 1}
	r.Hear(session.AlertsEvent{Fired: []store.Alert{lasting(2, "00m1")}, Alerts: []store.Alert{lasting(2, "00m1"), onVintage}})
	if said := uitest.LastOf(r.Notified); said != "Q3 flights: CLOSED for 14 days · now CLOSED" || r.tab.Info().Badge != "•1" {
		t.Errorf("message %q, badge %q", said, r.tab.Info().Badge)
	}
	r.enters()
	r.hears("Q3 flights: CLOSED for 14 days · now CLOSED")
	if r.tab.Info().Badge != "" || !strings.Contains(strings.Join(r.feed.Asked, "|"), "see request alerts 2") {
		t.Errorf("badge %q, calls %q", r.tab.Info().Badge, r.feed.Asked)
	}
	r.Hear(session.AlertsEvent{Alerts: []store.Alert{lasting(3, "00m1")}})
	if r.tab.Info().Badge != "" || uitest.LastOf(r.feed.Asked) != "see request alerts 3" {
		t.Errorf("with the tab shown: badge %q, calls %q", r.tab.Info().Badge, r.feed.Asked)
	}
}

func TestUselessOrDuplicateRequestRuleIsRejected(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.feed.Add(session.Entry{ID: "00m1", Label: "Q3 flights"})
	r.found(uitest.Retirement("00m1", retirement.Complete))
	r.Press("a")
	if problem := r.Reply("in progress for 3 days"); problem != `"IN_PROGRESS for 3 days" never holds: the request stays COMPLETE` {
		t.Errorf("the problem is %q", problem)
	}
	r.Press("a")
	if problem := r.Reply("all in progress for 3 days"); problem != "" {
		t.Errorf("every request: problem %q", problem)
	}
	r.Hear(session.WatchlistEvent{Watchlist: session.Watchlist{Rules: []alert.Rule{alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Complete}}}})
	asked := len(r.feed.Asked)
	r.Press("a")
	if problem := r.Reply("done"); problem != "" || len(r.feed.Asked) != asked {
		t.Errorf("calls %q, problem %s", r.feed.Asked[asked:], problem)
	}
	r.hears("The rule on Q3 flights already exists: becomes COMPLETE.")
}

func TestDurationRuleShowsHowLongStateWasSeen(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	f := lasting(2, "00m1")
	f.Since = uitest.Now.AddDate(0, 0, -14)
	r.Hear(session.AlertsEvent{Fired: []store.Alert{f}})
	if said := uitest.LastOf(r.Notified); said != "00m1: CLOSED for 14 days · seen CLOSED for 14d" {
		t.Errorf("notified %q", said)
	}
	f.Already = true
	r.Hear(session.AlertsEvent{Fired: []store.Alert{f}})
	if said := uitest.LastOf(r.Notified); said != "Already met: CLOSED for 14 days · 00m1 · rule added · seen CLOSED for 14d" {
		t.Errorf("notified %q", said)
	}
}

func TestStateChangeRulesDoNotNotifyTwice(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	reached := store.Alert{Rule: alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Complete}, ID: 1, Facts: alert.FactsOf(retirement.Complete)}
	r.Hear(session.AlertsEvent{Fired: []store.Alert{reached}})
	if len(r.Notified) != 0 {
		t.Errorf("notified %q", r.Notified)
	}
	reached.Already = true
	r.Hear(session.AlertsEvent{Fired: []store.Alert{reached}})
	if said := uitest.LastOf(r.Notified); said != "Already met: becomes COMPLETE · 00m1 · rule added" {
		t.Errorf("notified %q", said)
	}
	r.Hear(session.AlertsEvent{Fired: []store.Alert{lasting(2, "a"), lasting(3, "b"), lasting(4, "c"), lasting(5, "d")}})
	if said := uitest.LastOf(r.Notified); said != "4 rules on requests fired. w on the Market tab lists them." {
		t.Errorf("notified %q", said)
	}
}

func TestRequestWithFiredRuleIsMarkedUntilTabIsLeft(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(idA + " " + idB)
	r.found(uitest.Retirement(idA, retirement.Closed), uitest.Retirement(idB, retirement.Closed))
	marked := func(a, b bool) {
		t.Helper()
		for id, want := range map[string]bool{idA: a, idB: b} {
			if row := r.Line(id); strings.Contains(row, "●") != want {
				t.Errorf("row marked: %v, want %v: %s", !want, want, row)
			}
		}
	}
	r.tab.Handle(tab.Hidden{})
	seen := lasting(2, idA)
	r.Hear(session.AlertsEvent{Alerts: []store.Alert{seen}})
	r.enters()
	marked(true, false)
	seen.Seen = true
	r.Hear(session.AlertsEvent{Alerts: []store.Alert{lasting(3, idB), seen}})
	marked(true, true)
	r.tab.Handle(tab.Hidden{})
	r.enters()
	marked(false, false)
	already := lasting(4, idA)
	already.Already = true
	r.Hear(session.AlertsEvent{Alerts: []store.Alert{already}})
	marked(false, false)
}
