package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model"
	"tonne/model/market"
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

func TestWholeListingIsReadInOrder(t *testing.T) {
	const last = 40
	h := pages(func(page int) string { return marketPage(page, last, last, "p"+strconv.Itoa(page)) })
	var told []int
	m, err := newClient(t, h).Market(t.Context(), 0, func(part *market.Page, page model.Page) {
		told = append(told, page.Current)
	})
	must.Succeed(t, err)
	for i := range last {
		must.Hold(t, m.Project(i).ID == "p"+strconv.Itoa(i+1) && told[i] == i+1, "project", i, m.Project(i), told[i])
	}
}

func TestAListingIsReadToItsEnd(t *testing.T) {
	overlap := [][]string{{"a", "b"}, {"b", "c"}, {"c", "d"}}
	for name, tt := range map[string]struct {
		body func(request, page int) string
		want string
	}{
		"an empty page of a billion": {func(_, page int) string {
			return marketPage(page, 1_000_000_000, 3, []string{"p1", "p2", "p3"}[min(page-1, 3):min(page, 3)]...)
		}, "[p1 p2 p3]"},
		"pages that loop": {func(_, page int) string {
			return marketPage(page, 1_000_000_000, 3, "p"+strconv.Itoa(page%3))
		}, "[p1 p2 p0]"},
		"every page is the first":           {func(_, _ int) string { return marketPage(1, 9, 2, "a", "b") }, "[a b]"},
		"one page":                          {func(_, page int) string { return marketPage(page, 1, 1, "a") }, "[a]"},
		"nothing":                           {func(_, page int) string { return marketPage(page, 0, 0) }, "[]"},
		"no pages, as it says, but it does": {func(_, page int) string { return marketPage(page, 0, 0, "a") }, "[a]"},
		"projects on two pages":             {func(_, page int) string { return marketPage(page, 3, 4, overlap[page-1]...) }, "[a b c d]"},
		"one that was sold out meanwhile": {func(request, page int) string {
			if request == 1 {
				return marketPage(1, 2, 4, "a", "b")
			}
			return marketPage(page, 2, 3, [][]string{{"b", "c"}, {"d"}}[page-1]...) // the next moved up
		}, "[b c d]"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			got := projectIDs(t, newClient(t, pages(func(page int) string { return tt.body(int(requests.Add(1)), page) })))
			must.Hold(t, fmt.Sprint(got) == tt.want && requests.Load() <= 20, requests.Load(), got, tt.want)
		})
	}
	c := newClient(t, pages(func(page int) string { return inventoryPage(page, 3, 4, overlap[page-1]...) }))
	inv := must.Get(c.Inventory(t.Context(), api.InventoryQuery{}, nil))
	must.Hold(t, len(inv.Projects) == 4 && len(inv.Projects[1].Vintages) == 1, inv)
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
		o.Transport = instant(func(page string) string {
			requests.Add(1)
			return marketPage(1, 1_000_000_000, 7, "p"+page)
		})
	})
	m, err := c.Market(t.Context(), 0, nil)
	e := failure(t, err)
	must.Hold(t, e.Kind == api.Incomplete && strings.Contains(e.Error(), "10,000 of 1,000,000,000 pages") && requests.Load() == 10_000 && m.Projects() == 10_000,
		requests.Load(), e)
}

// instant answers a page with a body, for tests of very many.
type instant func(page string) string

func (i instant) RoundTrip(r *http.Request) (*http.Response, error) {
	body := i(r.URL.Query().Get("page"))
	return &http.Response{StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestListingWithAPageThatFailsIsNotCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			answer := apitest.JSON(marketPage(page, 9, 9, "p"+strconv.Itoa(page)))
			if page == 5 {
				answer = apitest.Status(http.StatusForbidden, ``)
			}
			late(answer, time.Duration(page)*time.Second).ServeHTTP(w, r)
		})
		m, err := newClient(t, h).Market(t.Context(), 0, nil)
		e := failure(t, err)
		must.Hold(t, m == nil && e.Kind == api.Forbidden, "market is", m, e)
	})
}

func TestListingThatAlwaysMovesIsIncompleteAtLast(t *testing.T) {
	var requests atomic.Int64
	h := pages(func(page int) string {
		return marketPage(page, 2, int(requests.Add(1)), "p"+strconv.Itoa(page))
	})
	m, err := newClient(t, h).Market(t.Context(), 0, nil)
	e := failure(t, err)
	must.Hold(t, e.Kind == api.Incomplete && e.Total == 6 && m.Projects() == 2 && requests.Load() == 6,
		requests.Load(), m.Projects(), e)
}

