package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/marketplace"
	"tonne/api/marketplace/marketplacetest"
	"tonne/ui/cli/command"
)

// retirer is a world with a marketplace of three sell orders.
type retirer struct {
	*operator
	service *marketplace.Marketplace
	// sent counts the calls that retire.
	sent atomic.Int64
	// before, if not nil, is called before the service and reports whether it has
	// responded.
	before func(http.ResponseWriter, *http.Request) bool
}

const retireOrders = "vintage_id,quantity_grams,price_cents,sell_order_id\n" +
	"004bale21,3000000,600,006a\n004bale21,5000000,610,006b\n004bale21,40000000,620,006c\n"

var retirerMarket template

func buildRetirerMarket(db string) string {
	write := func(name, text string) string {
		path := filepath.Join(filepath.Dir(db), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
		return path
	}
	operate(db, "keys", "create", "--tenant", "Acme Ltd", "--create-tenant")
	operate(db, "catalogue", "import", write("c.csv", catalogueFile))
	operate(db, "tenants", "create", "Forest Ltd", "--country", "DE", "--tax-id", "DE 1")
	operate(db, "orders", "import", write("o.csv", retireOrders), "--seller", "Forest Ltd")
	return field(operate(db, "keys", "create", "--tenant", "Buyer Ltd", "--create-tenant"), "key")
}

// operate runs a serve command that has to succeed, and returns its output.
func operate(db string, args ...string) string {
	var out, failure strings.Builder
	status := Run(context.Background(), command.Process{
		Args: append([]string{"serve", "--db", db}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failure,
		Getenv: func(string) string { return "" }, Now: time.Now,
	})
	if status != 0 {
		panic(failure.String())
	}
	return out.String()
}

func newRetirer(t *testing.T) *retirer {
	t.Helper()
	r := &retirer{operator: newOperator(t)}
	retirerMarket.copyTo(t, r.db, buildRetirerMarket)
	r.service = must(marketplace.Open(t.Context(), r.db, marketplace.Options{RatePerSecond: -1}))
	t.Cleanup(func() { _ = r.service.Close() })
	r.env["TONNE_BASE_URL"], r.env["TONNE_API_KEY"] = baseURL, retirerMarket.key
	r.handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost {
			r.sent.Add(1)
		}
		if r.before == nil || !r.before(w, req) {
			r.service.Handler().ServeHTTP(w, req)
		}
	})
	return r
}

// totals returns the tonnes bought and the grams retired.
func (r *retirer) totals() (bought, retired int64) {
	c := marketplacetest.Client{TB: r.t, Service: r.service, Key: r.env["TONNE_API_KEY"]}
	c.CheckBooks()
	return c.Number(`SELECT coalesce(sum(quantity_grams), 0) FROM trades WHERE type = 'BUY'`) / 1e6,
		c.Number(`SELECT coalesce(sum(quantity_grams), 0) FROM retirement_items`)
}

// retire runs `tonne retire --allow-retire --yes`.
func (r *retirer) retire(args ...string) result {
	r.t.Helper()
	return r.run(append([]string{"retire", "--allow-retire", "--yes"}, args...)...)
}

func (r *retirer) rows(path string) (rows [][]string) {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		rows, err = csv.NewReader(strings.NewReader(string(text))).ReadAll()
	}
	if err != nil || strings.Join(rows[0], ",") != resultHeader {
		r.t.Fatalf("%v: %s", err, text)
	}
	return rows[1:]
}

