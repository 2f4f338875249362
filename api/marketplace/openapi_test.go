package marketplace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/docs"
	"tonne/model/country"
	must "tonne/model/musttest"
)

func TestAnswersMatchTheOpenAPIDocument(t *testing.T) {
	t.Parallel()
	d := openDemo(t)
	doc := newOpenAPI(t)
	send := func(method, target, body string) *httptest.ResponseRecorder {
		return doc.Send(t, d.Marketplace, sentRequest{Key: d.Key, Method: method, Target: target, Body: body})
	}
	send("GET", "/api/market?page=2&per_page=7", "")
	send("GET", "/api/market?page=99", "")
	send("GET", "/api/inventory?trades_per_wallet=2&trade_type=BUY&wallet_min_quantity=1", "")
	for _, target := range []string{"/api/market", "/api/inventory"} {
		doc.Send(t, d.Marketplace, sentRequest{Key: d.Key, Method: "GET", Target: target, Known: "*"})
	}
	send("GET", "/api/projects", "")
	send("GET", "/api/projects?project_ids[]="+d.Text("SELECT id FROM projects"), "")
	for _, r := range d.made.Retirements {
		w := send("GET", "/api/retirement?id="+r.ID, "")
		if url, ok := members(t, w)["service_proof_of_retirement_certificate_url"].(string); ok {
			send("GET", strings.TrimPrefix(url, "http://example.com"), "")
		}
		send("POST", "/api/retirement", `{"id":"`+r.ID+`"}`)
	}
	where := " FROM sell_orders s JOIN vintages v ON v.number = s.vintage WHERE s.state = 'LIVE' AND s.quantity_grams > 90000000 ORDER BY s.number LIMIT 1"
	send("POST", "/api/caas/request-retirement",
		`{"vintage_id":"`+d.Text("SELECT v.id"+where)+`","sell_order_id":"`+d.Text("SELECT s.id"+where)+
			`","expected_price_cents":"`+d.Text("SELECT s.price_cents"+where)+
			`","quantity_grams":"50000020","external_id":"e","external_retiree_id":null}`)
	send("GET", "/api/api-keys", "")
	send("POST", "/api/api-keys", `{"name":"a"}`)
	send("DELETE", "/api/api-keys/"+d.Text("SELECT id FROM api_keys WHERE name = 'a'"), "")
	send("DELETE", "/api/api-keys/..", "") // The path is not plain.
	for _, target := range []string{"/healthz", "/readyz", "/openapi.json", "/metrics", "/certificates/nope.pdf"} {
		send("GET", target, "")
	}
	d.draining.Store(true)
	send("GET", "/readyz", "")
	d.draining.Store(false)
	sendRefused(t, doc, d)
	wantAllSeen(t, doc)
}

// sendRefused provokes each kind of refusal at each endpoint.
func sendRefused(t *testing.T, d *openAPI, f *fixture) {
	noRole := f.NewKey("Third Ltd", "Accountant")
	limited := open(t, "", Options{RatePerSecond: 0.001, Burst: 1})
	slow := must.Get(limited.CreateKey(t.Context(), "Slow Ltd", "", ""))
	call(limited, slow.Secret, "GET", "/api/market", "")
	broken := newFixture(t)
	broken.Exec("DROP TABLE api_keys")
	d.Send(t, f.Marketplace, sentRequest{Method: "GET", Target: "/certificates/nope.pdf", Context: late(t)})
	f.certificateLimits = newLimiter(0.001, 0, f.Clock.Now)
	d.Send(t, f.Marketplace, sentRequest{Method: "GET", Target: "/certificates/nope.pdf", Context: canceled(t)})
	ids := make([]string, maxProjectIDs+1)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	for _, e := range []sentRequest{
		{Method: "GET", Target: "/api/market?page=-1"}, {Method: "GET", Target: "/api/inventory?page=-1"},
		{Method: "GET", Target: "/api/retirement?id=00mnope"}, {Method: "POST", Target: "/api/retirement", Body: "{}"},
		{Method: "GET", Target: "/api/projects?project_ids=" + strings.Join(ids, ",")},
		{Method: "POST", Target: "/api/caas/request-retirement", Body: "{}"},
		{Method: "GET", Target: "/api/api-keys"}, {Method: "POST", Target: "/api/api-keys", Body: "{}"},
		{Method: "DELETE", Target: "/api/api-keys/00nnope"},
	} {
		for _, key := range []string{"", noRole, f.Key} {
			e.Key = key
			d.Send(t, f.Marketplace, e)
		}
		timedOut := e
		timedOut.Context = late(t)
		d.Send(t, f.Marketplace, timedOut)
		d.Send(t, broken.Marketplace, e)
		e.Key = slow.Secret
		d.Send(t, limited, e)
		if e.Method == "POST" {
			e.Key = f.Key
			sendBadBodies(t, d, f, e)
		}
	}
}

