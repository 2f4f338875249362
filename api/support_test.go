package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
)

const key = "0123456789abcdef-secret-key"

// newClient returns a client of a handler without a network. Timeouts and
// pauses are real, so tests that wait run in a synctest bubble.
func newClient(t *testing.T, h http.Handler, change ...func(*api.Options)) *api.Client {
	t.Helper()
	o := api.Options{BaseURL: "https://market.example", Key: key, Transport: apitest.Transport(h)}
	for _, c := range change {
		c(&o)
	}
	c, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func retries(n int) func(*api.Options) { return func(o *api.Options) { o.Retries = n } }

// failure returns err as what the package promises it to be.
func failure(t *testing.T, err error) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %T (%v), want an *api.Error", err, err)
	}
	if strings.Contains(fmt.Sprintf("%+v %v", e, e), key) {
		t.Errorf("%v contains the key", e)
	}
	return e
}

func pagination(page, pages, items int) string {
	return fmt.Sprintf(`"pagination":{"per_page":20,"total_pages":%d,"total_items":%d,"current_page":%d}`, pages, items, page)
}

// marketPage is a page of the market with a vintage and a sell order for each
// project id.
func marketPage(page, pages, items int, ids ...string) string {
	projects := make([]string, len(ids))
	for i, id := range ids {
		projects[i] = fmt.Sprintf(`{"project_id":%q,"vintages":[{"vintage_id":"v-%s","vintage_year":2020,"sell_orders":[`+
			`{"sell_order_id":"o-%s","quantity_grams":"1000000","price_cents":"500"}]}]}`, id, id, id)
	}
	return `{"projects":[` + strings.Join(projects, ",") + `],` + pagination(page, pages, items) + `}`
}

// inventoryPage is a page of the inventory with a vintage for each project id.
func inventoryPage(page, pages, items int, ids ...string) string {
	projects := make([]string, len(ids))
	for i, id := range ids {
		projects[i] = fmt.Sprintf(`{"project_id":%q,"vintages":[{"vintage_id":"v-%s","wallets":[{"type":"CAAS","quantity_grams":"0","trades":[`+
			`{"execution_date":"2024-01-02T03:04:05Z","quantity_grams":"1000000","price_cents":"%d","type":"BUY"}]}]}]}`, id, id, 500+i)
	}
	return `{"projects":[` + strings.Join(projects, ",") + `],` + pagination(page, pages, items) + `}`
}

const retirement = `{"id":"r1","status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"p","vintage_id":"v","created_at":"2024-01-02T03:04:05Z","retirement_request_items":[]}`

// pages answers the requests of a listing by their page.
func pages(body func(page int) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			http.Error(w, "no page", http.StatusTeapot)
			return
		}
		apitest.JSON(body(page)).ServeHTTP(w, r)
	})
}

func newTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
