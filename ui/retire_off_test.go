package ui

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// counting is a marketplace that counts requests.
type counting struct{ reads, writes atomic.Int64 }

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := `{"projects":[],"pagination":{"per_page":20,"total_pages":1,"total_items":0,"current_page":1,"previous_page":null,"next_page":null}}`
	switch {
	case r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/api/retirement"),
		strings.Contains(r.URL.Path, "request-retirement"):
		c.writes.Add(1)
	default:
		c.reads.Add(1)
	}
	if strings.HasSuffix(r.URL.Path, "/api/market") {
		body = strings.Replace(body, `[]`,
			`[{"project_id":"003bale","vintages":[{"vintage_id":"004bale0","vintage_year":2019,"sell_orders":[{"sell_order_id":"006bale00","quantity_grams":"400000000","price_cents":"620"}]}]}]`, 1)
	}
	apitest.JSON(body).ServeHTTP(w, r)
}

// atOnce is a session that never blocks in Next.
type atOnce struct{ *session.Session }

func (s atOnce) Next(context.Context) ([]session.Event, error) {
	synctest.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	events, err := s.Session.Next(ctx)
	if err != nil || len(events) == 0 {
		return nil, uitest.ErrNoNews
	}
	return events, nil
}

// FuzzNoInputRetiresWithRetiringOff sends random input to a dashboard with a real session and a
// real client that may not retire.
func FuzzNoInputRetiresWithRetiringOff(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "R2\r2\rUb")
	}
	f.Fuzz(func(t *testing.T, seed uint64, typed string) {
		synctest.Test(t, func(t *testing.T) {
			market := new(counting)
			client, err := api.New(api.Options{BaseURL: "https://market.example", Key: "k",
				Transport: apitest.Transport(market)})
			must.Succeed(t, err)
			defer client.Close()
			s := session.New(client, session.Options{Origin: "https://market.example"})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Run(ctx) }()
			pressEverything(t, seed, typed, s)
			cancel()
			<-ended
			n := market.writes.Load()
			must.Hold(t, n <= 0, "the endpoint was called", n)
			must.Hold(t, market.reads.Load() != 0, "the marketplace got no request: the test covers nothing")
		})
	})
}

func pressEverything(t *testing.T, seed uint64, typed string, s *session.Session) {
	c := newChanceWith(t, seed, func(o *Options) { o.Feed = atOnce{s} })
	must.Need(t, c.r.app.view.Retire == nil && c.r.app.view.WhyNotRetire() == tab.RetiringIsOff, "retiring is on")
	for n := range 200 {
		c.do(c.message())
		if n%20 == 0 {
			time.Sleep(time.Second)
			c.follow(c.r.app.listen())
		}
	}
	for _, key := range typed {
		c.do(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
	c.do(tea.PasteMsg{Content: typed})
}
