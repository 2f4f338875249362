package cli

import (
	"testing"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/store"
)

// The prices of the past end some minutes before the demo begins: that is no time
// in which nobody looked.
func TestADemoBeginsWithoutAGap(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	d := &demoMarket{baseURL: baseURL, store: store.Open(""), prices: []demo.Price{
		{Vintage: watchedVintage, At: now.Add(-48 * time.Hour), BestAsk: 600, Available: 1e6},
		{Vintage: watchedVintage, At: now.Add(-20 * time.Minute), BestAsk: 610, Available: 1e6},
	}}
	t.Cleanup(func() { _ = d.store.Close() })
	err := d.recordPast(t.Context(), now)
	if err == nil {
		err = d.store.Observe(t.Context(), baseURL, []store.Observation{{Vintage: watchedVintage, At: now.Add(time.Second), BestAsk: 620, Available: 1e6}})
	}
	gaps, failed := d.store.Gaps(t.Context(), baseURL, time.Time{})
	if err != nil || failed != nil || len(gaps) != 0 {
		t.Errorf("%v, %v: nobody looked in %v", err, failed, gaps)
	}
}

// A demo answers what fired while nobody looked.
func TestADemoHasRulesThatHeldMeanwhileAndOneThatWaits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	var prices []demo.Price
	for project, last := range map[string]model.PriceCents{"003a": 590, "003b": 580, "003c": 640, "003d": 570} {
		for n, ask := range []model.PriceCents{600, last} {
			prices = append(prices, demo.Price{
				Vintage: model.VintageKey{ProjectID: project, VintageID: "004"}, At: now.Add(time.Duration(n-3) * time.Hour), BestAsk: ask, Available: 1e6,
			})
		}
	}
	d := &demoMarket{baseURL: baseURL, store: store.Open(""), prices: prices}
	t.Cleanup(func() { _ = d.store.Close() })
	if err := d.recordRules(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	fired, err := d.store.History(t.Context(), baseURL)
	if err != nil || len(fired) != heldMeanwhile {
		t.Fatalf("%v, %+v", err, fired)
	}
	for _, f := range fired {
		if f.Already || f.Seen || !f.Since.IsZero() || !f.At.Equal(now.Add(-2*time.Hour)) || f.Was.BestAsk != 600 || f.Facts.BestAsk >= 600 {
			t.Errorf("%+v", f)
		}
	}
	alerts, err := d.store.Alerts(t.Context(), baseURL)
	waits := 0
	for _, a := range alerts {
		if !a.Holds {
			waits++
		}
	}
	if err != nil || len(alerts) != heldMeanwhile+stillWaiting || waits != stillWaiting {
		t.Errorf("%v, %+v", err, alerts)
	}
}
