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
	must(t, s.Of(production).Alerts.Watch(ctx, bale, true))
	must(t, s.Of(production).Alerts.Watch(ctx, bale, true))
	must(t, s.Of(production).Alerts.Watch(ctx, wind, true))
	must(t, s.Of(production).Alerts.Watch(ctx, wind, false))
	watched, err := s.Of(production).Alerts.Watched(ctx)
	if must(t, err); len(watched) != 1 || !watched[bale] {
		t.Errorf("%v", watched)
	}
}

func TestRulesComeAndGoWithTheWatchedVintage(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx := t.Context()
	cheap, deep := rule(t, "ask <= 6"), rule(t, "available > 1000 t")
	must(t, s.Of(production).Alerts.AddRule(ctx, cheap.On(bale)))
	must(t, s.Of(production).Alerts.AddRule(ctx, cheap.On(bale)))
	must(t, s.Of(production).Alerts.AddRule(ctx, deep.On(bale)))
	must(t, s.Of(production).Alerts.AddRule(ctx, deep.On(wind)))
	must(t, s.Of(production).Alerts.RemoveRule(ctx, deep.On(bale)))
	must(t, s.Of(production).Alerts.Watch(ctx, wind, false))
	alerts, err := s.Of(production).Alerts.Rules(ctx)
	if must(t, err); len(alerts) != 1 || alerts[0] != (cheap.On(bale)) {
		t.Errorf("%+v", alerts)
	}
}

func TestAnAlertIsRaisedOncePerCrossing(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	ctx := t.Context()
	must(t, s.Of(production).Alerts.AddRule(ctx, rule(t, "5% under last paid").On(bale)))
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
		crossed, err := s.Of(production).Alerts.Check(ctx, noon, func(model.VintageKey) alert.Facts {
			return alert.Facts{BestAsk: c.ask, LastPaid: c.paid}
		})
		if must(t, err); len(crossed) == 1 != c.raised {
			t.Errorf("step %d, %s: raised %v", step, c.why, crossed)
		}
	}
}
