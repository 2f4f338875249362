package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/apitest"
)

// serviceWith returns the test service with other handlers for some paths.
func serviceWith(handlers map[string]http.Handler) http.Handler {
	normal := new(service)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.URL.Path]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		normal.ServeHTTP(w, r)
	})
}

func TestUnusualResponsesAreParsed(t *testing.T) {
	t.Parallel()
	const end = `"pagination":{"per_page":"20","total_pages":"1","total_items":"1","current_page":"1"}}`
	for name, tt := range map[string]struct {
		path   string
		answer http.Handler
		args   string
		want   []string
	}{
		"market with numeric ids": {"/api/market", apitest.Status(201, `{"projects":[{"project_id":12345,"vintages":[{"vintage_id":9007199254740993,"vintage_year":"2019",`+
			`"sell_orders":[{"sell_order_id":7,"quantity_grams":9223372036854775807,"price_cents":9007199254740993}]}]}],`+end), "market -o json",
			[]string{`"project_id": "12345"`, `"vintage_id": "9007199254740993"`, `"vintage_year": 2019`, `"quantity_grams": "9223372036854775807"`, `"price_cents": "9007199254740993"`}},
		"empty market": {"/api/market", apitest.JSON(`{"projects":null,"pagination":{"per_page":20,"total_pages":0,"total_items":0,"current_page":1}}`), "market -o csv", []string{"project_id,"}},
		"inventory with numeric ids": {"/api/inventory", apitest.JSON(`{"projects":[{"project_id":1,"vintages":[{"vintage_id":2,"wallets":[{"type":"CAAS","quantity_grams":999980,"trades":null}]}]}],` + end),
			"inventory -o csv", []string{"1,,2,CAAS,999980,,,"}},
		"request with numeric ids": {"/api/retirement", apitest.Status(203, `{"id":12345,"status":"OPEN","total_quantity":20,"type":"WHOLE","project_id":1,"vintage_id":2,"created_at":"2026-01-01T10:00:00Z","retirement_request_items":null}`),
			"retirement 12345 -o csv", []string{"12345,OPEN,WHOLE,20,1,2,"}},
		"projects with numeric ids": {"/api/projects", apitest.Status(202, `{"projects":[{"project_id":12345,"project_name":"Bale","vintages":[{"vintage_id":7,"vintage_year":"2019"}]}]}`),
			"project 12345 -o json", []string{`"project_id": "12345"`, `"vintage_year": 2019`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, serviceWith(map[string]http.Handler{tt.path: tt.answer})).overNetwork()
			got := w.must(strings.Fields(tt.args)...)
			for _, want := range tt.want {
				if !strings.Contains(strings.ReplaceAll(got, `":"`, `": "`), want) && !strings.Contains(strings.ReplaceAll(got, `":`, `": `), want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
		})
	}
}

func TestUnusualFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	wait := func(status int, after string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(status)
		})
	}
	tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(http.TimeFormat)
	for name, tt := range map[string]struct {
		path       string
		answer     http.Handler
		args       string
		status     int
		what, todo string
	}{
		"wrong type of a field":    {"/api/market", apitest.JSON(`{"projects":[{"project_id":true}]}`), "market", 5, "projects[0].project_id is not a string: true", "Try again later"},
		"truncated JSON":           {"/api/market", apitest.JSON(`{"projects":[`), "market", 5, "the answer is cut off", "Try again later"},
		"trailing bytes":           {"/api/inventory", apitest.JSON(`{"projects":null,"pagination":{"per_page":1,"total_pages":1,"total_items":1,"current_page":1}}]`), "inventory", 5, "has bytes behind its end", "Try again later"},
		"empty object":             {"/api/market", apitest.JSON(`{}`), "market", 5, "the answer has no projects", "Try again later"},
		"HTML":                     {"/api/market", apitest.HTML(), "market", 5, "not the marketplace", "Check the base URL"},
		"redirect to another host": {"/api/market", apitest.Redirect("https://other.example/api/market?k=v"), "market", 5, "redirects to https://other.example/api/market.", "Check the base URL"},
		"redirect to another path": {"/api/market", apitest.Redirect("/login"), "market", 5, "/login.", "Try again later"},
		"404 with JSON":            {"/api/retirement", apitest.Status(404, `{"message":"No such request"}`), "retirement R9", 4, "the service knows no such record of yours", "Check the id"},
		"404 with text":            {"/api/retirement", apitest.Status(404, `no route`), "retirement R9", 5, "the service answered 404", "Try again later"},
		"422 with text":            {"/api/retirement", apitest.Status(422, "The id \x1b[1mR9 is too short"), "retirement R9", 4, "The id ␛[1mR9 is too short", "Check"},
		"retry after an hour":      {"/api/market", wait(429, "3600"), "market", 5, "a wait of 3600 s", "Try again in 3600 s"},
		"retry tomorrow":           {"/api/market", wait(503, tomorrow), "market", 5, "503; it asks for a wait until " + tomorrow, "Try again in 86"},
		"retry of a look-up":       {"/api/retirement", wait(429, "3600"), "retirement R1 --wait", 5, "a wait of 3600 s", "Try again in 3600 s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				tt.answer.ServeHTTP(w, r)
			})
			r := newWorld(t, serviceWith(map[string]http.Handler{tt.path: answer})).overNetwork().run(strings.Fields(tt.args)...)
			what, todo := r.sentences(t)
			if r.status != tt.status || r.stdout != "" || !strings.Contains(what, tt.what) || !strings.HasPrefix(todo, tt.todo) {
				t.Errorf("status %d, want %d\n%s", r.status, tt.status, r.stderr)
			}
			if n := requests.Load(); n > 2 {
				t.Errorf("%d requests, want at most 2", n)
			}
		})
	}
}

func TestLongRetryAfterStopsLookUps(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})).overNetwork()
	for n := range 100 {
		w.stdin += fmt.Sprintf("R%d\n", n)
	}
	r := w.run("retirement", "-")
	if r.status != 5 || requests.Load() > 8 || !strings.Contains(r.stderr, "R0: the service asks for fewer requests; it asks for a wait of 3600 s.\n") ||
		!strings.Contains(r.stderr, "R99: not requested: the service asks for fewer requests; it asks for a wait of 3600 s.\n") || !strings.Contains(r.stderr, "Try again in 3600 s.") {
		t.Errorf("status %d after %d requests\n%s", r.status, requests.Load(), r.stderr)
	}
}

func TestRetireAcceptsStatus201(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		answer := httptest.NewRecorder()
		r.service.Handler().ServeHTTP(answer, req)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(answer.Body.Bytes())
		return true
	}
	got := r.overNetwork()
	if end := got.run("retire", "--allow-retire", "--yes", "--vintage", "004bale21", "--tonnes", "1"); end.status != 0 || r.sent.Load() != 1 {
		t.Errorf("status %d, %d sent\n%s", end.status, r.sent.Load(), end.stderr)
	}
	if bought, retired := r.totals(); bought != 1 || retired != 1e6 {
		t.Errorf("bought %d t, retired %d g", bought, retired)
	}
}
