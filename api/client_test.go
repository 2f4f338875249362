package api_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

func TestBaseURLMustBeSafe(t *testing.T) {
	texttest.Table(t, "base_urls", func(base string) string {
		c, err := api.New(api.Options{BaseURL: base, Key: key})
		if api.KindOf(err) == api.Refused {
			return "refused"
		}
		must.Succeed(t, err)
		return c.BaseURL()
	})
}

func TestKeyThatCannotBeSentIsRefusedAndNotShown(t *testing.T) {
	for _, bad := range []string{"two words", "line\nbreak", "käse"} {
		_, err := api.New(api.Options{BaseURL: "https://market.example", Key: bad})
		must.Hold(t, api.KindOf(err) == api.Refused && !strings.Contains(err.Error(), bad), bad, err)
	}
}

func TestCancelledCallSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, _, err := newClient(t, h, retries(5)).MarketPage(ctx, api.MarketQuery{})
	e := failure(t, err)
	must.Hold(t, e.Kind == api.Cancelled && strings.Contains(e.Error(), "cancelled"), "error is", e)
}

func TestErrorNeverShowsAPartOfTheKey(t *testing.T) {
	for what, message := range map[string]string{
		"in the middle":                  "key " + key + " is unknown",
		"where it is cut off":            strings.Repeat("x", 500-len(key)/2) + key,
		"in another form":                strings.ReplaceAll(key, key[:1], fmt.Sprintf(`\u%04x`, key[0])),
		"in a place to go for":           "",
		"in a value that cannot be read": "",
	} {
		answer := apitest.Status(422, `{"message":"`+message+`"}`)
		switch what {
		case "in a place to go for":
			answer = apitest.Redirect("https://" + key + ".example/" + key + "?" + key)
		case "in a value that cannot be read":
			answer = apitest.JSON(`{"projects":"` + strings.Repeat("x", 60-len(key)/2) + key + `"}`)
		}
		got := failure(t, page(t, newClient(t, answer))).Error()
		must.Hold(t, !strings.Contains(got, key[:len(key)/2]), what, got)
	}
}

func TestLogTellsOfEachTryWithoutTheKey(t *testing.T) {
	var log bytes.Buffer
	c := newClient(t, apitest.Status(422, `{"message":"key `+key+` is unknown"}`), func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	failure(t, page(t, c))
	got := log.String()
	must.Hold(t, strings.Contains(got, "status=422") && !strings.Contains(got, key), "log is", got)
}

func TestOnlySafeAddressesMayBeOpened(t *testing.T) {
	texttest.Table(t, "addresses", func(address string) string {
		u, err := api.CheckURL(address)
		must.Hold(t, (u == nil) == (err != nil), address, u, err)
		if api.KindOf(err) == api.Refused {
			return "refused"
		}
		must.Succeed(t, err)
		return "safe"
	})
}

const key = "0123456789abcdef-secret-key"

// newClient returns a client of a handler without a network. Timeouts and
// pauses are real, so tests that wait run in a synctest bubble.
func newClient(t *testing.T, h http.Handler, change ...func(*api.Options)) *api.Client {
	t.Helper()
	o := api.Options{BaseURL: "https://market.example", Key: key, Transport: apitest.Transport(h)}
	for _, c := range change {
		c(&o)
	}
	return must.Get(api.New(o))
}

func retries(n int) func(*api.Options) { return func(o *api.Options) { o.Retries = n } }

// failure returns err as what the package promises it to be.
func failure(t *testing.T, err error) *api.Error {
	t.Helper()
	var e *api.Error
	must.Need(t, errors.As(err, &e), "error is", err, err)
	must.Hold(t, !strings.Contains(fmt.Sprintf("%+v %v", e, e), key), e)
	return e
}

func pagination(page, pages, items int) string {
	return fmt.Sprintf(`"pagination":{"per_page":20,"total_pages":%d,"total_items":%d,"current_page":%d}`, pages, items,
		page)
}

// marketPage is a page of the market with a vintage and a sell order for each
// project id, which a price may follow: p=500.
func marketPage(page, pages, items int, ids ...string) string {
	projects := make([]string, len(ids))
	for i, id := range ids {
		id, price, _ := strings.Cut(id, "=")
		projects[i] = fmt.Sprintf(`{"project_id":%q,"vintages":[{"vintage_id":"v-%s","vintage_year":2020,"sell_orders":[`+
			`{"sell_order_id":"o-%s","quantity_grams":"1000000","price_cents":%q}]}]}`, id, id, id, cmp.Or(price, "500"))
	}
	return `{"projects":[` + strings.Join(projects, ",") + `],` + pagination(page, pages, items) + `}`
}

// inventoryPage is a page of the inventory with a vintage for each project id.
func inventoryPage(page, pages, items int, ids ...string) string {
	projects := make([]string, len(ids))
	for i, id := range ids {
		projects[i] = fmt.Sprintf(`{"project_id":%q,"vintages":[{"vintage_id":"v-%s","wallets":[{"type":"CAAS","quantity_grams":"0","trades":[`+
			`{"execution_date":"2024-01-02T03:04:05Z","quantity_grams":"1000000","price_cents":"%d","type":"BUY"}]}]}]}`, id, id,
			500+i)
	}
	return `{"projects":[` + strings.Join(projects, ",") + `],` + pagination(page, pages, items) + `}`
}

const retirement = `{"id":"r1","status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"p","vintage_id":"v","created_at":"2024-01-02T03:04:05Z","retirement_request_items":[]}`

func page(t *testing.T, c *api.Client) error {
	t.Helper()
	_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
	return err
}

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

func TestEscapedKeyInACodeIsHidden(t *testing.T) {
	code := strings.ReplaceAll(key, "-", `\u002d`)
	must.Equal(t, failure(t, page(t, newClient(t, apitest.Status(422, `{"error":"`+code+`"}`)))).Code, "[key]")
}
