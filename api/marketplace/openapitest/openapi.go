// Package openapitest compares answers of a marketplace with the OpenAPI document. It is not
// part of marketplacetest because its library is large. Start reading at OpenAPI.
package openapitest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tonne/api/marketplace/marketplacetest"
	"tonne/docs"
	"tonne/model/must"
)

// OpenAPI checks answers against the OpenAPI document.
type OpenAPI struct {
	// Document is the document.
	Document *openapi3.T
	// Seen has the answers that were checked, as "METHOD PATH STATUS".
	Seen   map[string]bool
	router routers.Router
}

// New reads the document.
func New(t testing.TB) *OpenAPI {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(docs.OpenAPI)
	must.Succeed(t, err)
	must.Succeed(t, doc.Validate(t.Context()))
	openapi3filter.RegisterBodyDecoder("application/pdf", openapi3filter.FileBodyDecoder)
	router, err := legacy.NewRouter(doc)
	must.Succeed(t, err)
	return &OpenAPI{Document: doc, Seen: make(map[string]bool), router: router}
}

// Check validates an answer, and its request if it succeeded.
func (d *OpenAPI) Check(t testing.TB, r *http.Request, body string, w *httptest.ResponseRecorder) {
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
	// The library does not check these for HEAD and 304.
	answer := route.Operation.Responses.Status(w.Code)
	if answer == nil {
		t.Errorf("%s %s answered %d, which is not described", r.Method, r.URL, w.Code)
		return
	}
	for _, name := range []string{"ETag", "Market-Version"} {
		if (answer.Value.Headers[name] != nil) != (w.Header().Get(name) != "") {
			t.Errorf("%s %s answered %d with %s %q, which is not as described", r.Method, r.URL, w.Code, name, w.Header().Get(name))
		}
	}
	d.Seen[r.Method+" "+route.Path+" "+strconv.Itoa(w.Code)] = true
}

// Request is a request for OpenAPI.Send.
type Request struct {
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
func (d *OpenAPI) Send(t testing.TB, service marketplacetest.Service, s Request) *httptest.ResponseRecorder {
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
	w := answer(service, r)
	d.Check(t, r, s.Body, w)
	if s.Method != http.MethodGet {
		return w
	}
	r = r.Clone(s.Context)
	r.Method, r.Body = http.MethodHead, http.NoBody
	head := answer(service, r)
	// A server drops the body of an answer to HEAD.
	head.Body.Reset()
	d.Check(t, r, "", head)
	for _, name := range []string{"Content-Type", "Cache-Control", "Vary", "ETag", "Market-Version"} {
		if head.Code != w.Code || head.Header().Get(name) != w.Header().Get(name) {
			t.Errorf("HEAD %s: %d %s, GET %d %s", r.URL, head.Code, head.Header(), w.Code, w.Header())
		}
	}
	return w
}

func answer(s marketplacetest.Service, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