// sendBadBodies sends bodies that are not complete JSON in UTF-8, or too large.
func sendBadBodies(t *testing.T, d *openAPI, f *fixture, e sentRequest) {
	for status, change := range map[int]func(*sentRequest){
		http.StatusRequestEntityTooLarge: func(s *sentRequest) { s.Body = `{"name":"` + strings.Repeat("a", maxBody) + `"}` },
		http.StatusUnsupportedMediaType: func(s *sentRequest) {
			s.Body, s.MediaType = "id=1", "application/x-www-form-urlencoded"
		},
		http.StatusRequestTimeout: func(s *sentRequest) { s.Broken = &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded} },
		http.StatusBadRequest:     func(s *sentRequest) { s.Broken = errors.New("malformed chunked encoding") },
	} {
		s := e
		change(&s)
		w := d.Send(t, f.Marketplace, s)
		must.Equal(t, w.Code, status, e.Target, w.Body)
	}
}

// wantAllSeen reports every described answer that was not provoked. A certificate fails only
// with the database, and a request that cannot be parsed needs a connection.
func wantAllSeen(t *testing.T, d *openAPI) {
	t.Helper()
	for path, item := range d.Document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				unparsed := status == "431" || status == "400" && method != http.MethodPost
				must.Hold(t, path+" "+status == "/certificates/{name} 500" || unparsed ||
					d.Seen[method+" "+path+" "+status], "no answer was checked for", method, path, status)
			}
		}
	}
}

func TestErrorBodiesDifferByStatusCode(t *testing.T) {
	t.Parallel()
	// schemas has the schemas whose member statusCode may have a value.
	schemas := make(map[string]map[string]bool)
	described := make(map[string]string)
	for path, item := range newOpenAPI(t).Document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				if status < "400" || method == http.MethodHead || path == "/readyz" {
					continue
				}
				body := response.Value.Content["application/json"]
				if body == nil || len(response.Value.Content) != 1 {
					t.Errorf("%s %s: %s is not only JSON", method, path, status)
					continue
				}
				code := body.Schema.Value.Properties["statusCode"].Value
				for _, one := range append(code.Enum, code.Const) {
					name := fmt.Sprint(one)
					if schemas[name] == nil {
						schemas[name] = make(map[string]bool)
					}
					schemas[name][body.Schema.Ref] = one != nil
				}
				described[status] = body.Schema.Ref
			}
		}
	}
	for status, schema := range described {
		must.Hold(t, len(schemas[status]) == 1 && schemas[status][schema], status, schema, schemas[status])
	}
	must.Hold(t, len(described) >= 8, len(described))
}

// schema is a schema of the OpenAPI document.
func schema(t *testing.T, name string) (s struct {
	MaxLength int
	Pattern   string
	Enum      []string
}) {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	must.Succeed(t, json.Unmarshal(docs.OpenAPI, &doc))
	must.Succeed(t, json.Unmarshal(doc.Components.Schemas[name], &s))
	return s
}

// The patterns of texts are what the service accepts, except for joiners, which depend on their
// place. A required text has more than blanks.
func TestOpenAPIDocumentDescribesTexts(t *testing.T) {
	t.Parallel()
	text := schema(t, "Text")
	must.Hold(t, text.MaxLength == maxText && textFault(strings.Repeat("界", text.MaxLength)) == "" &&
		textFault(strings.Repeat("界", text.MaxLength+1)) != "", "the longest text has", maxText, text.MaxLength)
	pattern, required := regexp.MustCompile(text.Pattern), regexp.MustCompile(schema(t, "RequiredText").Pattern)
	must.Equal(t, schema(t, "RequiredText").MaxLength, text.MaxLength)
	for _, blank := range []string{"", " ", "  "} {
		must.Hold(t, pattern.MatchString(blank) && !required.MatchString(blank), "a blank text", blank)
	}
	// Matching all that is accepted at once is faster than matching each.
	accepted := []rune{'a'}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if plane := r >> 16; plane > 3 && plane != 14 {
			// No character of these planes is assigned: a few are enough.
			r += 0x3fe
		}
		text := "a" + string(r) + "a"
		clean := wire.IsClean(text)
		if !utf8.ValidRune(r) || strings.ContainsRune("\u200c\u200d\ufe0e\ufe0f", r) {
			continue
		}
		if clean {
			accepted = append(accepted, r, 'a')
		}
		if !clean && (pattern.MatchString(text) || required.MatchString(text)) {
			t.Errorf("U+%04X is accepted: %v", r, clean)
		}
	}
	must.Hold(t, pattern.MatchString(string(accepted)) && required.MatchString(string(accepted)),
		"a character that is accepted is not described")
}

func TestOpenAPIDocumentDescribesCountriesAndDigits(t *testing.T) {
	t.Parallel()
	codes := schema(t, "CountryCode").Enum
	for code := range country.All {
		must.Need(t, len(codes) != 0 && codes[0] == code, code, codes)
		codes = codes[1:]
	}
	must.Hold(t, len(codes) == 0, codes)
	digits := regexp.MustCompile(schema(t, "Digits").Pattern)
	for _, text := range []string{"1", "20", "0020", "9223372036854775807", "", "0", "000", "-1", "+1", "1.0", "1e6", " 1",
		"1 ", "99999999999999999999", "１"} {
		_, err := exchange.ParseQuantity(text, false)
		must.Equal(t, err == nil, digits.MatchString(text), text, err)
	}
}

