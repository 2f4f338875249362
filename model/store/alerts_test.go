package store

import (
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func (f *fixture) check(at time.Time, ask model.PriceCents) []Alert {
	f.Helper()
	return must.Get(f.Alerts.Check(f.Context(), at, func(model.VintageKey) alert.Facts {
		return alert.Facts{BestAsk: ask, LastPaid: model.UnknownPrice, Available: 5e6}
	}))
}

func (f *fixture) checkRequests(at time.Time) []Alert {
	f.Helper()
	return must.Get(f.Alerts.Check(f.Context(), at, nil))
}

func (f *fixture) alerts() []Alert {
	f.Helper()
	all := must.Get(f.Alerts.After(f.Context(), 0))
	for i := range all {
		all[i].At, all[i].Since = all[i].At.UTC(), all[i].Since.UTC()
	}
	return all
}

func (f *fixture) addRules(rules ...alert.Rule) {
	f.Helper()
	for _, r := range rules {
		f.ok(f.Alerts.AddRule(f.Context(), r))
	}
}

func (f *fixture) rules() []alert.Rule { return must.Get(f.Alerts.Rules(f.Context())) }

var (
	cheap  = rule("price < 6").On(bale)
	closed = alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Closed}
)

func TestAlertsAreBoundedAndSeen(t *testing.T) {
	f := opened(t, "")
	f.addRules(cheap, closed)
	for range alertsKept + 5 {
		f.check(noon, 620)
		f.check(noon, 590)
	}
	all := f.alerts()
	must.Need(t, len(all) == alertsKept && all[0].ID == alertsKept+5 && all[alertsKept-1].ID == 6, len(all), all[0])
	f.remember(noon, "00m1")
	f.answer("00m1", retirement.Closed, noon)
	f.checkRequests(noon)
	f.ok(f.Alerts.See(t.Context(), 8, false), f.Of(demo).Alerts.See(t.Context(), alertsKept+5, false), f.Alerts.See(t.Context(), alertsKept+6, true))
	var seen []int64
	for _, a := range f.alerts() {
		if a.Seen {
			seen = append(seen, a.ID)
		}
	}
	must.Equal(t, seen, []int64{alertsKept + 6, 8, 7})
}
