package store

import (
	"fmt"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
)

// holdAgainst checks the rules of the store with one best ask.
func holdAgainst(t *testing.T, s *Store, at time.Time, ask model.PriceCents) []Alert {
	t.Helper()
	crossed, err := s.Of(production).Alerts.Check(t.Context(), at, func(model.VintageKey) alert.Facts {
		return alert.Facts{BestAsk: ask, LastPaid: model.UnknownPrice, Available: 5e6}
	})
	must(t, err)
	return crossed
}

func history(t *testing.T, s *Store) []Alert {
	t.Helper()
	all, err := s.Of(production).Alerts.After(t.Context(), 0)
	must(t, err)
	return all
}

func TestTheHistoryTellsWhatFiredWithTheValuesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	must(t, s.Of(demo).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	holdAgainst(t, s, noon, 620)
	crossed := holdAgainst(t, s, noon.Add(minutes(1)), 590)
	holdAgainst(t, s, noon.Add(minutes(2)), 580)
	must(t, s.Close())
	s = opened(t, path)
	got := history(t, s)
	want := Alert{
		Rule:  rule(t, "price < 6").On(bale),
		ID:    1,
		At:    noon.Add(minutes(1)).Local(),
		Facts: alert.Facts{BestAsk: 590, LastPaid: model.UnknownPrice, Available: 5e6},
		Was:   alert.Facts{BestAsk: 620, LastPaid: model.UnknownPrice, Available: 5e6},
	}
	if len(got) != 1 || !got[0].At.Equal(want.At) {
		t.Fatalf("%+v", got)
	}
	if want.At = got[0].At; got[0] != want {
		t.Errorf("%+v\nwant\n%+v", got[0], want)
	}
	if len(crossed) != 1 || crossed[0].Facts != want.Facts || crossed[0].Was != want.Was || crossed[0].ID != 1 {
		t.Errorf("%+v", crossed)
	}
}

func TestARuleThatHoldsAlreadyIsToldApart(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	for step, c := range []struct {
		ask     model.PriceCents
		already bool
		fires   bool
	}{{590, true, true}, {620, false, false}, {590, false, true}} {
		crossed := holdAgainst(t, s, noon, c.ask)
		if len(crossed) == 1 != c.fires || c.fires && crossed[0].Already != c.already {
			t.Errorf("step %d: %+v", step, crossed)
		}
	}
	if got := history(t, s); len(got) != 2 || got[0].Already || !got[1].Already {
		t.Errorf("%+v", got)
	}
}

func TestAMoveStartsFromTheFirstPriceThatIsSeen(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	waits := rule(t, "drops 10%")
	must(t, s.Of(production).Alerts.AddRule(ctx, waits.On(bale)))
	for step, c := range []struct {
		ask   model.PriceCents
		fires int
	}{{model.UnknownPrice, 0}, {1000, 0}, {901, 0}, {900, 1}, {800, 0}, {950, 0}, {900, 1}} {
		if crossed := holdAgainst(t, s, noon, c.ask); len(crossed) != c.fires {
			t.Errorf("step %d: %+v", step, crossed)
		}
	}
	alerts, err := s.Of(production).Alerts.Rules(ctx)
	if must(t, err); len(alerts) != 1 || alerts[0].String() != "drops 10.0% from $10.00" {
		t.Errorf("%+v", alerts)
	}
	must(t, s.Of(production).Alerts.AddRule(ctx, rule(t, "rises 10% from 10").On(bale)))
	must(t, s.Of(production).Alerts.RemoveRule(ctx, waits.On(bale)))
	alerts, err = s.Of(production).Alerts.Rules(ctx)
	if must(t, err); len(alerts) != 1 || alerts[0].Measure != alert.Rises {
		t.Errorf("a program with the old list removes %+v", alerts)
	}
}

func TestTheHistoryIsSeenAndBounded(t *testing.T) {
	t.Parallel()
	s := opened(t, "")
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	for range alertsKept + 5 {
		holdAgainst(t, s, noon, 620)
		holdAgainst(t, s, noon, 590)
	}
	got := history(t, s)
	if len(got) != alertsKept || got[0].ID != alertsKept+5 || got[alertsKept-1].ID != 6 {
		t.Fatalf("%d entries, the first %+v", len(got), got[0])
	}
	must(t, s.Of(production).Alerts.See(t.Context(), 8, false))
	must(t, s.Of(demo).Alerts.See(t.Context(), alertsKept+5, false))
	seen := 0
	for _, f := range history(t, s) {
		if f.Seen {
			seen++
		}
	}
	if seen != 3 {
		t.Errorf("%d are seen", seen)
	}
}

