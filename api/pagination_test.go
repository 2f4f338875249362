package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func projectIDs(t *testing.T, c *api.Client) []string {
	t.Helper()
	m := must.Get(c.Market(t.Context(), 0, nil))
	ids := make([]string, m.Projects())
	for i := range ids {
		ids[i] = m.Project(i).ID
	}
	return ids
}

// What a person types while a market is polled goes before the poll.
func TestAMarketIsReadAgainOverFewerConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		slow := late(pages(func(page int) string { return marketPage(page, 40, 40, "p"+strconv.Itoa(page)) }), time.Second)
		c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			slow.ServeHTTP(w, r)
		}))
		for _, want := range []int64{8, 4, 4} {
			most.Store(0)
			must.Hold(t, len(projectIDs(t, c)) == 40 && most.Load() == want, most.Load(), want)
		}
	})
}

func TestListingEndsAfterTenThousandPages(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	c := newClient(t, nil, func(o *api.Options) {
		o.Transport = recorded{counted(pages(func(page int) string {
			return marketPage(1, 1_000_000_000, 7, "p"+strconv.Itoa(page))
		}), &requests)}
	})
	m, err := c.Market(t.Context(), 0, nil)
	e := failure(t, err)
	must.Hold(t,
		e.Kind == api.Incomplete && strings.Contains(e.Error(), "10,000 of 1,000,000,000 pages") &&
			requests.Load() == 10_000 && m.Projects() == 10_000,
		requests.Load(), e)
}

func TestPanicWhileDecodingReachesTheCaller(t *testing.T) {
	h := pages(func(page int) string { return marketPage(page, 3, 3, "p"+strconv.Itoa(page)) })
	c := newClient(t, nil, func(o *api.Options) { o.Transport = panicking{apitest.Transport(h)} })
	defer func() {
		p := recover()
		must.Hold(t, p != nil && strings.Contains(fmt.Sprint(p), "page 2 broke"), "recovered", p)
	}()
	_, _ = c.Market(t.Context(), 0, nil)
}

type panicking struct{ http.RoundTripper }

func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("page") == "2" {
		panic("page 2 broke")
	}
	return p.RoundTripper.RoundTrip(r)
}
