package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
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

func TestWatchListAndRules(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	deep := rule("available > 1000 t")
	f.ok(f.Alerts.Watch(ctx, bale, true), f.Alerts.Watch(ctx, bale, true))
	f.addRules(cheap, cheap, deep.On(bale), deep.On(wind), closed, closed)
	f.ok(f.Alerts.RemoveRule(ctx, deep.On(bale)), f.Of(demo).Alerts.RemoveRule(ctx, closed), f.Alerts.Watch(ctx, wind, false))
	watched := must.Get(f.Alerts.Watched(ctx))
	must.Hold(t, len(watched) == 1 && watched[bale] && slices.Equal(f.rules(), []alert.Rule{cheap, closed}), watched, f.rules())
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

// price reads a price in cents, or a question mark.
func price(text string) model.PriceCents {
	if n, err := model.ParseDigits(text); err == nil {
		return model.PriceCents(n)
	}
	return model.UnknownPrice
}

func TestRuleFiresOncePerCrossing(t *testing.T) {
	texttest.Table(t, "crossings", func(text string) string {
		f := fresh(t)
		typed, steps, _ := strings.Cut(text, ": ")
		f.addRules(rule(typed).On(bale))
		var line []string
		var all []Alert
		for n, step := range strings.Fields(steps) {
			if n%2 == 1 {
				f.reopen()
			}
			at := noon.Add(minutes(n))
			if late, rest, ok := strings.Cut(step, "@"); ok {
				at, step = noon.Add(minutes(must.Get(strconv.Atoi(late)))), rest
			}
			ask, paid, _ := strings.Cut(step, "/")
			facts := alert.Facts{BestAsk: price(ask), LastPaid: price(paid), Available: 5e6}
			says := "no"
			for _, a := range must.Get(f.Alerts.Check(t.Context(), at, func(model.VintageKey) alert.Facts { return facts })) {
				must.Hold(t, a.Facts == facts && a.At.Equal(at), text, a)
				says = strings.Replace(fmt.Sprint("from ", a.Was.BestAsk), "-1", "?", 1)
				if a.Already {
					says += " already"
				}
				if !a.Since.IsZero() {
					says += fmt.Sprint(" since ", int(a.Since.Sub(noon).Minutes()))
				}
				a.Since = a.Since.UTC()
				all = slices.Insert(all, 0, a)
			}
			line = append(line, says)
		}
		for _, lose := range []func(){f.reopen, f.fail} {
			lose()
			must.Equal(t, f.alerts(), all, text)
		}
		return strings.Join(line, ", ") + "; " + f.rules()[0].String()
	})
}

func TestAlertsOutliveTheirRule(t *testing.T) {
	f := fresh(t)
	f.addRules(cheap)
	f.ok(f.Of(demo).Alerts.AddRule(t.Context(), cheap))
	f.check(noon, 590)
	f.check(noon, 580)
	holding := must.Get(f.Alerts.Holding(t.Context()))
	must.Hold(t, len(holding) == 1 && holding[0].Rule == cheap && holding[0].Facts.BestAsk == 580, "true are", holding)
	f.ok(f.Alerts.Watch(t.Context(), bale, false))
	must.Equal(t, len(f.alerts()), 1)
	f.addRules(cheap)
	fired := f.check(noon, 590)
	must.Hold(t, len(fired) == 1 && fired[0].Already, "a rule that is added again remembers", fired)
}

func TestARuleThatFoundItsPriceIsRemovedAsItWasTyped(t *testing.T) {
	f := fresh(t)
	waits := rule("drops 10%").On(bale)
	f.addRules(waits)
	f.check(noon, 1000)
	f.addRules(rule("rises 10% from 10").On(bale))
	f.ok(f.Alerts.RemoveRule(t.Context(), waits))
	rules := f.rules()
	must.Hold(t, len(rules) == 1 && rules[0].Measure == alert.Rises, "a program with the old list leaves", rules)
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