func TestAnEntryOutlivesItsRuleAndWatch(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	holdAgainst(t, s, noon, 590)
	must(t, s.Of(production).Alerts.Watch(t.Context(), bale, false))
	if got := history(t, s); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	if crossed := holdAgainst(t, s, noon, 590); len(crossed) != 1 || !crossed[0].Already {
		t.Errorf("a rule that is set again remembers: %+v", crossed)
	}
}

// answer records an answer of a request.
func answer(t *testing.T, s *Store, id string, status retirement.Status, at time.Time) {
	t.Helper()
	must(t, s.Of(production).Ledger.Remember(t.Context(), at, id))
	must(t, s.Of(production).Ledger.Record(t.Context(), LookUp{ID: id, At: at, Answer: &retirement.Request{ID: id, Status: status}}))
}

func TestRulesOnRequestsFireOncePerCrossing(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	day := func(n int) time.Time { return noon.Add(time.Duration(n) * 24 * time.Hour) }
	for _, a := range []struct{ request, rule string }{{"", "changes"}, {"", "COMPLETE"}, {"00m1", "CLOSED for 14 days"}, {"00m2", "COMPLETE"}, {"00m3", "changes"}} {
		r, err := alert.ParseRequestRule(a.rule)
		must(t, err)
		must(t, s.Of(production).Alerts.AddRule(t.Context(), r.OnRequest(a.request)))
		must(t, s.Of(production).Alerts.AddRule(t.Context(), r.OnRequest(a.request)))
	}
	answer(t, s, "00m1", retirement.Open, day(0))
	answer(t, s, "00m2", retirement.Complete, day(0))
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
		answer(t, s, "00m1", c.status, day(c.day))
		must(t, s.Close())
		s = opened(t, path)
		crossed, err := s.Of(production).Alerts.Check(t.Context(), day(c.day), nil)
		must(t, err)
		var got []string
		for _, f := range crossed {
			got = append(got, fmt.Sprintf("%s %s %s → %s %t", f.Request, f.Rule, f.Was.Status, f.Facts.Status, f.Already))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("step %d: %v, want %s", step, got, c.want)
		}
	}
	if all := history(t, s); len(all) != 6 || !all[3].Since.Equal(day(1)) || !all[2].Since.IsZero() || all[0].Request != "00m1" || all[0].Facts.BestAsk.Known() || all[5].Request != "00m2" {
		t.Errorf("%+v", all)
	}
}

func TestRulesOnRequestsComeAndGo(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	a, b := alert.Rule{Request: "", Measure: alert.State}, alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Closed}
	must(t, s.Of(production).Alerts.AddRule(ctx, a))
	must(t, s.Of(production).Alerts.AddRule(ctx, b))
	answer(t, s, "00m1", retirement.Closed, noon)
	if crossed, err := s.Of(production).Alerts.Check(ctx, noon, nil); err != nil || len(crossed) != 1 {
		t.Errorf("%+v, %v", crossed, err)
	}
	must(t, s.Of(production).Ledger.Remove(ctx, "00m1"))
	must(t, s.Of(production).Alerts.RemoveRule(ctx, a))
	must(t, s.Of(demo).Alerts.RemoveRule(ctx, b))
	alerts, err := s.Of(production).Alerts.Rules(ctx)
	if must(t, err); len(alerts) != 1 || alerts[0] != b {
		t.Errorf("%+v", alerts)
	}
	if crossed, err := s.Of(production).Alerts.Check(ctx, noon, nil); err != nil || len(crossed) != 0 {
		t.Errorf("of a request that is gone: %+v, %v", crossed, err)
	}
}

func TestTheHistoryOfRequestsIsSeenByItself(t *testing.T) {
	t.Parallel()
	s := opened(t, "")
	ctx := t.Context()
	must(t, s.Of(production).Alerts.AddRule(ctx, rule(t, "price < 6").On(bale)))
	holdAgainst(t, s, noon, 590)
	must(t, s.Of(production).Ledger.Remember(ctx, noon, "00m1"))
	must(t, s.Of(production).Ledger.Record(ctx, LookUp{ID: "00m1", At: noon, Answer: &retirement.Request{ID: "00m1", Status: retirement.Closed}}))
	must(t, s.Of(production).Alerts.AddRule(ctx, alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Closed}))
	_, err := s.Of(production).Alerts.Check(ctx, noon, nil)
	must(t, err)
	must(t, s.Of(production).Alerts.See(ctx, 2, true))
	if got := history(t, s); len(got) != 2 || !got[0].Seen || got[1].Seen {
		t.Errorf("%+v", got)
	}
}
