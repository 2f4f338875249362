package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// onRequest is a rule on a request, or on all if id is empty.
func onRequest(id, text string) alert.Rule {
	return must.Get(alert.ParseRequestRule(text)).OnRequest(id)
}

func (f *fixture) addRules(rules ...alert.Rule) {
	f.Helper()
	for _, r := range rules {
		f.ok(f.Alerts.AddRule(f.Context(), r))
	}
}

func (f *fixture) rules() []string { return each(must.Get(f.Alerts.Rules(f.Context())), ruleText) }

func ruleText(r alert.Rule) string {
	return strings.TrimSpace(r.Vintage.VintageID+r.Request) + " " + r.String()
}

func (f *fixture) alerts(after int64) []string {
	return each(must.Get(f.Alerts.After(f.Context(), after)), alertText)
}

func alertText(a Alert) string {
	was, is := facts(a.Was), facts(a.Facts)
	if a.Request != "" {
		was, is = string(a.Was.Status), string(a.Facts.Status)
	}
	text := fmt.Sprintf("%d %s: %s → %s", a.ID, ruleText(a.Rule), was, is)
	if !a.Since.IsZero() {
		text += " since " + clock(a.Since)
	}
	if a.Already {
		text += " already"
	}
	if a.Seen {
		text += " seen"
	}
	return text
}

// facts returns the best ask, and the price last paid if it is known.
func facts(of alert.Facts) string {
	if of.LastPaid == model.UnknownPrice {
		return prices(of.BestAsk)
	}
	return prices(of.BestAsk, of.LastPaid)
}

// ruleCheck is a check of the rules on vintages and what fires then.
type ruleCheck struct {
	// reopen opens the store again first.
	reopen bool
	after  time.Duration
	// ask and paid are unknown if they are 0.
	ask, paid model.PriceCents
	fires     string
}

// expectChecks checks the rules on vintages several times, and expects that all alerts are kept, also in memory.
func (f *fixture) expectChecks(checks ...ruleCheck) {
	f.Helper()
	var fired []string
	for _, c := range checks {
		if c.reopen {
			f.reopen()
		}
		known := alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: 5e6}
		if c.ask > 0 {
			known.BestAsk = c.ask
		}
		if c.paid > 0 {
			known.LastPaid = c.paid
		}
		got := f.checked(c.after, func(model.VintageKey) alert.Facts { return known })
		must.Equal(f, strings.Join(got, "\n"), c.fires, c)
		fired = append(fired, got...)
	}
	slices.Reverse(fired)
	must.Equal(f, f.alerts(0), fired)
	f.reopen()
	must.Equal(f, f.alerts(0), fired, "of another run")
	f.fail()
	must.Equal(f, f.alerts(0), fired, "in memory")
}

// checked returns the alerts of a check. Without facts it checks the rules on requests.
func (f *fixture) checked(after time.Duration, facts func(model.VintageKey) alert.Facts) []string {
	f.Helper()
	return each(must.Get(f.Alerts.Check(f.Context(), noon.Add(after), facts)), alertText)
}

func askOf(ask model.PriceCents) func(model.VintageKey) alert.Facts {
	facts := alert.Facts{BestAsk: ask, LastPaid: model.UnknownPrice, Available: 5e6}
	return func(model.VintageKey) alert.Facts { return facts }
}

func (f *fixture) watched() (ids []string) {
	for key := range must.Get(f.Alerts.Watched(f.Context())) {
		ids = append(ids, key.VintageID)
	}
	slices.Sort(ids)
	return ids
}

func TestWatchlistAndRules(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.ok(f.Alerts.Watch(ctx, bale, true), f.Alerts.Watch(ctx, bale, true))
	price, closed := rule("price < 6").On(bale), onRequest("00m1", "CLOSED")
	available := rule("available > 1000 t")
	f.addRules(price, price, available.On(bale), available.On(wind), closed, closed)
	f.ok(f.Alerts.RemoveRule(ctx, available.On(bale)), f.Of(demo).Alerts.RemoveRule(ctx, closed),
		f.Alerts.Watch(ctx, wind, false))
	must.Equal(t, f.watched(), []string{"004a"})
	must.Equal(t, f.rules(), []string{"004a best ask < $6.00", "00m1 becomes CLOSED"})
}

