package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// bookPage is a page of the market with one project of one vintage for each
// price.
func bookPage(page, pages int, prices ...int) string {
	projects := make([]string, len(prices))
	for i, price := range prices {
		projects[i] = fmt.Sprintf(`{"project_id":"p%d-%d","note":"n","vintages":[{"vintage_id":"v%d-%d","vintage_year":2020,"sell_orders":[`+
			`{"sell_order_id":"o%d-%d","quantity_grams":"1000000","price_cents":"%d","lot":"%d"}]}]}`, page, i, page, i, page, i,
			price, price)
	}
	return `{"projects":[` + strings.Join(projects, ",") + `],` + pagination(page, pages, pages*len(prices)) + `}`
}

func told(m *market.Market) string {
	var b strings.Builder
	for p := range m.Projects() {
		project := m.Project(p)
		fmt.Fprintf(&b, "%s %v\n", project.ID, m.Extra(project.ID))
		for v := project.First; v < project.End; v++ {
			vintage := m.Vintage(v)
			fmt.Fprintf(&b, " %+v %v\n", vintage, m.Extra(vintage.ID))
			for o := vintage.First; o < vintage.End; o++ {
				order := m.Order(int(o))
				fmt.Fprintf(&b, "  %+v %v\n", order, m.Extra(order.ID))
			}
		}
	}
	return b.String() + fmt.Sprint(m.Faults())
}

func read(t testing.TB, c *api.Client) *market.Market {
	t.Helper()
	return must.Get(c.Market(t.Context(), 0, nil))
}

// What a poll with tags makes of a market is what a poll without finds.
func TestAConditionalReadFindsWhatAnyReadFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		service := &listing{}
		var client *api.Client
		pages := []string{}
		t.Repeat(map[string]func(*rapid.T){
			"the service changes": func(t *rapid.T) {
				service.Offer(rapid.Bool().Draw(t, "tagged"), rapid.Bool().Draw(t, "versions"))
			},
			"the market changes": func(t *rapid.T) {
				count := rapid.IntRange(1, 4).Draw(t, "pages")
				pages = nil
				for page := 1; page <= count; page++ {
					// Projects may be listed twice, where orders moved.
					listed := rapid.SampledFrom([]int{page, page, page, 1}).Draw(t, "listed")
					prices := rapid.SliceOfN(rapid.IntRange(500, 502), 1, 3).Draw(t, "prices")
					body := strings.Replace(bookPage(listed, count, prices...), `"current_page":`+fmt.Sprint(listed),
						`"current_page":`+fmt.Sprint(page), 1)
					if rapid.IntRange(0, 9).Draw(t, "fault") == 0 {
						body = strings.Replace(body, `"price_cents":"50`, `"price_cents":"-50`, 1)
					}
					pages = append(pages, body)
				}
			},
			"": func(t *rapid.T) {
				if len(pages) == 0 {
					return
				}
				service.Set(pages...)
				if client == nil {
					client = newClientOf(t, service)
				}
				got, err := client.Market(t.Context(), 0, nil)
				want, err2 := newClientOf(t, service).Market(t.Context(), 0, nil)
				must.Need(t, fmt.Sprint(err) == fmt.Sprint(err2) && told(got) == told(want),
					err, err2, told(got), told(want))
			},
		})
	})
}

func newClientOf(t *rapid.T, h http.Handler) *api.Client {
	return must.Get(api.New(api.Options{BaseURL: "https://market.example", Key: key, Transport: apitest.Transport(h)}))
}

// listing answers the pages of a listing. Tagged, it sends a strong ETag with
// each and answers 304 to a request that has it; with Versions, it also tells
// the version of the whole listing. Its methods are safe for concurrent use.
type listing struct {
	// Tagged and Versions are changed by Offer once there are requests.
	Tagged, Versions bool

	mu      sync.Mutex
	pages   []string
	tags    []string
	version string
	// sent counts answers by their status, bytes the bodies.
	sent  map[int]int
	bytes int
	// conditions counts requests with a tag.
	conditions int
}

// Offer changes what the service knows of conditional requests.
func (l *listing) Offer(tagged, versions bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Tagged, l.Versions = tagged, versions
}

// Set replaces the pages.
func (l *listing) Set(pages ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := sha256.New()
	l.pages, l.tags = slices.Clone(pages), nil
	for _, body := range pages {
		sum := sha256.Sum256([]byte(body))
		_, _ = whole.Write(sum[:])
		l.tags = append(l.tags, `"`+hex.EncodeToString(sum[:8])+`"`)
	}
	l.version = hex.EncodeToString(whole.Sum(nil)[:8])
}

// Sent returns how many answers had a status since the call before, how many
// requests had a tag, and how many bytes the bodies were in all.
func (l *listing) Sent() (whole, unchanged, conditions, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, unchanged, conditions, bytes = l.sent[http.StatusOK], l.sent[http.StatusNotModified], l.conditions, l.bytes
	l.sent, l.conditions, l.bytes = nil, 0, 0
	return whole, unchanged, conditions, bytes
}

// ServeHTTP answers with the page that the query names, 1 if it names none.
func (l *listing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	body, status := l.answer(w.Header(), page, r.Header.Get("If-None-Match"))
	if body != "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (l *listing) answer(h http.Header, page int, condition string) (body string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tag := ""
	if l.sent == nil {
		l.sent = make(map[int]int)
	}
	status = http.StatusOK
	if page < 1 || page > len(l.pages) {
		status = http.StatusUnprocessableEntity
	} else if tag = l.tags[page-1]; l.Tagged && strings.Contains(condition, tag) {
		status = http.StatusNotModified
	} else {
		body = l.pages[page-1]
	}
	if l.Versions {
		h.Set("Market-Version", l.version)
	}
	if l.Tagged && tag != "" {
		h.Set("ETag", tag)
	}
	if condition != "" {
		l.conditions++
	}
	l.sent[status]++
	l.bytes += len(body)
	return body, status
}

func TestOnlyCompleteReadsOfTheMarketAreReported(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		pages    []string
		reported bool
	}{
		"two pages":   {[]string{bookPage(1, 2, 5), bookPage(2, 2, 6)}, true},
		"ended early": {[]string{bookPage(1, 2, 5), `{"projects":[],` + pagination(2, 2, 2) + `}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads []api.MarketRead
			c1 := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, _ := strconv.Atoi(r.URL.Query().Get("page"))
				w.Header().Set("Date", now.Add(-time.Minute).Format(http.TimeFormat))
				_, _ = io.WriteString(w, c.pages[page-1])
			}), func(o *api.Options) {
				o.Now = func() time.Time { return now }
				o.MarketRead = func(read api.MarketRead) { reads = append(reads, read) }
			})
			m, _ := c1.Market(t.Context(), 0, nil)
			_ = c1.EachMarketPage(t.Context(), func(*market.Page, model.Page) {}, func() {})
			_, _, _ = c1.MarketPage(t.Context(), api.MarketQuery{Page: 1})
			must.Hold(t, len(reads) == map[bool]int{true: 2}[c.reported], len(reads), "reads")
			for _, read := range reads {
				behind := (read.Ahead + time.Minute).Abs() < 20*time.Second
				must.Hold(t, told(read.Market) == told(m) && read.At.Equal(now) && read.Dated && behind, read.At, read.Ahead)
			}
		})
	}
}