func TestListingThatEndsEarlyIsIncomplete(t *testing.T) {
	for name, tt := range map[string]struct {
		ids      func(page int) []string
		pages    int
		read     int
		requests int64
	}{
		"after its last page":     {func(int) []string { return []string{"a"} }, 1, 1, 1},
		"with an empty page":      {func(page int) []string { return []string{"a", "b"}[:4-2*page] }, 2, 2, 3},
		"with an empty first one": {func(int) []string { return nil }, 1, 0, 2},
		"with a repeated page":    {func(int) []string { return []string{"a", "b"} }, 2, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			for _, listing := range []struct {
				page func(page, pages, items int, ids ...string) string
				read func(c *api.Client) (projects int, err error)
			}{
				{marketPage, func(c *api.Client) (int, error) {
					m, err := c.Market(t.Context(), 0, nil)
					return m.Projects(), err
				}},
				{inventoryPage, func(c *api.Client) (int, error) {
					inv, err := c.Inventory(t.Context(), api.InventoryQuery{}, nil)
					return len(inv.Projects), err
				}},
			} {
				var requests atomic.Int64
				c := newClient(t, counted(pages(func(page int) string { return listing.page(page, tt.pages, 17, tt.ids(page)...) }), &requests))
				projects, err := listing.read(c)
				e := failure(t, err)
				must.Hold(t, e.Kind == api.Incomplete && e.Read == tt.read && e.Total == 17 && projects == tt.read && requests.Load() == tt.requests,
					requests.Load(), projects, e)
				want := fmt.Sprintf("%d of 17 projects", tt.read)
				must.Hold(t, strings.Contains(e.Error(), want), e, want)
			}
		})
	}
}

// A page that is empty or repeated once is not the end.
func TestPageWithoutNewProjectsIsReadOnceAgain(t *testing.T) {
	for name, wrong := range map[string][]string{"empty": nil, "repeated": {"p1"}} {
		for bad := 1; bad <= 3; bad++ {
			t.Run(fmt.Sprint(name, " page ", bad), func(t *testing.T) {
				var asked atomic.Int64
				c := newClient(t, pages(func(page int) string {
					if page == bad && asked.Add(1) == 1 {
						return marketPage(page, 3, 3, wrong...)
					}
					return marketPage(page, 3, 3, "p"+strconv.Itoa(page))
				}))
				must.Equal(t, fmt.Sprint(projectIDs(t, c)), "[p1 p2 p3]")
			})
		}
	}
}

// What was read of a market is not what the next poll asks changes of.
func TestAnIncompleteMarketIsNotConfirmed(t *testing.T) {
	service := &listing{Tagged: true, Versions: true}
	service.Set(marketPage(1, 1, 2, "a"))
	c := newClient(t, service)
	for range 2 {
		must.Equal(t, api.KindOf(must.Err(c.Market(t.Context(), 0, nil))), api.Incomplete)
	}
	_, unchanged, conditions, _ := service.Sent()
	must.Hold(t, unchanged == 0 && conditions == 0, unchanged, conditions)
}

func TestPageSizeThatIsNotAcceptedIsLeftToTheService(t *testing.T) {
	var sizes []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := r.URL.Query().Get("per_page")
		sizes = append(sizes, size)
		if n, _ := strconv.Atoi(size); n > 50 {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		apitest.JSON(marketPage(1, 1, 1, "p")).ServeHTTP(w, r)
	})
	c := newClient(t, h)
	projectIDs(t, c)
	projectIDs(t, c)
	must.Equal(t, sizes, []string{"100", "", ""})
	must.Equal(t, api.KindOf(must.Err(c.Market(t.Context(), 60, nil))), api.Invalid)
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

func TestOwnedTellsPricesAndBalancesOfOneSweep(t *testing.T) {
	answer := pages(func(page int) string {
		return inventoryPage(page, 2, 4, fmt.Sprintf("p%d", 2*page), fmt.Sprintf("p%d", 2*page+1))
	})
	asked := make(chan string, 10)
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked <- fmt.Sprintf("%s %s %s", q.Get("trade_type"), q.Get("trades_per_wallet"), q.Get("wallet_min_quantity"))
		answer.ServeHTTP(w, r)
	}))
	prices, balances, err := c.Holdings(t.Context())
	must.Need(t, err == nil && len(prices) == 4 && len(balances) == 4, "prices", prices, balances, err)
	key := model.VintageKey{ProjectID: "p5", VintageID: "v-p5"}
	must.Equal(t, prices[key].Price, 501)
	must.Equal(t, balances[key], 0)
	close(asked)
	requests := 0
	for query := range asked {
		requests++
		must.Equal(t, query, "BUY 1 0")
	}
	must.Equal(t, requests, 2)
}
