package api_test

import (
	"context"
	"fmt"
	"math"
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

func TestServer500TenTimesThenAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := apitest.Status(500, `{}`)
		good := apitest.JSON(marketPage(1, 1, 1, "p"))
		c := newClient(t, apitest.Sequence(bad, bad, bad, bad, bad, bad, bad, bad, bad, bad, good), retries(10))
		started := time.Now()
		must.Succeed(t, page(t, c))
		// 0.5, 1, 2, 4, 8, 16 and four times 30 seconds at most.
		took := time.Since(started)
		must.Hold(t, took <= 151500*time.Millisecond, "it took", took)
	})
}

func TestTryEndsInTime(t *testing.T) {
	for name, answer := range map[string]http.Handler{"never answers": apitest.Hang(), "one byte a second": apitest.Slow(marketPage(1, 1, 1, "p"), time.Second)} {
		for retried, tries := range map[int]int64{0: 1, 3: 4} {
			t.Run(fmt.Sprint(name, ", tried ", tries, " times"), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var count atomic.Int64
					started := time.Now()
					_, _, err := newClient(t, counted(answer, &count), retries(retried)).MarketPage(t.Context(), api.MarketQuery{})
					took := time.Since(started)
					e := failure(t, err)
					must.Hold(t, e.Kind == api.TimedOut && count.Load() == tries && (retried != 0 || took == 10*time.Second),
						count.Load(), took, e)
				})
			})
		}
	}
}

func TestWaitsAsLongAsTheServiceAsks(t *testing.T) {
	date := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) // far from the local clock
	for header, want := range map[string][2]time.Duration{
		"1":                       {time.Second, time.Second},
		"60":                      {time.Minute, time.Minute},
		"99999999999999999999999": {0, time.Second / 2},
		"-1":                      {0, time.Second / 2},
		"soon":                    {0, time.Second / 2},
		"":                        {0, time.Second / 2},
		"1.5":                     {0, time.Second / 2},
		date.Add(5 * time.Second).Format(http.TimeFormat): {5 * time.Second, 5 * time.Second},
		date.Add(time.Minute).Format(http.TimeFormat):     {time.Minute, time.Minute},
		date.Add(-time.Hour).Format(http.TimeFormat):      {0, time.Second / 2},
	} {
		t.Run(header, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Date", date.Format(http.TimeFormat))
					apitest.RateLimited(header).ServeHTTP(w, r)
				})
				c := newClient(t, apitest.Sequence(limited, apitest.JSON(marketPage(1, 1, 1, "p"))), retries(1))
				started := time.Now()
				must.Succeed(t, page(t, c))
				took := time.Since(started)
				must.Hold(t, took >= want[0] && took <= want[1], "waited", took, want)
			})
		})
	}
}

func TestACommandDoesNotWaitLongerThanAMinute(t *testing.T) {
	date := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) // far from the local clock
	for header, want := range map[string]struct {
		wait time.Duration
		text string
	}{
		"61":         {61 * time.Second, "of 61 s"},
		"3600":       {time.Hour, "of 3600 s"},
		"9223372037": {math.MaxInt64 / time.Second * time.Second, "of 9223372037 s"},
		date.Add(time.Hour).Format(http.TimeFormat): {time.Hour, "until Wed, 02 Jan 2030 04:04:05 GMT"},
	} {
		for status, text := range map[int]string{429: "the service asks for fewer requests", 503: "the service answered 503"} {
			t.Run(fmt.Sprint(status, " ", header), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var tries atomic.Int64
					c := newClient(t, counted(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Date", date.Format(http.TimeFormat))
						w.Header().Set("Retry-After", header)
						w.WriteHeader(status)
					}), &tries), retries(3))
					started := time.Now()
					_, err := c.Market(t.Context(), 0, nil)
					e := failure(t, err)
					must.Hold(t, e.RetryAfter == want.wait && e.WaitSeconds() == int64(want.wait/time.Second) && e.Error() == text+"; it asks for a wait "+want.text,
						"error is", e, e.RetryAfter)
					// The next call of the command fails as well, without a request.
					_, err = c.Retirement(t.Context(), "r1")
					e = failure(t, err)
					must.Hold(t, e.Kind == api.RateLimited && api.LongWait(err) && tries.Load() == 1 && time.Since(started) == 0,
						"after", tries.Load(), time.Since(started), e)
				})
			})
		}
	}
}

func TestARequestOfAPersonDoesNotWaitForAnEarlierRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		c := newClient(t, counted(apitest.Sequence(apitest.RateLimited("3600"), apitest.RateLimited("3600"), apitest.JSON(marketPage(1, 1, 1, "p"))), &tries))
		expect := func(ctx context.Context, refused bool, requests int64) {
			t.Helper()
			_, err := c.Market(ctx, 0, nil)
			must.Hold(t, refused == (api.KindOf(err) == api.RateLimited) && tries.Load() == requests,
				"after", tries.Load(), err)
			time.Sleep(time.Second)
		}
		expect(t.Context(), true, 1)
		expect(t.Context(), true, 1)
		refreshed := api.Refreshed(t.Context(), time.Now())
		expect(refreshed, true, 2)
		expect(refreshed, true, 2) // refused after the refresh
		expect(api.Refreshed(t.Context(), time.Now()), false, 3)
		expect(t.Context(), false, 4)
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

func TestWaitEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c := newClient(t, apitest.RateLimited("60"), retries(3))
		started := time.Now()
		_, _, err := c.MarketPage(ctx, api.MarketQuery{})
		e := failure(t, err)
		must.Hold(t, e.Kind == api.TimedOut && time.Since(started) == 3*time.Second, "after", time.Since(started), e)
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
	must.Hold(t, api.Backoff(1_000_000, 0) < 30*time.Second && api.Backoff(1, time.Minute) == time.Minute && api.Backoff(1, 100*time.Hour) == time.Hour,
		"a pause is too long")
}

func TestRequestedWaitIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Duration
		answers := apitest.Sequence(apitest.RateLimited("60"), apitest.Status(502, ""), apitest.JSON(marketPage(1, 1, 1, "p")))
		c := newClient(t, answers, retries(2), func(o *api.Options) {
			o.Asked = func(wait time.Duration) { asked = append(asked, wait) }
		})
		must.Succeed(t, page(t, c))
		must.Equal(t, asked, []time.Duration{time.Minute})
	})
}
