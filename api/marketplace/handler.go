package marketplace

import (
	"bytes"
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/docs"
)

const (
	maxBody        = 1 << 20
	handlerTimeout = 30 * time.Second
	anyOtherPath   = "/"
)

// endpoint answers a request of a tenant or returns an error for the client.
type endpoint func(w http.ResponseWriter, r *http.Request, from exchange.Caller) error

type methods map[string]http.Handler

// Handler returns the service as an HTTP handler.
func (m *Marketplace) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, allowed := range m.routes() {
		mux.Handle(path, m.only(allowed))
	}
	mux.HandleFunc(anyOtherPath, m.unknownPath)
	return m.observe(m.plainPaths(mux))
}

func (m *Marketplace) routes() map[string]methods {
	return map[string]methods{
		"/api/market":                  {"GET": m.authorised(m.getMarket)},
		"/api/inventory":               {"GET": m.authorised(m.getInventory)},
		"/api/retirement":              {"GET": m.authorised(m.lookUpRetirement), "POST": m.authorised(m.lookUpRetirement)},
		"/api/projects":                {"GET": m.authorised(m.getProjects)},
		"/api/caas/request-retirement": {"POST": m.authorised(m.postRequestRetirement)},
		"/api/api-keys":                {"GET": m.authorised(m.getKeys), "POST": m.authorised(m.postKey)},
		"/api/api-keys/{id}":           {"DELETE": m.authorised(m.deleteKey)},
		"/certificates/{name}":         {"GET": http.HandlerFunc(m.getCertificate)},
		"/healthz":                     {"GET": http.HandlerFunc(getHealth)},
		"/readyz":                      {"GET": http.HandlerFunc(m.getReady)},
		"/metrics":                     {"GET": metricsHandler(m)},
		"/openapi.json":                {"GET": http.HandlerFunc(m.getOpenAPI)},
	}
}

func (m *Marketplace) only(allowed methods) http.Handler {
	var names []string
	for name := range allowed {
		names = append(names, name)
		if name == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	allow := strings.Join(names, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h := allowed[method]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allow)
		m.respondError(w, r, named(http.StatusMethodNotAllowed, r.URL.Path+" takes "+allow))
	})
}

func (m *Marketplace) unknownPath(w http.ResponseWriter, r *http.Request) {
	m.respondError(w, r, named(http.StatusNotFound, "Cannot "+r.Method+" "+r.URL.Path))
}

// authorised checks for 401 before 403, then the rate limit, and only then the rest of the
// request (interface section 5).
func (m *Marketplace) authorised(next endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), handlerTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		from, err := m.admit(w, r)
		if err == nil {
			err = next(w, r, from)
		}
		if err != nil {
			m.respondError(w, r, err)
		}
	})
}

func (m *Marketplace) admit(w http.ResponseWriter, r *http.Request) (exchange.Caller, error) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	key = strings.TrimLeft(key, " ")
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return exchange.Caller{}, errUnauthorized
	}
	from, err := exchange.Read(r.Context(), m.db,
		func(tx exchange.Tx) *exchange.Caller { return exchange.FindCaller(tx, key) })
	if err != nil {
		return exchange.Caller{}, err
	}
	if from.KeyID == "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return exchange.Caller{}, errUnauthorized
	}
	recording(w).from = *from
	if from.Role != exchange.RoleAPIUser {
		return exchange.Caller{}, errForbidden
	}
	if wait, ok := m.limits.take(from.KeyID); !ok {
		setRetryAfter(w, wait)
		return exchange.Caller{}, errTooMany
	}
	return *from, nil
}

func getHealth(w http.ResponseWriter, r *http.Request) {
	respond(w, r, http.StatusOK, []byte(`{"status":"ok"}`))
}

// plainPaths refuses paths such as //api/market, for which http.ServeMux would send an HTML
// redirect.
func (m *Marketplace) plainPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.EscapedPath()
		clean := path.Clean(p)
		if !strings.HasPrefix(p, "/") || p != clean && (clean == "/" || p != clean+"/") {
			m.unknownPath(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (m *Marketplace) getOpenAPI(w http.ResponseWriter, r *http.Request) {
	const member = "_proof_of_retirement_certificate_url"
	respond(w, r, http.StatusOK,
		bytes.ReplaceAll(docs.OpenAPI, []byte(defaultCertificateField+member), []byte(m.certificateField()+member)))
}
