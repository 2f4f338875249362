package marketplace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tonne/docs"
)

// described checks answers against the OpenAPI description and remembers
// which of the described ones it has seen.
type described struct {
	doc    *openapi3.T
	router routers.Router
	seen   map[string]bool
}

func readDescription(t *testing.T) *described {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(docs.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("application/pdf", openapi3filter.FileBodyDecoder)
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &described{doc, router, make(map[string]bool)}
}

// check validates one answer, and its request where the answer says that it
// was a good one.
func (d *described) check(t *testing.T, r *http.Request, body string, w *httptest.ResponseRecorder) {
	t.Helper()
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		t.Errorf("%s %s is not described: %v", r.Method, r.URL, err)
		return
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	r.Body = io.NopCloser(strings.NewReader(body))
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
	if w.Code < 300 {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("request %s %s: %v", r.Method, r.URL, err)
		}
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: w.Code, Header: w.Result().Header, Options: options,
		Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
	})
	if err != nil {
		t.Errorf("%s %s answered %d %.300s: %v", r.Method, r.URL, w.Code, w.Body, err)
	}
	checkHeaders(t, r, route.Operation, w)
	d.seen[r.Method+" "+route.Path+" "+http.StatusText(w.Code)] = true
}

// checkHeaders checks what the library leaves out for HEAD and 304: that an
// answer is described, and with it the headers that a client asks again with.
func checkHeaders(t *testing.T, r *http.Request, o *openapi3.Operation, w *httptest.ResponseRecorder) {
	t.Helper()
	described := o.Responses.Status(w.Code)
	if described == nil {
		t.Errorf("%s %s answered %d, which is not described", r.Method, r.URL, w.Code)
		return
	}
	for _, name := range []string{"ETag", marketVersion} {
		if (described.Value.Headers[name] != nil) != (w.Header().Get(name) != "") {
			t.Errorf("%s %s answered %d with the %s %q, which is not as described", r.Method, r.URL, w.Code, name, w.Header().Get(name))
		}
	}
}

// exchange sends a request and checks the answer.
func (d *described) exchange(t *testing.T, m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	return d.exchangeUntil(t, t.Context(), m, key, method, target, body)
}

// exchangeUntil does the same for a client that waits until ctx ends.
func (d *described) exchangeUntil(t *testing.T, ctx context.Context, m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	d.check(t, r, body, w)
	if method == http.MethodGet {
		d.exchangeHead(t, r, m, w)
	}
	return w
}

// exchangeHead asks what GET was asked: the answer is as described, with the
// status and the headers of that.
func (d *described) exchangeHead(t *testing.T, get *http.Request, m *Marketplace, answer *httptest.ResponseRecorder) {
	t.Helper()
	r := get.Clone(get.Context())
	r.Method, r.Body = http.MethodHead, http.NoBody
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	// What a server does with the body of an answer to HEAD.
	w.Body.Reset()
	d.check(t, r, "", w)
	for _, name := range []string{"Content-Type", "Cache-Control", "Vary", "ETag", marketVersion} {
		if w.Code != answer.Code || w.Header().Get(name) != answer.Header().Get(name) {
			t.Errorf("HEAD %s: %d %s, GET %d %s", r.URL, w.Code, w.Header(), answer.Code, answer.Header())
		}
	}
}

// exchangeText sends a body that is not JSON.
func (d *described) exchangeText(t *testing.T, m *fixture, target string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader("id=1"))
	r.Header.Set("Authorization", "Bearer "+m.key)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	d.check(t, r, "", w)
}

func TestAnswersMatchTheOpenAPIDescription(t *testing.T) {
	t.Parallel()
	d, made := openDemo(t)
	doc := readDescription(t)
	send := func(method, target, body string) *httptest.ResponseRecorder {
		return doc.exchange(t, d.Marketplace, d.key, method, target, body)
	}
	send("GET", "/api/market?page=2&per_page=7", "")
	send("GET", "/api/market?page=99", "")
	send("GET", "/api/inventory?trades_per_wallet=2&trade_type=BUY&wallet_min_quantity=1", "")
	for _, target := range []string{"/api/market", "/api/inventory"} {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Header.Set("Authorization", "Bearer "+d.key)
		r.Header.Set("If-None-Match", "*")
		w := d.getWith(target, "If-None-Match", "*")
		doc.check(t, r, "", w)
		doc.exchangeHead(t, r, d.Marketplace, w)
	}
	send("GET", "/api/projects", "")
	send("GET", "/api/projects?project_ids[]="+d.text("SELECT id FROM projects"), "")
	for _, r := range made.Retirements {
		w := send("GET", "/api/retirement?id="+r.ID, "")
		if url, ok := members(t, w.Body.String())["service_proof_of_retirement_certificate_url"].(string); ok {
			send("GET", strings.TrimPrefix(url, "http://example.com"), "")
		}
		send("POST", "/api/retirement", `{"id":"`+r.ID+`"}`)
	}
	send("POST", "/api/caas/request-retirement", purchaseBody(d))
	send("GET", "/api/api-keys", "")
	send("POST", "/api/api-keys", `{"name":"a"}`)
	send("DELETE", "/api/api-keys/"+d.text("SELECT id FROM api_keys WHERE name = 'a'"), "")
	for _, target := range []string{"/healthz", "/readyz", "/openapi.json", "/metrics", "/certificates/nope.pdf"} {
		send("GET", target, "")
	}
	d.draining.Store(true)
	send("GET", "/readyz", "")
	d.draining.Store(false)
	sendBadRequests(t, doc, d)
	doc.wantAllSeen(t)
}

