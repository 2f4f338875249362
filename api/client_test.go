package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/wire"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func TestBaseURLMustBeSafe(t *testing.T) {
	for base, want := range map[string]string{
		"https://market.example":           "https://market.example",
		" https://market.example/ ":        "https://market.example",
		"https://market.example:8443/a/b/": "https://market.example:8443/a/b",
		"http://127.0.0.1:8080":            "http://127.0.0.1:8080",
		"http://localhost:8080":            "http://localhost:8080",
		"http://[::1]:8080":                "http://[::1]:8080",
		"http://market.example":            "",
		"http://10.0.0.1":                  "",
		"http://127.0.0.1.evil.example":    "",
		"https://user:pass@market.example": "",
		"https://market.example?x=1":       "",
		"https://market.example#x":         "",
		"https:market.example":             "",
		"https://":                         "",
		"ftp://market.example":             "",
		"file:///etc/passwd":               "",
		"market.example":                   "",
		"https://market.example/\x1b":      "",
		"":                                 "",
	} {
		c, err := api.New(api.Options{BaseURL: base, Key: key})
		switch {
		case want == "" && api.KindOf(err) != api.Refused:
			t.Errorf("%q is accepted (%v)", base, err)
		case want != "" && (err != nil || c.BaseURL() != want):
			t.Errorf("%q becomes %v (%v)", base, c, err)
		}
	}
}

func TestKeyThatCannotBeSentIsRefusedAndNotShown(t *testing.T) {
	for _, bad := range []string{"two words", "line\nbreak", "käse"} {
		_, err := api.New(api.Options{BaseURL: "https://market.example", Key: bad})
		must.Hold(t, api.KindOf(err) == api.Refused && !strings.Contains(err.Error(), bad), bad, err)
	}
}

func TestRequestsAreThoseOfTheInterface(t *testing.T) {
	var got []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := url.QueryUnescape(r.URL.RawQuery)
		got = append(got, r.Method+" "+r.URL.Path+"?"+query)
		must.Equal(t, r.Header.Get("Authorization"), "Bearer "+key)
		w.WriteHeader(http.StatusInternalServerError)
	})
	c := newClient(t, h, func(o *api.Options) { o.BaseURL = "https://market.example/prefix/" })
	ctx := t.Context()
	_, _, _ = c.MarketPage(ctx, api.MarketQuery{})
	_, _, _ = c.MarketPage(ctx, api.MarketQuery{Page: 2, PerPage: 3})
	_, _, _ = c.InventoryPage(ctx, api.InventoryQuery{})
	_, _, _ = c.InventoryPage(ctx, api.InventoryQuery{Page: 4, PerPage: 5, TradesPerWallet: 6, TradeType: portfolio.Sell, WalletMinQuantity: 7})
	_, _, _ = c.Holdings(ctx)
	_, _ = c.Retirement(ctx, "r&1")
	_, _ = c.Projects(ctx)
	_, _ = c.Projects(ctx, "a", "b")
	want := []string{
		"GET /prefix/api/market?",
		"GET /prefix/api/market?page=2&per_page=3",
		"GET /prefix/api/inventory?wallet_min_quantity=0",
		"GET /prefix/api/inventory?page=4&per_page=5&trade_type=SELL&trades_per_wallet=6&wallet_min_quantity=7",
		"GET /prefix/api/inventory?page=1&per_page=100&trade_type=BUY&trades_per_wallet=1&wallet_min_quantity=0",
		"GET /prefix/api/retirement?id=r&1",
		"GET /prefix/api/projects?",
		"GET /prefix/api/projects?project_ids[]=a&project_ids[]=b",
	}
	must.Equal(t, got, want)
}