func TestAlertsOutliveTheirRule(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	first := []string{"1 004a best ask < $6.00: ? → 590 already"}
	f.addRules(rule("price < 6").On(bale))
	must.Equal(t, f.checked(0, askOf(590)), first)
	must.Equal(t, f.checked(minutes(1), askOf(580)), nil)
	must.Equal(t, each(must.Get(f.Alerts.Holding(ctx)), alertText), []string{"0 004a best ask < $6.00: 0 0 → 580"})
	f.ok(f.Alerts.Watch(ctx, bale, false))
	must.Equal(t, f.alerts(0), first)
	// A rule that is added again remembers nothing.
	f.addRules(rule("price < 6").On(bale))
	must.Equal(t, f.checked(minutes(2), askOf(590)), []string{"2 004a best ask < $6.00: ? → 590 already"})
}

func TestRuleThatFoundItsPriceIsRemovedAsItWasTyped(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("drops 10%").On(bale))
	f.checked(0, askOf(1000))
	must.Equal(t, f.rules(), []string{"004a drops 10.0% from $10.00"})
	f.addRules(rule("rises 10% from 10").On(bale))
	// A program with the old list removes it.
	f.ok(f.Alerts.RemoveRule(t.Context(), rule("drops 10%").On(bale)))
	must.Equal(t, f.rules(), []string{"004a rises 10.0% from $10.00"})
}

func TestRulesOnRequestsFireOncePerCrossing(t *testing.T) {
	f := fresh(t)
	f.addRules(onRequest("", "changes"), onRequest("", "COMPLETE"), onRequest("00m1", "CLOSED for 14 days"),
		onRequest("00m1", "CLOSED for 14 days"), onRequest("00m2", "COMPLETE"), onRequest("00m3", "changes"))
	f.remember(noon, "00m1", "00m2")
	f.answer("00m2", retirement.Complete, 0)
	const day = 24 * time.Hour
	var fired []string
	for _, c := range []struct {
		after  time.Duration
		status retirement.Status
		fires  []string
	}{
		{after: 0, status: retirement.Open, fires: []string{"1 00m2 becomes COMPLETE:  → COMPLETE already"}},
		{after: day, status: retirement.Closed, fires: []string{"2 00m1 changes state: OPEN → CLOSED"}},
		{after: 2 * day, status: retirement.Closed},
		{after: 14 * day, status: retirement.Closed},
		{
			after: 15 * day, status: retirement.Closed,
			fires: []string{"3 00m1 CLOSED for 14 days: CLOSED → CLOSED since Feb 9 12:00:00"},
		},
		{after: 16 * day, status: retirement.Closed},
		{
			after: 17 * day, status: retirement.InProgress,
			fires: []string{"4 00m1 changes state: CLOSED → IN_PROGRESS"},
		},
		{
			after: 17 * day, status: retirement.Complete, fires: []string{
				"5 00m1 becomes COMPLETE: IN_PROGRESS → COMPLETE", "6 00m1 changes state: IN_PROGRESS → COMPLETE",
			},
		},
		{after: 18 * day, status: retirement.Complete},
	} {
		f.answer("00m1", c.status, c.after)
		f.reopen()
		must.Equal(t, f.checked(c.after, nil), c.fires, c.after, c.status)
		fired = append(fired, c.fires...)
	}
	slices.Reverse(fired)
	must.Equal(t, f.alerts(0), fired)
	f.ok(f.Ledger.Remove(t.Context(), "00m1"))
	f.addRules(onRequest("00m1", "COMPLETE"))
	must.Equal(t, f.checked(19*day, nil), nil, "of a removed request")
}

func TestRuleOnLastPaidWaitsUntilItIsKnown(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("5% under last paid").On(bale))
	f.expectChecks(
		ruleCheck{after: minutes(0), ask: 570},
		ruleCheck{after: minutes(1), ask: 570, paid: 600, fires: "1 004a ≥ 5.0% under last paid: ? → 570 600 already"},
		ruleCheck{after: minutes(2), ask: 560, paid: 600},
		// Last paid is lost, and found again: no crossing.
		ruleCheck{after: minutes(3), ask: 560},
		ruleCheck{after: minutes(4), ask: 560, paid: 600},
		ruleCheck{after: minutes(5), ask: 600, paid: 600, reopen: true},
		ruleCheck{after: minutes(6), ask: 570, paid: 600, fires: "2 004a ≥ 5.0% under last paid: 600 600 → 570 600"},
		// Nothing is for sale, and then a cheap offer.
		ruleCheck{after: minutes(7), paid: 600},
		ruleCheck{after: minutes(8), ask: 500, paid: 600, fires: "3 004a ≥ 5.0% under last paid: ? 600 → 500 600"},
	)
}

