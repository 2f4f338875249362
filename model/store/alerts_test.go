package store

import (
	"fmt"
	"slices"
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
	return must.Get(f.Alerts.After(f.Context(), 0))
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

func TestWatchListAndRules(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	deep := rule("available > 1000 t")
	f.ok(f.Alerts.Watch(ctx, bale, true), f.Alerts.Watch(ctx, bale, true))
	f.addRules(cheap, cheap, deep.On(bale), deep.On(wind), closed, closed)
	f.ok(f.Alerts.RemoveRule(ctx, deep.On(bale)), f.Of(demo).Alerts.RemoveRule(ctx, closed), f.Alerts.Watch(ctx, wind, false))
	watched := must.Get(f.Alerts.Watched(ctx))
	must.Hold(t, len(watched) == 1 && watched[bale] && slices.Equal(f.rules(), []alert.Rule{cheap, closed}), watched, f.rules())
}

func TestRuleFiresOncePerCrossing(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("5% under last paid").On(bale))
	unknown := model.UnknownPrice
	for step, c := range []struct {
		ask, paid model.PriceCents
		fires     bool
		why       string
	}{
		{570, unknown, false, "last paid is not known yet"},
		{570, 600, true, "it is true at its first check"},
		{560, 600, false, "it is still true"},
		{560, unknown, false, "last paid is lost"},
		{560, 600, false, "and found again: no crossing"},
		{600, 600, false, "it is no longer true"},
		{570, 600, true, "and again"},
		{unknown, 600, false, "nothing is for sale"},
		{500, 600, true, "a cheap offer"},
	} {
		if step%2 == 0 {
			f.reopen()
		}
		fired := must.Get(f.Alerts.Check(t.Context(), noon, func(model.VintageKey) alert.Facts { return alert.Facts{BestAsk: c.ask, LastPaid: c.paid} }))
		must.Equal(t, len(fired) == 1, c.fires, step, c.why, fired)
	}
}

func TestAlertHasFactsBeforeAndAfter(t *testing.T) {
	f := fresh(t)
	f.addRules(cheap)
	f.ok(f.Of(demo).Alerts.AddRule(t.Context(), cheap))
	f.check(noon, 620)
	fired := f.check(noon.Add(minutes(1)), 590)
	f.check(noon.Add(minutes(2)), 580)
	f.reopen()
	want := Alert{Rule: cheap, ID: 1, At: noon.Add(minutes(1))}
	want.Facts = alert.Facts{BestAsk: 590, LastPaid: model.UnknownPrice, Available: 5e6}
	want.Was = alert.Facts{BestAsk: 620, LastPaid: model.UnknownPrice, Available: 5e6}
	for _, all := range [][]Alert{f.alerts(), fired} {
		if len(all) == 1 {
			all[0].At = all[0].At.UTC()
		}
		must.Equal(t, all, []Alert{want}, want)
	}
	holding := must.Get(f.Alerts.Holding(t.Context()))
	must.Hold(t, len(holding) == 1 && holding[0].Rule == cheap && holding[0].Facts.BestAsk == 580, "true are", holding)
}

func TestRuleThatIsTrueAlready(t *testing.T) {
	f := fresh(t)
	f.addRules(cheap)
	for step, c := range []struct {
		ask            model.PriceCents
		fires, already bool
	}{{590, true, true}, {620, false, false}, {590, true, false}} {
		fired := f.check(noon, c.ask)
		must.Hold(t, len(fired) == 1 == c.fires && (!c.fires || fired[0].Already == c.already), "step", step, fired)
	}
	f.ok(f.Alerts.Watch(t.Context(), bale, false))
	all := f.alerts()
	must.Hold(t, len(all) == 2 && !all[0].Already && all[1].Already, "alerts outlive their rule", all)
	f.addRules(cheap)
	if fired := f.check(noon, 590); len(fired) != 1 || !fired[0].Already {
		t.Errorf("a rule that is added again remembers: %+v", fired)
	}
}