func TestCertificateMemberHasTheConfiguredName(t *testing.T) {
	t.Parallel()
	d := openFixture(t, "", Options{RatePerSecond: -1, CertificateField: "acme", PublicURL: "https://market.example/"})
	id := d.Buy("a", 1_000_000, d.Sell(d.Vintages[0], 10, 620))
	d.Advance(3)
	w := d.Get("/api/retirement?id=" + id)
	url, ok := members(t, w)["acme_proof_of_retirement_certificate_url"].(string)
	must.Hold(t, ok && strings.HasPrefix(url, "https://market.example/certificates/") &&
		!strings.Contains(w.Body.String(), "service_proof"), w.Body)
	must.Equal(t, d.Retirement(id).CertificateURL, url, "the client does not find the member")
	document := d.Get("/openapi.json").Body.String()
	must.Hold(t, strings.Contains(document, `"acme_proof_of_retirement_certificate_url"`) &&
		!strings.Contains(document, "service_proof"), "the document names another member")
}

// openAPI checks answers against the OpenAPI document.
type openAPI struct {
	Document *openapi3.T
	// Seen has the answers that were checked, as "METHOD PATH STATUS".
	Seen   map[string]bool
	router routers.Router
}

// newOpenAPI reads the document.
func newOpenAPI(t testing.TB) *openAPI {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(docs.OpenAPI)
	must.Succeed(t, err)
	must.Succeed(t, doc.Validate(t.Context()))
	openapi3filter.RegisterBodyDecoder("application/pdf", openapi3filter.FileBodyDecoder)
	router, err := legacy.NewRouter(doc)
	must.Succeed(t, err)
	return &openAPI{Document: doc, Seen: make(map[string]bool), router: router}
}

// Check validates an answer, and its request if it succeeded.
func (d *openAPI) Check(t testing.TB, r *http.Request, body string, w *httptest.ResponseRecorder) {
	t.Helper()
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		t.Errorf("%s %s is not described: %v", r.Method, r.URL, err)
		return
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true,
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	r.Body = io.NopCloser(strings.NewReader(body))
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
	if w.Code < 300 {
		must.Fail(t, openapi3filter.ValidateRequest(t.Context(), in), nil, "request", r.Method, r.URL)
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: w.Code, Header: w.Result().Header, Options: options,
		Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
	})
	must.Fail(t, err, nil, r.Method, r.URL, w.Code, w.Body)
	// The library does not check these for HEAD and 304.
	answer := route.Operation.Responses.Status(w.Code)
	if answer == nil {
		t.Errorf("%s %s answered %d, which is not described", r.Method, r.URL, w.Code)
		return
	}
	for _, name := range []string{"ETag", "Market-Version"} {
		must.Equal(t, answer.Value.Headers[name] != nil, w.Header().Get(name) != "", r.Method, r.URL, w.Code, name,
			w.Header().Get(name))
	}
	d.Seen[r.Method+" "+route.Path+" "+strconv.Itoa(w.Code)] = true
}

// sentRequest is a request for openAPI.Send.
type sentRequest struct {
	Key, Method, Target, Body string
	// MediaType is the media type of the body, JSON if it is empty.
	MediaType string
	// Broken is the error of a body that ends early.
	Broken error
	// Known is the value of If-None-Match.
	Known string
	// Context is the test's if it is nil.
	Context context.Context
}

// Send checks the answer to a request, and to HEAD instead of GET.
func (d *openAPI) Send(t testing.TB, service *Marketplace, s sentRequest) *httptest.ResponseRecorder {
	t.Helper()
	if s.Context == nil {
		s.Context = t.Context()
	}
	in := io.Reader(strings.NewReader(s.Body))
	if s.Broken != nil {
		in = io.MultiReader(strings.NewReader(`{"na`), errReader{s.Broken})
	}
	r := httptest.NewRequestWithContext(s.Context, s.Method, s.Target, in)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	r.Header.Set("Content-Type", "application/json")
	if s.MediaType != "" {
		r.Header.Set("Content-Type", s.MediaType)
	}
	if s.Known != "" {
		r.Header.Set("If-None-Match", s.Known)
	}
	w := service.answer(r)
	d.Check(t, r, s.Body, w)
	if s.Method != http.MethodGet {
		return w
	}
	r = r.Clone(s.Context)
	r.Method, r.Body = http.MethodHead, http.NoBody
	head := service.answer(r)
	// A server drops the body of an answer to HEAD.
	head.Body.Reset()
	d.Check(t, r, "", head)
	for _, name := range []string{"Content-Type", "Cache-Control", "Vary", "ETag", "Market-Version"} {
		must.Hold(t, head.Code == w.Code && head.Header().Get(name) == w.Header().Get(name), "HEAD", r.URL, head.Code,
			head.Header(), w.Code, w.Header())
	}
	return w
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