// Package wire tests what can be read. Each answer is tried as often as retries(3) allows: TestTryEndsInTime
// is about the time that this takes.
func TestAnswersThatFailAreTypedAndExplained(t *testing.T) {
	const again, once = 4, 1
	twice := strings.Replace(marketPage(1, 1, 1, "p"), `{"project_id"`, `{"project_id":"1","project_id"`, 1)
	for name, tt := range map[string]struct {
		answer http.Handler
		tries  int64
		kind   api.Kind
		text   string
	}{
		"401":                   {apitest.Status(401, `{"statusCode":401,"message":"Unauthorized"}`), once, api.Unauthorized, "the service does not accept the API key"},
		"403":                   {apitest.Status(403, `{"message":"Permission denied","error":"Forbidden"}`), once, api.Forbidden, `the user of the API key does not hold the role "API User"`},
		"422 not found":         {apitest.Status(422, `{"error":"NOT_FOUND","message":"No such request"}`), once, api.NotFound, "No such request (NOT_FOUND)"},
		"422 invalid":           {apitest.Status(422, `{"error":"VALIDATION_ERROR","message":["id is bad","id is long"]}`), once, api.Invalid, "id is bad; id is long (VALIDATION_ERROR)"},
		"422 in text":           {apitest.Status(422, "per_page \x1b[2J is\ntoo large"), once, api.Invalid, "per_page ␛[2J is␊too large"},
		"422 with escapes":      {apitest.Status(422, `{"error":"A\u001b]0;x\u0007","message":"\u009b2J\r\n\u202e"}`), once, api.Invalid, "<U+009B>2J␍␊<U+202E> (A␛]0;x␇)"},
		"422 in HTML":           {apitest.Status(422, `<p>NOT_FOUND</p>`), once, api.NotFound, "the service knows no such record of yours"},
		"422 without a body":    {apitest.Status(422, ``), once, api.Invalid, "the service does not accept the request"},
		"400 as a JSON string":  {apitest.Status(400, `"page is too large"`), once, api.Invalid, "page is too large"},
		"429":                   {apitest.RateLimited("1"), again, api.RateLimited, "the service asks for fewer requests"},
		"500":                   {apitest.Status(500, `{"statusCode":500,"message":"Internal server error"}`), again, api.ServerError, "the service answered 500"},
		"503 in HTML":           {apitest.Status(503, `<h1>Sorry</h1>`), again, api.ServerError, "the service answered 503"},
		"404":                   {apitest.Status(404, `{"statusCode":404,"message":"Cannot GET /api/market"}`), once, api.NotTheAPI, "the service answered 404"},
		"404 in JSON":           {apitest.Status(404, `{"error":"NOT_FOUND"}`), once, api.NotFound, "the service knows no such record of yours"},
		"404 in HTML":           {apitest.Status(404, `<html><h1>NOT_FOUND</h1>`), once, api.NotTheAPI, "the service answered 404 (elsewhere)"},
		"418":                   {apitest.Status(418, ``), once, api.NotTheAPI, "the service answered 418"},
		"204":                   {apitest.Status(204, ``), once, api.NotTheAPI, "unreadable answer: the answer is empty"},
		"HTML with 200":         {apitest.HTML(), once, api.NotTheAPI, "what answers is not the marketplace: the answer is a web page (elsewhere)"},
		"HTML with 201":         {apitest.Status(201, "\n<!DOCTYPE html>"), once, api.NotTheAPI, "what answers is not the marketplace: the answer is a web page (elsewhere)"},
		"an empty object":       {apitest.JSON(`{}`), once, api.NotTheAPI, "unreadable answer: the answer has no projects"},
		"cut-off JSON":          {apitest.JSON(`{"projects":[`), once, api.NotTheAPI, "unreadable answer: the answer is cut off"},
		"trailing bytes":        {apitest.JSON(marketPage(1, 1, 1, "p") + "x"), once, api.NotTheAPI, "unreadable answer: the answer has bytes behind its end"},
		"a member twice":        {apitest.JSON(twice), once, api.NotTheAPI, "unreadable answer: projects[0].project_id is there twice"},
		"a redirect to a path":  {apitest.Redirect("/login?token=x"), once, api.NotTheAPI, "the service redirects to https://market.example/login"},
		"a redirect to a host":  {apitest.Redirect("https://u:p@other.example/api/market?page=1"), once, api.NotTheAPI, "the service redirects to https://other.example/api/market (elsewhere)"},
		"a long redirect":       {apitest.Redirect("https://other.example/" + strings.Repeat("x", 300)), once, api.NotTheAPI, "the service redirects to https://other.example (elsewhere)"},
		"a redirect in escapes": {apitest.Redirect("https://\u202eevil.example/"), once, api.NotTheAPI, "the service redirects to https://<U+202E>evil.example/ (elsewhere)"},
		"a redirect to nowhere": {apitest.Redirect(""), once, api.NotTheAPI, "the service redirects"},
		"reset":                 {apitest.Reset(), again, api.Unreachable, "connection broke off"},
		"reset in mid-body":     {apitest.CutOff(marketPage(1, 1, 1, "p")), again, api.Unreachable, "connection broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tries atomic.Int64
				e := failure(t, page(t, newClient(t, counted(tt.answer, &tries), retries(3))))
				text := e.Error()
				if e.Elsewhere {
					text += " (elsewhere)"
				}
				must.Equal(t, fmt.Sprint(tries.Load(), e.Kind, text), fmt.Sprint(tt.tries, tt.kind, tt.text))
				must.Equal(t, e.Role == api.RoleAPIUser, tt.kind == api.Forbidden, e.Role)
			})
		})
	}
}

