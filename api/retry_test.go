package api_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func counted(h http.Handler, count *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		h.ServeHTTP(w, r)
	})
}

func TestDeadServerIsNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		c := newClient(t, counted(apitest.Status(503, ``), &tries), retries(100))
		const calls = 50
		for range calls {
			go func() { _, _, _ = c.MarketPage(t.Context(), api.MarketQuery{}) }()
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		// One try a call, a burst of 20 and one more each two seconds.
		n := tries.Load()
		must.Hold(t, n <= calls+20+300, calls, n)
	})
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	limits := []time.Duration{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000}
	for n, limit := range limits {
		var longest time.Duration
		for range 2000 {
			longest = max(longest, api.Backoff(n+1, 0))
		}
		limit *= time.Millisecond
		must.Hold(t, longest < limit && longest >= limit*9/10, "after", n+1, longest, limit)
	}
	must.Hold(t,
		api.Backoff(1_000_000, 0) < 30*time.Second && api.Backoff(1, time.Minute) == time.Minute &&
			api.Backoff(1, 100*time.Hour) == time.Hour,
		"a pause is too long")
}
