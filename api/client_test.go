package api_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model/portfolio"
)

func TestBaseURLMustBeSafe(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for _, bad := range []string{"two words", "line\nbreak", "käse"} {
		if _, err := api.New(api.Options{BaseURL: "https://market.example", Key: bad}); api.KindOf(err) != api.Refused || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRequestsAreThoseOfTheInterface(t *testing.T) {
	t.Parallel()
	var got []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := url.QueryUnescape(r.URL.RawQuery)
		got = append(got, r.Method+" "+r.URL.Path+"?"+query)
		if a := r.Header.Get("Authorization"); a != "Bearer "+key {
			t.Errorf("Authorization is %q", a)
		}
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
	if !reflect.DeepEqual(got, want) {
		t.Errorf("requests are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestErrorAnswersAreTyped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.Handler
		kind   api.Kind
		text   string
	}{
		"401":                {apitest.Status(401, `{"statusCode":401,"message":"Unauthorized"}`), api.Unauthorized, "the service does not accept the API key"},
		"403":                {apitest.Status(403, `{"statusCode":403,"message":"Permission denied","error":"Forbidden"}`), api.Forbidden, `the user of the API key does not hold the role "API User"`},
		"422 not found":      {apitest.Status(422, `{"statusCode":422,"error":"NOT_FOUND","message":"No such request"}`), api.NotFound, "No such request (NOT_FOUND)"},
		"422 invalid":        {apitest.Status(422, `{"error":"VALIDATION_ERROR","message":["id is bad","id is long"]}`), api.Invalid, "id is bad; id is long (VALIDATION_ERROR)"},
		"422 in HTML":        {apitest.Status(422, `<p>NOT_FOUND</p>`), api.NotFound, "the service knows no such record of yours"},
		"422 without a body": {apitest.Status(422, ``), api.Invalid, "the service does not accept the request"},
		"429":                {apitest.RateLimited("7"), api.RateLimited, "the service asks for fewer requests"},
		"500":                {apitest.Status(500, `{"statusCode":500,"message":"Internal server error"}`), api.ServerError, "the service answered 500"},
		"503 in HTML":        {apitest.Status(503, `<h1>Sorry</h1>`), api.ServerError, "the service answered 503"},
		"404":                {apitest.Status(404, `{"statusCode":404,"message":"Cannot GET /api/market"}`), api.NotTheAPI, "the service answered 404"},
		"404 in JSON":        {apitest.Status(404, `{"error":"NOT_FOUND"}`), api.NotFound, "the service knows no such record of yours"},
		"404 in HTML":        {apitest.Status(404, `<h1>NOT_FOUND</h1>`), api.NotTheAPI, "the service answered 404"},
		"418":                {apitest.Status(418, ``), api.NotTheAPI, "the service answered 418"},
		"204":                {apitest.Status(204, ``), api.NotTheAPI, "unreadable answer: the answer is empty"},
		"HTML with 200":      {apitest.HTML(), api.NotTheAPI, "what answers is not the marketplace: the answer is a web page"},
		"an empty object":    {apitest.JSON(`{}`), api.NotTheAPI, "unreadable answer: the answer has no projects"},
		"cut-off JSON":       {apitest.JSON(`{"projects":[`), api.NotTheAPI, "unreadable answer: the answer is cut off"},
		"reset":              {apitest.Reset(), api.Unreachable, "connection broke off"},
		"reset in mid-body":  {apitest.CutOff(marketPage(1, 1, 1, "p")), api.Unreachable, "connection broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := newClient(t, tt.answer).MarketPage(t.Context(), api.MarketQuery{})
			e := failure(t, err)
			if e.Kind != tt.kind || e.Error() != tt.text {
				t.Errorf("error is %d %q, want %d %q", e.Kind, e, tt.kind, tt.text)
			}
			if (e.Role == api.RoleAPIUser) != (tt.kind == api.Forbidden) {
				t.Errorf("role is %q", e.Role)
			}
		})
	}
}

func TestErrorTextIsSanitised(t *testing.T) {
	t.Parallel()
	body := `{"error":"A\u001b]0;x\u0007","message":"\u009b2J\r\n\u202e"}`
	_, _, err := newClient(t, apitest.Status(422, body)).MarketPage(t.Context(), api.MarketQuery{})
	if got, want := failure(t, err).Error(), "<U+009B>2J␍␊<U+202E> (A␛]0;x␇)"; got != want {
		t.Errorf("error is %q, want %q", got, want)
	}
	_, _, err = newClient(t, apitest.Redirect("https://\u202eevil.example/\x1b")).MarketPage(t.Context(), api.MarketQuery{})
	if got := failure(t, err).Error(); strings.ContainsAny(got, "\u202e\x1b") {
		t.Errorf("error is %q", got)
	}
}

func TestCancelledCallSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, _, err := newClient(t, h, retries(5)).MarketPage(ctx, api.MarketQuery{})
	if e := failure(t, err); e.Kind != api.Cancelled || !strings.Contains(e.Error(), "cancelled") {
		t.Errorf("error is %v", e)
	}
}

func TestErrorNeverShowsAPartOfTheKey(t *testing.T) {
	t.Parallel()
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
		_, _, err := newClient(t, answer).MarketPage(t.Context(), api.MarketQuery{})
		if got := failure(t, err).Error(); strings.Contains(got, key[:len(key)/2]) {
			t.Errorf("%s: error is %q", what, got)
		}
	}
}

func TestLogTellsOfEachTryWithoutTheKey(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := newClient(t, apitest.Status(422, `{"message":"key `+key+` is unknown"}`), func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
	failure(t, err)
	if got := log.String(); !strings.Contains(got, "status=422") || strings.Contains(got, key) {
		t.Errorf("log is %q", got)
	}
}