func TestAnyStatusOfSuccessIsOne(t *testing.T) {
	for _, status := range []int{200, 201, 202, 203} {
		read := func(body string) *api.Client { return newClient(t, apitest.Status(status, body), mayRetire) }
		m, err := read(marketPage(1, 1, 1, "p")).Market(t.Context(), 0, nil)
		r, err2 := read(retirement).Retirement(t.Context(), "r1")
		p, err3 := read(`{"projects":[{"project_id":12345,"sdgs":null,"vintages":null}]}`).Projects(t.Context(), "12345")
		accepted, err4 := read(`{"retirement_request_id":12345}`).RequestRetirement(t.Context(), []byte(`{}`))
		must.Succeed(t, err, err2, err3, err4)
		must.Hold(t, m.Orders() == 1 && r.ID == "r1" && len(p) == 1 && accepted.RequestID == "12345",
			status, m.Orders(), r.ID, len(p), accepted.RequestID)
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
	for raw, safe := range map[string]bool{
		"https://registry.example/project/1?x=1#y":  true,
		"http://127.0.0.1:8080/c.pdf":               true,
		"http://localhost/c.pdf":                    true,
		"http://[::1]/c.pdf":                        true,
		"HTTPS://registry.example":                  true,
		"http://registry.example/c.pdf":             false,
		"http://localhost.example/":                 false,
		"javascript:alert(1)":                       false,
		"file:///etc/passwd":                        false,
		"file://localhost/etc/passwd":               false,
		"-x":                                        false,
		"--help":                                    false,
		"/etc/passwd":                               false,
		"//registry.example/":                       false,
		"https://registry.example@evil.example/":    false,
		"https://user:pass@registry.example/":       false,
		"https://registry.example/\x1b]0;x":         false,
		"https://registry.example/\u009b":           false,
		"https://registry.example/a b":              false,
		"https://registry.example/\n":               false,
		"https://\u202eevil.example":                false,
		"https://evil.example/\u034f\U000E0041":     false,
		"https://evil.example/\ufffd":               false,
		wire.Clean("https://\u202eevil.example"):    false,
		wire.Clean("https://evil.example/\u2066x"):  false,
		wire.Clean("https://evil.example/\x1b]0;x"): false,
		"https://森.example/森":                       true,
		"https://":                                  false,
		"https:///path":                             false,
		"https:registry.example":                    false,
		"ssh://registry.example":                    false,
		"data:text/html,x":                          false,
		"https://registry.example:port/":            false,
		"":                                          false,
	} {
		u, err := api.CheckURL(raw)
		must.Hold(t, (err == nil) == safe && (u != nil) == safe, raw, u, err)
		must.Hold(t, err == nil || api.KindOf(err) == api.Refused, raw, err)
	}
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
	must.Equal(t, failure(t, page(t, newClient(t, apitest.Status(422, `{"error":"`+code+`"}`)))).Code, "…")
}
