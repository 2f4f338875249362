package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/marketplace"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/retire"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// retirer is a world with a marketplace of three sell orders.
type retirer struct {
	*world
	db      string
	service *marketplace.Marketplace
	// sent counts the calls that retire.
	sent atomic.Int64
	// before, if not nil, is called before the service and reports whether it has
	// responded.
	before func(http.ResponseWriter, *http.Request) bool
}

const (
	catalogueFile = "project_id,project_name,type,country,registry_name,registry_project_url,sdgs,description,vintage_id,vintage_year,registry_vintage_url\n" +
		"003bale,Bale Mountains,REDD+,ET,VERRA,https://registry.verra.org/app/projectDetail/VCS/1340,Climate Action,A forest.,004bale21,2021,\n"
	retireOrders = "vintage_id,quantity_grams,price_cents,sell_order_id\n" +
		"004bale21,3000000,600,006a\n004bale21,5000000,610,006b\n004bale21,40000000,620,006c\n"
	shortHeader = "reference,vintage_id,quantity_grams\n"
)

var retirerMarket template

func buildRetirerMarket(db string) (key string) {
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
	return fieldOf(operate(db, "keys", "create", "--tenant", "Buyer Ltd", "--create-tenant"), "key")
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

// fieldOf returns the value of a word in lines of "word value".
func fieldOf(lines, word string) string {
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == word {
			return value
		}
	}
	return ""
}

func newRetirer(t *testing.T) *retirer {
	t.Helper()
	w := newWorld(t, nil)
	r := &retirer{world: w, db: filepath.Join(w.env["HOME"], "market.db")}
	retirerMarket.copyTo(t, r.db, buildRetirerMarket)
	r.service = must.Get(marketplace.Open(t.Context(), r.db, marketplace.Options{RatePerSecond: -1}))
	t.Cleanup(func() { _ = r.service.Close() })
	r.env["TONNE_API_KEY"] = retirerMarket.key
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

// respondToCalls makes the service respond to retirement calls with a status and a body.
func (r *retirer) respondToCalls(status int, body string) {
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
		return req.Method == http.MethodPost
	}
}

// retired returns the grams retired.
func (r *retirer) retired() int64 {
	c := marketplacetest.Client{TB: r.t, Service: r.service, Key: r.env["TONNE_API_KEY"]}
	c.CheckBooks()
	return c.Number(`SELECT coalesce(sum(quantity_grams), 0) FROM retirement_items`)
}

// retire runs `tonne retire --allow-retire --yes`.
func (r *retirer) retire(args ...string) result {
	r.t.Helper()
	return r.run(append([]string{"retire", "--allow-retire", "--yes"}, args...)...)
}

// records reads a CSV file as one map per row.
func records(path string) (all []map[string]string) {
	rows := must.Get(csv.NewReader(strings.NewReader(string(must.Get(os.ReadFile(path))))).ReadAll())
	for _, row := range rows[1:] {
		record := make(map[string]string)
		for i, name := range rows[0] {
			record[name] = row[i]
		}
		all = append(all, record)
	}
	return all
}

func TestEveryRefusalHasAdvice(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for _, refusal := range api.Refusals() {
		r.respondToCalls(http.StatusUnprocessableEntity,
			fmt.Sprintf(`{"statusCode":422,"error":%q,"message":"No"}`, refusal.Code))
		got := r.retire("--vintage", "004bale21", "--tonnes", "4", "-o", "json", "--reference", refusal.Code)
		f, _ := got.failure()
		must.Hold(t,
			got.status == command.StatusNotFound && containsAll(f.Message, refusal.Code, refusal.What) &&
				strings.HasPrefix(f.Next, command.Capital(refusal.Todo)),
			refusal.Code, "status", got.status, got.stderr)
	}
	must.Hold(t, r.sent.Load() == int64(len(api.Refusals())), r.sent.Load(), "calls sent")
}

// The batch has three lines of 1.5 t. With half a tonne in the wallet they buy 1, 2 and 1 t for
// $24.80. Another program of the tenant empties the wallet before each line.
func TestMaxCostHoldsIfWalletShrinks(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.retireElsewhere("first")
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			r.retireElsewhere(fmt.Sprint(r.sent.Load()))
		}
		return false
	}
	results := filepath.Join(r.env["HOME"], "r.csv")
	batch := r.write("b.csv",
		"reference,vintage_id,quantity_grams,sell_order_id\na,004bale21,1500000,006c\nb,004bale21,1500000,006c\nc,004bale21,1500000,006c\n")
	got := r.retire("--file", batch, "--results", results, "--max-cost", "3100c")
	var rows []string
	for _, row := range records(results) {
		rows = append(rows, row["status"]+" "+row["cost_cents"])
	}
	text := strings.Join(rows, ", ")
	must.Hold(t,
		got.status == command.StatusNotFound && text == "done 620, done 1240, not_sent 0" &&
			strings.Contains(got.stderr, "more than the $31.00 that --max-cost allows"),
		"status", got.status, "results", text, got.stderr)
}

