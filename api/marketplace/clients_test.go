package marketplace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/docs"
	"tonne/model/country"
)

// What clients of other makes do, and what the description promises them.

func TestParametersInFormsThatWouldBeIgnoredAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, target := range []string{
		"/api/projects?project_ids[0]=a", "/api/projects?project_ids%5B1%5D=a&project_ids%5B0%5D=b", "/api/projects?project_ids[id]=a",
		"/api/projects?project_ids[=a", "/api/market?page[]=2", "/api/market?page[]=2&page[]=3", "/api/market?page=1&page[]=2",
		"/api/market?per_page[0]=2", "/api/inventory?trade_type[]=BUY", "/api/inventory?wallet_min_quantity[gte]=1",
		"/api/inventory?trades_per_wallet[]=1", "/api/retirement?id[]=a", "/api/inventory?trade_type=", "/api/market?per_page=",
	} {
		f := refused(t, d.get(target), 422)
		if f.Code != "VALIDATION_ERROR" || !strings.Contains(f.Message, " must be ") {
			t.Errorf("%s: %+v", target, f)
		}
	}
	for _, query := range []string{"id[]=a", "id=", "id=&id="} {
		refused(t, call(d.Marketplace, d.key, "POST", "/api/retirement?"+query, `{"id":"a"}`), 422)
	}
	for _, query := range []string{"last_key[]=true", "last_key=", "last_key=yes"} {
		refused(t, call(d.Marketplace, d.key, "DELETE", "/api/api-keys/00nnope?"+query, ""), 422)
	}
	for _, target := range []string{"/api/projects?project_ids[]=a&project_ids[]=b", "/api/projects?project_ids=a,b", "/api/market?colour[]=blue"} {
		if w := d.get(target); w.Code != 200 {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestAPageIsTheOneThatWasAskedFor(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, page := range []string{"2147483647", "2147483648", "4294967297", "9007199254740991"} {
		for _, listing := range []string{"/api/market", "/api/inventory"} {
			w := d.get(listing + "?page=" + page)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"current_page":`+page+",") {
				t.Errorf("%s, page %s: %d %s", listing, page, w.Code, w.Body)
			}
		}
	}
	for _, page := range []string{"9007199254740992", "9223372036854775807", "9223372036854775808", "99999999999999999999"} {
		if f := refused(t, d.get("/api/market?page="+page), 422); f.Message != "page must be at most 9007199254740991" {
			t.Errorf("page %s: %+v", page, f)
		}
	}
}

func TestPathsThatAreNotPlainAreAnsweredInJSON(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, target := range []string{
		"//api/market", "/api//market", "/api/market//", "/api/./market", "/api/../api/market", "/./", "//", "/api/market/", "/", "/api",
		"/certificates/", "/certificates//a.pdf", "/api/api-keys/", "/%2e%2e/api/market", "/api/market/..", "/api/%2Fmarket",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			r := httptest.NewRequest(method, "http://market.example"+target, nil)
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, r)
			if w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s %s: %d %s", method, target, w.Code, w.Header())
				continue
			}
			f := members(t, w.Body.String())
			if w.Code != 404 && w.Code != 405 || f["error"] != http.StatusText(w.Code) || f["statusCode"] != float64(w.Code) {
				t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
			}
		}
	}
}

// FuzzEveryPathIsAnsweredInJSON finds no path that is answered with anything
// else: the others are described, and plain.
func FuzzEveryPathIsAnsweredInJSON(f *testing.F) {
	for _, path := range []string{"/", "//", "/api//market", "/a/../b", "/%2f", "/api/market/", "*", "/;"} {
		f.Add(path)
	}
	m, err := Open(f.Context(), "", Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = m.Close() })
	f.Fuzz(func(t *testing.T, path string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")))
		if err != nil || r.URL.Path == "/metrics" {
			return
		}
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Content-Type"); got != "application/json" || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q: %d %s", path, w.Code, got)
		}
	})
}

func TestAnIDIsTheSameInTheQueryAndInTheBody(t *testing.T) {
	t.Parallel()
	d := stocked(t)
	id := d.text("SELECT id FROM retirement_requests LIMIT 1")
	post := func(query, body string) *httptest.ResponseRecorder {
		return call(d.Marketplace, d.key, "POST", "/api/retirement"+query, body)
	}
	for _, body := range []string{"", "{}", `{"id":null}`, `{"id":"` + id + `"}`} {
		if w := post("?id="+id, body); w.Code != 200 {
			t.Errorf("body %s: %d %s", body, w.Code, w.Body)
		}
	}
	for _, body := range []string{`{"id":"00mother"}`, `{"id":7}`, `{"id":`, `[]`} {
		if f := refused(t, post("?id="+id, body), 422); f.Code != "VALIDATION_ERROR" {
			t.Errorf("body %s: %+v", body, f)
		}
	}
}

func TestBodiesOfAnotherMediaTypeAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	send := func(target, kind, coding, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", target, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+d.key)
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Content-Encoding", coding)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		return w
	}
	for _, target := range []string{"/api/retirement", "/api/caas/request-retirement", "/api/api-keys"} {
		for _, kind := range []string{
			"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "application/jsonl",
			"application/json; charset=utf-16", "application/json; charset", "json", "/", "application/problem+json",
		} {
			w := send(target, kind, "", "{}")
			if f := members(t, w.Body.String()); w.Code != 415 || f["error"] != "Unsupported Media Type" || f["statusCode"] != 415.0 {
				t.Errorf("%s of %s: %d %s", target, kind, w.Code, w.Body)
			}
		}
		if w := send(target, "application/json", "gzip", "{}"); w.Code != 415 {
			t.Errorf("%s, compressed: %d %s", target, w.Code, w.Body)
		}
		for _, kind := range []string{"", "application/json", "Application/JSON; Charset=UTF-8", "application/json; profile=x"} {
			if w := send(target, kind, "identity", "{}"); w.Code != 422 {
				t.Errorf("%s of %s: %d %s", target, kind, w.Code, w.Body)
			}
		}
	}
	if w := send("/api/retirement?id=00mnope", "text/plain", "", ""); w.Code != 422 {
		t.Errorf("no body, which is no text either: %d %s", w.Code, w.Body)
	}
}

func TestErrorsCarryTheNameOfTheirStatus(t *testing.T) {
	t.Parallel()
	limited := open(t, "", Options{RatePerSecond: 0.001, Burst: 1})
	key, err := limited.CreateKey(t.Context(), "Slow Ltd", "", "")
	if err != nil {
		t.Fatal(err)
	}
	large := call(limited, key.Secret, "POST", "/api/api-keys", `{"name":"`+strings.Repeat("a", maxBody)+`"}`)
	many := call(limited, key.Secret, "GET", "/api/market", "")
	limited.draining.Store(true)
	ready := call(limited, "", "GET", "/readyz", "")
	for w, want := range map[*httptest.ResponseRecorder]string{
		large: "413 Request Entity Too Large", many: "429 Too Many Requests", ready: "503 Service Unavailable",
	} {
		f := members(t, w.Body.String())
		wantNames(t, f, "statusCode", "error", "message")
		if got := fmt.Sprint(w.Code, " ", f["error"]); got != want || f["statusCode"] != float64(w.Code) {
			t.Errorf("%s, want %s", w.Body, want)
		}
	}
}

func TestMembersThatAreNotKnownAreIgnored(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if w := call(d.Marketplace, d.key, "POST", "/api/api-keys", `{"name":"a","colour":"blue","page[]":[1,{"b":2}]}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if f := refused(t, call(d.Marketplace, d.key, "POST", "/api/retirement", `{"id":"00mnope","ID":"x"}`), 422); f.Code != "NOT_FOUND" {
		t.Errorf("%+v", f)
	}
}

func TestTheMemberOfTheCertificateIsTheOperatorsChoice(t *testing.T) {
	t.Parallel()
	d := openFixture(t, "", Options{RatePerSecond: -1, CertificateField: "acme"})
	id := d.inProgress("a", 1)
	if err := d.CompleteRetirement(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	answer := d.get("/api/retirement?id=" + id).Body.String()
	if url, ok := members(t, answer)["acme_proof_of_retirement_certificate_url"].(string); !ok || !strings.HasSuffix(url, ".pdf") || strings.Contains(answer, "service_proof") {
		t.Error(answer)
	}
	if d.lookup(id).CertificateURL == "" {
		t.Error("the client does not find it")
	}
	description := d.get("/openapi.json").Body.String()
	if !strings.Contains(description, `"acme_proof_of_retirement_certificate_url"`) || strings.Contains(description, "service_proof") {
		t.Error("the description names another member")
	}
}

// schema is a schema of the description.
func schema(t *testing.T, name string) (s struct {
	MaxLength int
	Pattern   string
	Enum      []string
}) {
	t.Helper()
	var doc struct {
		Components struct {
			Schemas map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(docs.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(doc.Components.Schemas[name], &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The pattern of a text is what is refused, except characters beyond the
// basic plane, which the patterns of some clients cannot name, and for those
// that are taken at some places.
func TestTheDescriptionNamesTheTextsThatAreRefused(t *testing.T) {
	t.Parallel()
	text := schema(t, "Text")
	if text.MaxLength != maxText || textFault(strings.Repeat("界", text.MaxLength)) != "" || textFault(strings.Repeat("界", text.MaxLength+1)) == "" {
		t.Errorf("the longest text has %d characters, the description says %d", maxText, text.MaxLength)
	}
	pattern := regexp.MustCompile(text.Pattern)
	beyond := &unicode.RangeTable{R32: []unicode.Range32{
		{Lo: 0x13430, Hi: 0x1343f, Stride: 1}, {Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1}, {Lo: 0x1d173, Hi: 0x1d17a, Stride: 1}, {Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
	}}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f' {
			continue
		}
		if text, described := "a"+string(r)+"a", !unicode.Is(beyond, r); wire.IsClean(text) != (pattern.MatchString(text) && described) {
			t.Errorf("U+%04X is taken: %v", r, wire.IsClean(text))
		}
	}
}

func TestTheDescriptionNamesTheCountriesAndTheDigits(t *testing.T) {
	t.Parallel()
	codes := schema(t, "CountryCode").Enum
	for code := range country.All {
		if len(codes) == 0 || codes[0] != code {
			t.Fatalf("%s is not described in its place: %q", code, codes)
		}
		codes = codes[1:]
	}
	if len(codes) > 0 {
		t.Errorf("%q are no countries", codes)
	}
	digits := regexp.MustCompile(schema(t, "Digits").Pattern)
	for _, text := range []string{"1", "20", "0020", "9223372036854775807", "", "0", "000", "-1", "+1", "1.0", "1e6", " 1", "1 ", "99999999999999999999", "１"} {
		_, err := exchange.ParseQuantity(text, false)
		if (err == nil) != digits.MatchString(text) {
			t.Errorf("%q: %v, the pattern says %v", text, err, digits.MatchString(text))
		}
	}
}

func TestACountryOfARetireeIsOneOfISO3166(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 5, 620)
	ask := func(country string) *httptest.ResponseRecorder {
		return d.retire(d.key, body{
			"vintage_id": d.vintages[0].id, "quantity_grams": "1000000", "external_id": "c" + country, "sell_order_id": order, "expected_price_cents": "620",
			"should_retire_external_customer": true, "external_retiree_name": "A", "external_retiree_tax_id": "1", "external_retiree_location": country,
		})
	}
	for _, country := range []string{"EU", "UK", "XK", "ZZ", "gb", "GBR"} {
		if f := refused(t, ask(country), 422); f.Code != "VALIDATION_ERROR" || !strings.Contains(f.Message, "ISO 3166-1") {
			t.Errorf("%s: %+v", country, f)
		}
	}
	if w := ask("SS"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