// exchangeBroken sends a body that fails in the middle.
func (d *described) exchangeBroken(t *testing.T, m *fixture, target string, err error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target, brokenBody(err))
	r.Header.Set("Authorization", "Bearer "+m.key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	d.check(t, r, "", w)
}

// tooLate is the context of a request that has waited for too long.
func tooLate(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), -1)
	t.Cleanup(cancel)
	return ctx
}

// canceled is the context of a client that has gone.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// purchaseBody is a retirement that buys from a live order of the demo.
func purchaseBody(d *fixture) string {
	where := " FROM sell_orders s JOIN vintages v ON v.number = s.vintage WHERE s.state = 'LIVE' AND s.quantity_grams > 90000000 ORDER BY s.number LIMIT 1"
	return `{"vintage_id":"` + d.text("SELECT v.id"+where) + `","sell_order_id":"` + d.text("SELECT s.id"+where) +
		`","expected_price_cents":"` + d.text("SELECT s.price_cents"+where) + `","quantity_grams":"50000020","external_id":"e","external_retiree_id":null}`
}

// sendBadRequests provokes each kind of refusal at each endpoint.
func sendBadRequests(t *testing.T, doc *described, d *fixture) {
	noRole := d.newKey("Third Ltd", "Accountant")
	limited := open(t, "", Options{RatePerSecond: 0.001, Burst: 1})
	key, err := limited.CreateKey(t.Context(), "Slow Ltd", "", "")
	if err != nil {
		t.Fatal(err)
	}
	broken := breakDatabase(t)
	call(limited, key.Secret, "GET", "/api/market", "")
	doc.exchangeUntil(t, tooLate(t), d.Marketplace, "", "GET", "/certificates/nope.pdf", "")
	d.certificateLimits = newLimiter(0.001, 0, d.clock.Now)
	doc.exchangeUntil(t, canceled(t), d.Marketplace, "", "GET", "/certificates/nope.pdf", "")
	for _, e := range []struct{ method, target, bad string }{
		{"GET", "/api/market?page=-1", ""}, {"GET", "/api/inventory?page=-1", ""}, {"GET", "/api/retirement?id=00mnope", ""},
		{"POST", "/api/retirement", "{}"}, {"GET", "/api/projects?project_ids=" + manyIDs(maxProjectIDs+1), ""},
		{"POST", "/api/caas/request-retirement", "{}"}, {"GET", "/api/api-keys", ""}, {"POST", "/api/api-keys", "{}"},
		{"DELETE", "/api/api-keys/00nnope", ""},
	} {
		doc.exchange(t, d.Marketplace, "", e.method, e.target, e.bad)
		doc.exchange(t, d.Marketplace, noRole, e.method, e.target, e.bad)
		doc.exchange(t, d.Marketplace, d.key, e.method, e.target, e.bad)
		doc.exchange(t, limited, key.Secret, e.method, e.target, e.bad)
		doc.exchange(t, broken, d.key, e.method, e.target, e.bad)
		if e.method == "POST" {
			doc.exchange(t, d.Marketplace, d.key, e.method, e.target, `{"name":"`+strings.Repeat("a", maxBody)+`"}`)
			doc.exchangeText(t, d, e.target)
			doc.exchangeBroken(t, d, e.target, os.ErrDeadlineExceeded)
			doc.exchangeBroken(t, d, e.target, io.ErrUnexpectedEOF)
		}
		doc.exchangeUntil(t, tooLate(t), d.Marketplace, d.key, e.method, e.target, e.bad)
	}
}

// manyIDs is a list of different ids.
func manyIDs(n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	return strings.Join(ids, ",")
}

// breakDatabase is a service whose database answers nothing.
func breakDatabase(t *testing.T) *Marketplace {
	t.Helper()
	m := open(t, "", Options{})
	alter(t, m, func(c *change) error { return c.exec("DROP TABLE api_keys") })
	return m
}

// wantAllSeen reports every described answer that was not provoked. A
// certificate fails only with the database, and a request that cannot be parsed
// needs a connection.
func (d *described) wantAllSeen(t *testing.T) {
	t.Helper()
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				code, err := strconv.Atoi(status)
				if err != nil {
					t.Fatal(err)
				}
				name := method + " " + path + " " + http.StatusText(code)
				unparsed := status == "431" || status == "400" && method != http.MethodPost
				if path+" "+status != "/certificates/{name} 500" && !unparsed && !d.seen[name] {
					t.Errorf("no answer was checked against %s", name)
				}
			}
		}
	}
}

func TestErrorBodiesDifferByStatusCode(t *testing.T) {
	t.Parallel()
	// admits has the schemas of bodies by the status codes that they may say.
	admits := make(map[string]map[string]bool)
	described := make(map[string]string)
	for path, item := range readDescription(t).doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				if status < "400" || method == http.MethodHead || path == "/readyz" {
					continue
				}
				body := response.Value.Content["application/json"]
				if body == nil || len(response.Value.Content) != 1 {
					t.Errorf("%s %s: %s is not JSON alone", method, path, status)
					continue
				}
				code := body.Schema.Value.Properties["statusCode"].Value
				for _, one := range append(code.Enum, code.Const) {
					name := fmt.Sprint(one)
					if admits[name] == nil {
						admits[name] = make(map[string]bool)
					}
					admits[name][body.Schema.Ref] = one != nil
				}
				described[status] = body.Schema.Ref
			}
		}
	}
	for status, schema := range described {
		if len(admits[status]) != 1 || !admits[status][schema] {
			t.Errorf("%s is a %s, and its code is admitted by %v", status, schema, admits[status])
		}
	}
	if len(described) < 8 {
		t.Errorf("%d statuses were seen", len(described))
	}
}