// retireElsewhere retires half a tonne with another program of the tenant.
func (r *retirer) retireElsewhere(id string) {
	w := marketplacetest.Call(r.service, r.env["TONNE_API_KEY"], "POST", retirePath, fmt.Sprintf(
		`{"vintage_id":"004bale21","quantity_grams":"500000","external_id":%q,"sell_order_id":"006c","expected_price_cents":"620"}`, id))
	must.Equal(r.t, w.Code, http.StatusOK, w.Body)
}

// The clock of the service is half an hour behind. In the first run another program empties the
// wallet, so that the call of $6.20 buys for $12.40. The second run may cost $12.40 more.
func TestMaxCostCountsPurchasesOfAServiceWhoseClockIsBehind(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	_ = r.service.Close()
	r.service = must.Get(marketplace.Open(t.Context(), r.db, marketplace.Options{
		RatePerSecond: -1, Now: func() time.Time { return time.Now().Add(-30 * time.Minute) },
	}))
	r.retireElsewhere("first")
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			r.retireElsewhere("second")
		}
		return false
	}
	results, line := filepath.Join(r.env["HOME"], "r.csv"), ",004bale21,1500000,006c\n"
	batch := r.write("b.csv", "reference,vintage_id,quantity_grams,sell_order_id\na"+line)
	if got := r.retire("--file", batch, "--results", results); got.status != 0 {
		t.Fatal(got.stderr)
	}
	r.before = nil
	batch = r.write("b.csv", "reference,vintage_id,quantity_grams,sell_order_id\na"+line+"b"+line)
	sendsNothing := func() {
		got := r.retire("--file", batch, "--results", results, "--max-cost", "2400c")
		must.Hold(t,
			got.status == command.StatusNotFound && r.sent.Load() == 1 &&
				strings.Contains(got.stderr, "that --max-cost allows; nothing was sent"),
			"status", got.status, r.sent.Load(), "sent", got.stderr)
	}
	sendsNothing()
	// A purchase at a time that cannot be read may be later, too.
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		req.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		r.service.Handler().ServeHTTP(answer, req)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = fmt.Fprint(w, strings.ReplaceAll(answer.Body.String(), `"execution_date":"2`, `"execution_date":"?2`))
		return true
	}
	sendsNothing()
}

// A full disk or closed pipe can be noticed after the call.
func TestOutputErrorAfterRetirementDoesNotSuggestRepeating(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	got := r.runChanged(t.Context(), func(p *command.Process) { p.Stdout = failing{syscall.ENOSPC} },
		"retire", "--allow-retire", "--yes", "--vintage", "004bale21", "--tonnes", "3")
	must.Hold(t,
		r.retired() == 3e6 && got.status == command.StatusFailed && !strings.Contains(got.stderr, "again") &&
			containsAll(got.stderr, "Free some space; nothing is left to retire: the same command would retire 3 t more"),
		"status", got.status, got.stderr)
}

// Another program may resume a confirmed call while this one still sends earlier calls.
func TestCallSentByAnotherProgramIsNotReportedUnsent(t *testing.T) {
	t.Parallel()
	for name, ended := range map[string]bool{"sending": false, "sent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			resumed := false
			r.before = func(_ http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPost || resumed {
					return false
				}
				resumed = true
				other := otherProgram(t, r.env["XDG_DATA_HOME"], "", !ended)
				c := must.Get(other.Calls(t.Context(), retire.OfService))[1]
				other.Account = c.Account
				sendElsewhere(t, func() (retire.Call, error) { return other.Resume(t.Context(), c.ExternalID, nil) })
				return false
			}
			got := r.retire("--vintage", "004bale21", "--tonnes", "45", "-o", "csv")
			switch retired := r.retired(); {
			case ended && (got.status != 0 || !strings.Contains(got.stdout, ",done,00m1,") || retired != 40e6):
				t.Errorf("status %d, %d g retired\n%s%s", got.status, retired, got.stdout, got.stderr)
			case !ended && (got.status != command.StatusUnreachable || !strings.Contains(got.stdout, ",unknown,") ||
				!strings.Contains(got.stderr, "tonne retire pending") || retired != 3e6):
				t.Errorf("status %d, %d g retired\n%s%s", got.status, retired, got.stdout, got.stderr)
			}
		})
	}
}

// containsAll reports whether a text contains all of the others.
func containsAll(text string, want ...string) bool {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
