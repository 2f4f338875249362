package store

import (
	"testing"

	"tonne/model"
	"tonne/model/alert"
)

func TestTheWatchList(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	must(t, s.SetWatched(ctx, production, bale, true))
	must(t, s.SetWatched(ctx, production, bale, true))
	must(t, s.SetWatched(ctx, production, wind, true))
	must(t, s.SetWatched(ctx, production, wind, false))
	watched, err := s.Watched(ctx, production)
	if must(t, err); len(watched) != 1 || !watched[bale] {
		t.Errorf("%v", watched)
	}
}

func TestRulesComeAndGoWithTheWatchedVintage(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	cheap, deep := rule(t, "ask <= 6"), rule(t, "available > 1000 t")
	must(t, s.AddRule(ctx, production, Alert{Vintage: bale, Rule: cheap}))
	must(t, s.AddRule(ctx, production, Alert{Vintage: bale, Rule: cheap}))
	must(t, s.AddRule(ctx, production, Alert{Vintage: bale, Rule: deep}))
	must(t, s.AddRule(ctx, production, Alert{Vintage: wind, Rule: deep}))
	must(t, s.RemoveRule(ctx, production, Alert{Vintage: bale, Rule: deep}))
	must(t, s.SetWatched(ctx, production, wind, false))
	alerts, err := s.Alerts(ctx, production)
	if must(t, err); len(alerts) != 1 || alerts[0] != (Alert{Vintage: bale, Rule: cheap}) {
		t.Errorf("%+v", alerts)
	}
}

func TestAnAlertIsRaisedOncePerCrossing(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	ctx := t.Context()
	must(t, s.AddRule(ctx, production, Alert{Vintage: bale, Rule: rule(t, "5% under last paid")}))
	unknown := model.UnknownPrice
	for step, c := range []struct {
		ask, paid model.PriceCents
		raised    bool
		why       string
	}{
		{570, unknown, false, "last paid is not known yet"},
		{570, 600, true, "it holds when it is first checked"},
		{560, 600, false, "it still holds"},
		{560, unknown, false, "last paid is lost"},
		{560, 600, false, "and found again: no crossing"},
		{600, 600, false, "it holds no more"},
		{570, 600, true, "and again"},
		{unknown, 600, false, "nobody sells"},
		{500, 600, true, "somebody sells cheap"},
	} {
		if step%2 == 0 {
			// A restart changes nothing.
			must(t, s.Close())
			s = opened(t, path)
		}
		crossed, err := s.Crossed(ctx, production, noon, func(model.VintageKey) alert.Facts {
			return alert.Facts{BestAsk: c.ask, LastPaid: c.paid}
		})
		if must(t, err); len(crossed) == 1 != c.raised {
			t.Errorf("step %d, %s: raised %v", step, c.why, crossed)
		}
	}
}