func TestMoveStartsFromTheFirstPrice(t *testing.T) {
	f := fresh(t)
	waits := rule("drops 10%").On(bale)
	f.addRules(waits)
	for step, c := range []struct {
		ask   model.PriceCents
		fires int
	}{{model.UnknownPrice, 0}, {1000, 0}, {901, 0}, {900, 1}, {800, 0}, {950, 0}, {900, 1}} {
		must.Equal(t, len(f.check(noon, c.ask)), c.fires, step)
	}
	rules := f.rules()
	must.Hold(t, len(rules) == 1 && rules[0].String() == "drops 10.0% from $10.00", rules)
	f.addRules(rule("rises 10% from 10").On(bale))
	f.ok(f.Alerts.RemoveRule(t.Context(), waits))
	rules = f.rules()
	must.Hold(t, len(rules) == 1 && rules[0].Measure == alert.Rises, "a program with the old list leaves", rules)
}

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

func TestAlertAfterAGapSaysSinceWhen(t *testing.T) {
	f := fresh(t)
	f.addRules(cheap)
	for _, c := range []struct {
		minute int
		ask    model.PriceCents
		since  time.Time
	}{{0, 590, time.Time{}}, {1, 620, time.Time{}}, {2, 590, time.Time{}}, {3, 620, time.Time{}}, {6, 590, noon.Add(minutes(3))}} {
		fired := f.check(noon.Add(minutes(c.minute)), c.ask)
		must.Hold(t, c.ask != 590 || (len(fired) == 1 && fired[0].Since.Equal(c.since)), "minute", c.minute, fired)
	}
	f.reopen()
	for range 2 {
		all := f.alerts()
		must.Hold(t, len(all) == 3 && all[0].Since.Equal(noon.Add(minutes(3))) && all[1].Since.IsZero(), all)
		f.fail()
	}
}

func TestRulesOnRequestsFireOncePerCrossing(t *testing.T) {
	f := fresh(t)
	day := func(n int) time.Time { return noon.Add(time.Duration(n) * 24 * time.Hour) }
	for _, a := range []struct{ request, rule string }{{"", "changes"}, {"", "COMPLETE"}, {"00m1", "CLOSED for 14 days"}, {"00m2", "COMPLETE"}, {"00m3", "changes"}} {
		r := must.Get(alert.ParseRequestRule(a.rule)).OnRequest(a.request)
		f.addRules(r, r)
	}
	f.remember(day(0), "00m1", "00m2")
	f.answer("00m2", retirement.Complete, day(0))
	for step, c := range []struct {
		day    int
		status retirement.Status
		want   string
	}{
		{0, retirement.Open, "[00m2 becomes COMPLETE  → COMPLETE true]"},
		{1, retirement.Closed, "[00m1 changes state OPEN → CLOSED false]"},
		{2, retirement.Closed, "[]"},
		{14, retirement.Closed, "[]"},
		{15, retirement.Closed, "[00m1 CLOSED for 14 days CLOSED → CLOSED false]"},
		{16, retirement.Closed, "[]"},
		{17, retirement.InProgress, "[00m1 changes state CLOSED → IN_PROGRESS false]"},
		{17, retirement.Complete, "[00m1 becomes COMPLETE IN_PROGRESS → COMPLETE false 00m1 changes state IN_PROGRESS → COMPLETE false]"},
		{18, retirement.Complete, "[]"},
	} {
		f.answer("00m1", c.status, day(c.day))
		f.reopen()
		var fired []string
		for _, a := range f.checkRequests(day(c.day)) {
			fired = append(fired, fmt.Sprintf("%s %s %s → %s %t", a.Request, a.Rule, a.Was.Status, a.Facts.Status, a.Already))
		}
		must.Equal(t, fmt.Sprint(fired), c.want, step, fired)
	}
	all := f.alerts()
	must.Hold(t, len(all) == 6 && all[3].Since.Equal(day(1)) && all[2].Since.IsZero() && all[0].Request == "00m1" && !all[0].Facts.BestAsk.Known() && all[5].Request == "00m2", all)
	f.ok(f.Ledger.Remove(t.Context(), "00m1"))
	f.addRules(alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Complete})
	must.Equal(t, len(f.checkRequests(day(19))), 0, "of a removed request")
}