func TestRuleFiresOncePerCrossing(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("price < 6").On(bale))
	f.ok(f.Of(demo).Alerts.AddRule(t.Context(), rule("price < 6").On(bale)))
	f.expectChecks(
		ruleCheck{after: minutes(0), ask: 620},
		ruleCheck{after: minutes(1), ask: 590, fires: "1 004a best ask < $6.00: 620 → 590"},
		ruleCheck{after: minutes(2), ask: 580, reopen: true},
		ruleCheck{after: minutes(3), ask: 620},
		ruleCheck{after: minutes(4), ask: 590, fires: "2 004a best ask < $6.00: 620 → 590"},
	)
	must.Equal(t, each(must.Get(f.Alerts.Holding(t.Context())), alertText),
		[]string{"0 004a best ask < $6.00: 0 0 → 590"})
}

func TestMoveStartsFromTheFirstPrice(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("drops 10%").On(bale))
	f.expectChecks(
		ruleCheck{after: minutes(0)},
		ruleCheck{after: minutes(1), ask: 1000},
		ruleCheck{after: minutes(2), ask: 901},
		ruleCheck{after: minutes(3), ask: 900, reopen: true, fires: "1 004a drops 10.0% from $10.00: 901 → 900"},
		ruleCheck{after: minutes(4), ask: 800},
		ruleCheck{after: minutes(5), ask: 950},
		ruleCheck{after: minutes(6), ask: 900, fires: "2 004a drops 10.0% from $10.00: 950 → 900"},
	)
	must.Equal(t, f.rules(), []string{"004a drops 10.0% from $10.00"})
}

func TestAlertAfterGapSaysSinceWhen(t *testing.T) {
	f := fresh(t)
	f.addRules(rule("price < 6").On(bale))
	f.expectChecks(
		ruleCheck{after: minutes(0), ask: 590, fires: "1 004a best ask < $6.00: ? → 590 already"},
		ruleCheck{after: minutes(1), ask: 620},
		ruleCheck{after: minutes(2), ask: 590, fires: "2 004a best ask < $6.00: 620 → 590"},
		ruleCheck{after: minutes(3), ask: 620},
		ruleCheck{after: minutes(6), ask: 590, fires: "3 004a best ask < $6.00: 620 → 590 since Feb 8 12:03:00"},
	)
}

func TestMemoryHasRulesAlertsAndValuesOfFileThatFails(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.addRules(rule("price < 6").On(bale), onRequest("", "changes"))
	fired := f.checked(0, askOf(590))
	must.Equal(t, fired, []string{"1 004a best ask < $6.00: ? → 590 already"})
	f.ok(f.History.KeepValues(ctx, valued(0, 7)))
	f.fail()
	must.Equal(t, f.rules(), []string{"004a best ask < $6.00", " changes state"})
	must.Equal(t, f.alerts(0), fired)
	must.Equal(t, f.worth(), []model.Cents{7})
	must.Equal(t, f.checked(minutes(1), askOf(590)), nil)
}

func TestAlertsAreSeen(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	f.addRules(rule("price < 6").On(bale), onRequest("00m1", "CLOSED"))
	for minute, ask := range []model.PriceCents{590, 620, 590, 620, 590} {
		f.checked(minutes(minute), askOf(ask))
	}
	f.remember(noon, "00m1")
	f.answer("00m1", retirement.Closed, 0)
	must.Equal(t, f.checked(minutes(5), nil), []string{"4 00m1 becomes CLOSED:  → CLOSED already"})
	f.ok(f.Alerts.See(ctx, 2, false), f.Of(demo).Alerts.See(ctx, 3, false), f.Alerts.See(ctx, 4, true))
	want := []string{
		"4 00m1 becomes CLOSED:  → CLOSED already seen",
		"3 004a best ask < $6.00: 620 → 590",
		"2 004a best ask < $6.00: 620 → 590 seen",
		"1 004a best ask < $6.00: ? → 590 already seen",
	}
	must.Equal(t, f.alerts(0), want)
	must.Equal(t, f.alerts(2), want[:2])
}