func TestRetiringIsDisabledByDefault(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	w := newWorld(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	w.configure("profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\n" +
		"[profiles.b]\nbase_url = \"https://other.example\"\nallow_retire = true\n")
	batch := w.write("b.csv", "reference,vintage_id,quantity_grams\na,V1,20\n")
	for _, args := range []string{
		"--vintage V1 --grams 20 --yes", "--vintage V1 --tonnes 1 --yes --allow-retire=false", "--vintage V1 --grams 20 --dry-run",
		"--file " + batch + " --results " + batch + ".out --yes", "--vintage V1 --grams 20 --yes --profile b",
		"--vintage V1 --grams 20 --yes --profile a", "resume --yes", "resume x --yes --allow-retire=0",
	} {
		for _, env := range []string{"", "TONNE_ALLOW_RETIRE", "ALLOW_RETIRE", "TONNE_YES"} {
			w.env[env] = "true"
			r := w.run(append([]string{"retire"}, strings.Fields(args)...)...)
			if r.status != command.StatusUsage || !strings.Contains(r.stderr, "retiring is not allowed") || !strings.Contains(r.stderr, "allow_retire = true") {
				t.Errorf("tonne retire %s: status %d\n%s", args, r.status, r.stderr)
			}
			delete(w.env, env)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests sent", n)
	}
}

func TestProfileEnablesRetiring(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.configure("profile = \"a\"\n[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\nproduction = true\n")
	delete(r.env, "TONNE_BASE_URL")
	got := r.run("retire", "--vintage", "004bale21", "--grams", "20", "--yes")
	if got.status != 0 || r.sent.Load() != 1 || !strings.Contains(got.stderr, "PRODUCTION") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if out := r.must("config", "show"); !strings.Contains(out, "allow_retire yes") {
		t.Error(out)
	}
}

func TestRetireWithoutTerminalNeedsYes(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	got := r.run("retire", "--allow-retire", "--vintage", "004bale21", "--grams", "20")
	if _, todo := got.sentences(t); got.status != command.StatusUsage || r.sent.Load() != 0 || !strings.Contains(todo, "--yes") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestDryRunPlansExactlyAndSendsNothing(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for _, tt := range []struct {
		name, args, want string
		status           int
	}{
		{"cheapest order that suffices", "--tonnes 4", `610 4 006b 2440`, 0},
		{"fraction", "--grams 20", `600 1 006a 600`, 0},
		{"named order", "--grams 20 --order 006c", `620 1 006c 620`, 0},
		{"several calls", "--tonnes 45", `600 3 006a 1800; 610 5 006b 3050; 620 37 006c 22940`, 0},
		{"more than the supply", "--tonnes 50", `600 3 006a 1800; 610 5 006b 3050; 620 40 006c 24800`, command.StatusNotFound},
		{"price limit", "--tonnes 4 --max-price 609", `610 4 006b 2440`, command.StatusNotFound},
		{"cost limit", "--tonnes 4 --max-cost 2439", `610 4 006b 2440`, command.StatusNotFound},
		{"sufficient limits", "--tonnes 4 --max-price 610 --max-cost 2440", `610 4 006b 2440`, 0},
	} {
		got := r.retire(append(strings.Fields(tt.args), "--vintage", "004bale21", "--dry-run", "-o", "json")...)
		var plan retirePlanText
		if err := json.Unmarshal([]byte(got.stdout), &plan); err != nil || plan.text() != tt.want || got.status != tt.status {
			t.Errorf("%s: status %d, plan %s, %v\n%s%s", tt.name, got.status, plan.text(), err, got.stdout, got.stderr)
		}
	}
	if r.sent.Load() != 0 {
		t.Errorf("%d calls sent", r.sent.Load())
	}
}

// retirePlanText is the JSON of a plan.
type retirePlanText struct {
	Calls []struct {
		ID        string `json:"external_id"`
		Order     string `json:"sell_order_id"`
		Tonnes    string `json:"buy_tonnes"`
		Price     string `json:"price_cents"`
		Cost      string `json:"cost_cents"`
		Status    string `json:"status"`
		RequestID string `json:"retirement_request_id"`
		Error     string `json:"error"`
	} `json:"calls"`
	Cost  string `json:"cost_cents"`
	Short string `json:"short_grams"`
}

func (p retirePlanText) text() string {
	var all []string
	for _, c := range p.Calls {
		all = append(all, fmt.Sprint(c.Price, " ", c.Tonnes, " ", c.Order, " ", c.Cost))
	}
	return strings.Join(all, "; ")
}

func TestPlanTextExplainsFractions(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	got := r.retire("--vintage", "004bale21", "--grams", "20", "--dry-run")
	for _, want := range []string{"0.000020 t", "006a", "$6.00", "stays in the wallet of 004bale21", "0.999980 t", "joins this month's request"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is missing:\n%s", want, got.stdout)
		}
	}
}

func TestRetireSendsOnceAndUpdatesLedger(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	got := r.retire("--vintage", "004bale21", "--tonnes", "4", "--reference", "flight-9", "-o", "json")
	var done retirePlanText
	r.read(got.stdout, &done)
	if got.status != 0 || len(done.Calls) != 1 || done.Calls[0].Status != "done" || done.Calls[0].RequestID == "" || r.sent.Load() != 1 {
		t.Fatalf("status %d, %d sent\n%s%s", got.status, r.sent.Load(), got.stdout, got.stderr)
	}
	if bought, retired := r.totals(); bought != 4 || retired != 4e6 {
		t.Errorf("bought %d t, retired %d g", bought, retired)
	}
	if out := r.must("ledger", "find", "flight-9", "-o", "json"); !strings.Contains(out, done.Calls[0].RequestID) || !strings.Contains(out, `"reference":"flight-9"`) {
		t.Errorf("ledger find prints\n%s", out)
	}
	if out := r.must("retire", "pending", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("pending:\n%s", out)
	}
}

func TestChangedPriceStopsBeforeSending(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]string{
		"price": {"orders", "reprice", "006b", "611"}, "order": {"orders", "withdraw", "006b"},
	} {
		r := newRetirer(t)
		reads := 0
		r.before = func(_ http.ResponseWriter, req *http.Request) bool {
			if req.URL.Path == "/api/market" {
				if reads++; reads == 2 {
					r.must(append([]string{"serve", "--db", r.db}, change...)...)
				}
			}
			return false
		}
		got := r.retire("--vintage", "004bale21", "--tonnes", "4", "-o", "json")
		if f := got.object(t); got.status != command.StatusNotFound || f.Code != "moved" || !strings.Contains(f.Message, "006b") || r.sent.Load() != 0 {
			t.Errorf("%s: status %d, %d sent\n%s", name, got.status, r.sent.Load(), got.stderr)
		}
	}
}

func TestEveryRefusalHasAdvice(t *testing.T) {
	t.Parallel()
	for _, refusal := range api.Refusals() {
		code := refusal.Code
		r := newRetirer(t)
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPost {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"statusCode":422,"error":%q,"message":"No"}`, code)
			return true
		}
		got := r.retire("--vintage", "004bale21", "--tonnes", "4", "-o", "json")
		f := got.object(t)
		if got.status != command.StatusNotFound || !containsAll(f.Message, code, refusal.What) || !strings.HasPrefix(f.Next, command.Capital(refusal.Todo)) || r.sent.Load() != 1 {
			t.Errorf("%s: status %d, %d sent\n%s", code, got.status, r.sent.Load(), got.stderr)
		}
	}
}

func TestResumeRepeatsSameCall(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var bodies []string
		responding := false
		s := new(service)
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method != http.MethodPost {
				s.ServeHTTP(w, req)
				return
			}
			var body map[string]any
			_ = json.NewDecoder(req.Body).Decode(&body)
			bodies = append(bodies, fmt.Sprint(body))
			if !responding {
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			fmt.Fprint(w, `{"retirement_request_id":"R2","external_id_already_processed":true}`)
		}))
		r := w.run("retire", "--allow-retire", "--yes", "--vintage", "V1", "--tonnes", "4", "-o", "json")
		if f := r.object(t); r.status != command.StatusUnreachable || f.Code != "outcome_unknown" || !strings.Contains(f.Next, "tonne retire resume") {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
		var pending []map[string]any
		if err := json.Unmarshal([]byte(w.must("retire", "pending", "-o", "json")), &pending); err != nil || len(pending) != 1 || pending[0]["state"] != "unknown" {
			t.Fatalf("pending %v, %v", pending, err)
		}
		if r := w.run("retire", "--allow-retire", "--dry-run", "--vintage", "V1", "--tonnes", "1"); strings.Count(r.stderr, "unknown outcome: 1") != 1 {
			t.Errorf("the pending call is not reported:\n%s", r.stderr)
		}
		responding = true
		if out := w.must("retire", "resume", "--allow-retire", "--yes", "-o", "json"); !strings.Contains(out, `"status":"done"`) {
			t.Error(out)
		}
		if len(slices.Compact(bodies)) != 1 {
			t.Errorf("the calls differ: %q", bodies)
		}
	})
}

func TestAbandonedCallIsNotSentAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		posts := 0
		s := new(service)
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method != http.MethodPost {
				s.ServeHTTP(w, req)
				return
			}
			posts++
			w.WriteHeader(http.StatusInternalServerError)
		}))
		batch := w.write("b.csv", "reference,vintage_id,quantity_grams\na,V1,4000000\n")
		results := filepath.Join(w.env["HOME"], "r.csv")
		run := func() result {
			return w.run("retire", "--allow-retire", "--yes", "--file", batch, "--results", results)
		}
		if r := run(); r.status != command.StatusUnreachable {
			t.Fatalf("status %d\n%s", r.status, r.stderr)
		}
		var pending []pendingID
		if err := json.Unmarshal([]byte(w.must("retire", "pending", "-o", "json")), &pending); err != nil || len(pending) != 1 {
			t.Fatalf("pending %v, %v", pending, err)
		}
		if r := w.run("retire", "abandon", pending[0].ID); r.status != 0 || !strings.Contains(r.stderr, "may have been carried out") {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
		if r := w.run("retire", "abandon", pending[0].ID); r.status != command.StatusNotFound {
			t.Errorf("status %d\n%s", r.status, r.stderr)
		}
		before := posts
		if r := run(); r.status != command.StatusUnreachable || posts != before {
			t.Errorf("status %d, %d more calls\n%s", r.status, posts-before, r.stderr)
		}
	})
}

type pendingID struct {
	ID string `json:"external_id"`
}

func TestPlanTextNamesCustomer(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(batchHeader + "\na,004bale21,1000000,,,Ann Ltd,T1,GB,C-7\nb,004bale21,20,,,,,,\n")
	out := r.must(append([]string{"retire", "--allow-retire", "--dry-run"}, flags...)...)
	for _, want := range []string{"FOR", "Ann Ltd", "own behalf"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
}

func TestPlanTextShowsCustomerTaxID(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	got := r.run("retire", "--allow-retire", "--dry-run", "--vintage", "004bale21", "--tonnes", "1", "--customer", "Ann Ltd", "--tax-id", "GB 123", "--country", "GB")
	if got.status != 0 || !strings.Contains(got.stdout, "in the name of Ann Ltd, GB, tax id GB 123\n") {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
}
