package api_test

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tonne/api"
	"tonne/api/apitest"
)

const mebibyte = 1 << 20

// large is an answer of some MiB: blanks before it.
func large(answer string) string { return strings.Repeat(" ", 5*mebibyte) + answer }

func TestOneLargeAnswerIsReadAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 6
		var beyond atomic.Int64
		goOn := make(chan struct{})
		blanks := []byte(strings.Repeat(" ", mebibyte))
		c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 4 {
				_, _ = w.Write(blanks)
			}
			beyond.Add(1)
			<-goOn
			_, _ = w.Write([]byte(marketPage(1, 1, 1, "p")))
		}))
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				if _, _, err := c.MarketPage(t.Context(), api.MarketQuery{}); err != nil {
					t.Errorf("error is %v", err)
				}
			})
		}
		synctest.Wait()
		if n := beyond.Load(); n != 1 {
			t.Errorf("%d large answers are read at once", n)
		}
		close(goOn)
		all.Wait()
	})
}

func TestLargeAnswersFollowOneAnother(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	answers := map[string]http.Handler{
		"/api/market":     apitest.JSON(large(marketPage(1, 1, 1, "p"))),
		"/api/inventory":  apitest.JSON(large(inventoryPage(1, 1, 1, "p"))),
		"/api/projects":   apitest.JSON(large(`{"projects":[]}`)),
		"/api/retirement": apitest.JSON(large(retirement)),
	}
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("project_ids[]") == "refused" {
			apitest.Status(http.StatusUnprocessableEntity, large(`{}`)).ServeHTTP(w, r)
			return
		}
		answers[r.URL.Path].ServeHTTP(w, r)
	}))
	for range 2 {
		_, _, market := c.MarketPage(ctx, api.MarketQuery{})
		_, whole := c.Market(ctx, 0, nil)
		_, _, inventory := c.InventoryPage(ctx, api.InventoryQuery{})
		_, projects := c.Projects(ctx, "p")
		_, one := c.Retirement(ctx, "r1")
		for _, err := range []error{market, whole, inventory, projects, one} {
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Projects(ctx, "refused"); failure(t, err).Kind != api.Invalid {
			t.Error(err)
		}
		if _, other := c.Retirement(ctx, "r2"); failure(t, other).Kind != api.NotTheAPI {
			t.Error(other)
		}
	}
}

// Not beside others: it counts what the process allocates.
func TestLargeAnswersShareOneRoom(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	answer := []byte(large(`{"projects":[]}`))
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := c.Projects(t.Context(), "p"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	runtime.ReadMemStats(&after)
	const room, beside = 32, 20
	if got := (after.TotalAlloc - before.TotalAlloc) / mebibyte; got > room+beside {
		t.Errorf("%d MiB are taken for 4 answers, of which one at a time is in memory", got)
	}
}
