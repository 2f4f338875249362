package cli

import (
	"testing"
	"time"

	"tonne/api/marketplace/demo"
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
