package retirement

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
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

// changed returns an alert with a change.
func changed(f store.Alert, change func(*store.Alert)) store.Alert {
	change(&f)
	return f
}

func already(f *store.Alert) { f.Already = true }

// fires sends alerts that fire now.
func fires(alerts ...store.Alert) func(r *robot) { return sends(session.AlertsEvent{Fired: alerts}) }

// tracks adds a labelled request to the ledger.
func tracks(status retirement.Status) func(r *robot) {
	return func(r *robot) {
		r.feed.Add(session.Entry{ID: "00m1", Label: "Q3 flights"})
		r.found(uitest.Retirement("00m1", status))
	}
}

func lastCall(want string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if last := uitest.LastOf(r.feed.Asked); last != want {
			r.T.Errorf("the last call is %q, want %q", last, want)
		}
	}
}

// notifies checks the last notification; "" is none.
func notifies(want string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if last := uitest.LastOf(r.Notified); last != want {
			r.T.Errorf("notified %q, want %q", r.Notified, want)
		}
	}
}

func badge(want string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := r.tab.Info().Badge; got != want {
			r.T.Errorf("the badge is %q, want %q", got, want)
		}
	}
}

// marked checks which of two requests have a mark in the ledger.
func marked(a, b bool) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		for id, want := range map[string]bool{idA: a, idB: b} {
			if row := r.Line(id); strings.Contains(row, "●") != want {
				r.T.Errorf("row marked: %v, want %v: %s", !want, want, row)
			}
		}
	}
}

var reached = store.Alert{Rule: alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Complete}, ID: 1, Facts: alert.FactsOf(retirement.Complete)}

var ruleJourneys = uitest.Journeys[*robot]{
	"a rule is on one request or on all": {
		{Keys: "a", Do: hears("No request is selected.")},
		{Do: tracks(retirement.Closed)},
		{Keys: "a", Reply: "closed for ever", Problem: `"ever" is no rule: write "changes", "COMPLETE" or "CLOSED for 14 days"`},
		{Keys: "a", Reply: "CLOSED for 14 days", Do: lastCall("add rule 00m1 CLOSED for 14 days")},
		{Do: hears("Rule added on Q3 flights: CLOSED for 14 days.")},
		{Keys: "a", Reply: "all complete", Do: lastCall("add rule  becomes COMPLETE")},
		{Do: hears("Rule added on every request: becomes COMPLETE.")},
	},
	"a useless or existing rule is not added": {
		{Do: tracks(retirement.Complete)},
		{Keys: "a", Reply: "in progress for 3 days", Problem: `"IN_PROGRESS for 3 days" never holds: the request stays COMPLETE`},
		{Keys: "a", Reply: "all in progress for 3 days", Do: lastCall("add rule  IN_PROGRESS for 3 days")},
		{Do: sends(session.WatchlistEvent{Watchlist: session.Watchlist{Rules: []alert.Rule{reached.Rule}}})},
		{Keys: "a", Reply: "done", Do: hears("The rule on Q3 flights already exists: becomes COMPLETE.")},
		{Do: lastCall("add rule  IN_PROGRESS for 3 days")},
	},
	"a fired rule has a badge until the tab is shown": {
		{Do: tracks(retirement.Closed)},
		{Do: leaves},
		{Do: sends(session.AlertsEvent{
			Fired:  []store.Alert{lasting(2, "00m1")},
			Alerts: []store.Alert{lasting(2, "00m1"), {Rule: alert.Rule{Vintage: uitest.Key("003bale", 0)}, ID: 1}},
		})},
		{Do: notifies("Q3 flights: CLOSED for 14 days · now CLOSED")},
		{Do: badge("•1")},
		{Do: (*robot).enters},
		{Do: hears("Q3 flights: CLOSED for 14 days · now CLOSED")},
		{Do: badge("")},
		{Do: calls("see request alerts 2", 1)},
		{Do: sends(session.AlertsEvent{Alerts: []store.Alert{lasting(3, "00m1")}})},
		{Do: badge("")},
		{Do: lastCall("see request alerts 3")},
	},
	"a duration rule shows how long the state was seen": {
		{Do: fires(changed(lasting(2, "00m1"), func(f *store.Alert) { f.Since = uitest.Now.AddDate(0, 0, -14) }))},
		{Do: notifies("00m1: CLOSED for 14 days · seen CLOSED for 14d")},
		{Do: fires(changed(lasting(2, "00m1"), func(f *store.Alert) { f.Since, f.Already = uitest.Now.AddDate(0, 0, -14), true }))},
		{Do: notifies("Already met: CLOSED for 14 days · 00m1 · rule added · seen CLOSED for 14d")},
	},
	// The change of the state has its own notification.
	"a rule on a change of state does not notify twice": {
		{Do: fires(reached)}, {Do: notifies("")},
		{Do: fires(changed(reached, already))}, {Do: notifies("Already met: becomes COMPLETE · 00m1 · rule added")},
	},
	"many rules are one notification": {
		{Do: fires(lasting(2, "a"), lasting(3, "b"), lasting(4, "c"), lasting(5, "d"))},
		{Do: notifies("4 rules on requests fired. w on the Market tab lists them.")},
	},
	"a request with a fired rule is marked until the tab is left": {
		{Do: finds(uitest.Retirement(idA, retirement.Closed), uitest.Retirement(idB, retirement.Closed))},
		{Do: leaves},
		{Do: sends(session.AlertsEvent{Alerts: []store.Alert{lasting(2, idA)}})},
		{Do: (*robot).enters},
		{Do: marked(true, false)},
		{Do: sends(session.AlertsEvent{Alerts: []store.Alert{lasting(3, idB), changed(lasting(2, idA), func(f *store.Alert) { f.Seen = true })}})},
		{Do: marked(true, true)},
		{Do: leaves},
		{Do: (*robot).enters},
		{Do: marked(false, false)},
		{Do: sends(session.AlertsEvent{Alerts: []store.Alert{changed(lasting(4, idA), already)}})},
		{Do: marked(false, false)},
	},
}

func TestRuleJourneys(t *testing.T) {
	t.Parallel()
	ruleJourneys.Each(t, func(t testing.TB) *robot { return newRobot(t, Options{}) })
}
