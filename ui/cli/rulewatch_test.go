package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/cli/terminal"
)

// addRule saves a rule on watchedVintage, like the dashboard.
func (w *world) addRule(text string) *store.Store {
	w.t.Helper()
	memory := w.memory()
	rule, err := alert.ParseRule(text)
	if err == nil {
		err = memory.Of(baseURL).Alerts.AddRule(w.t.Context(), rule.On(watchedVintage))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return memory
}

// watchFallingPrice saves a rule, runs a command on a market whose best ask falls, interrupts
// it after some polls, and returns the local store.
func watchFallingPrice(t *testing.T, rule string, args ...string) (r result, memory *store.Store) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	w := newWorld(t, fallingPrice(func() { cancel(&terminal.SignalError{Signal: 2}) }))
	memory = w.addRule(rule)
	if r = w.runContext(ctx, args...); r.status != 130 {
		t.Errorf("%v: status %d, want that of the signal: %s", args, r.status, r.stderr)
	}
	return r, memory
}

func TestWatchPrintsRuleThatFires(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r, memory := watchFallingPrice(t, "price <= 6.15", "watch", "-o", "jsonl")
		fired := must(memory.Of(baseURL).Alerts.After(t.Context(), 0))
		want := `{"at":"2000-01-01T00:00:05Z","rule":"best ask ≤ $6.15","project_id":"P1","vintage_id":"V1","value":"610","was":"620"}` + "\n"
		if r.stdout != want || r.stderr != "" || len(fired) != 1 {
			t.Errorf("%q, want %q\n%s\n%+v", r.stdout, want, r.stderr, fired)
		}
	})
	inBubble(t, func(t *testing.T) {
		r, _ := watchFallingPrice(t, "available > 500 t", "watch")
		if !regexp.MustCompile(`^\d\d:\d\d:\d\d \S+  =Bale "Mountains", ET V1  available > 500 t  now 1,400\.999999 t, holds already\n$`).MatchString(r.stdout) {
			t.Errorf("%q", r.stdout)
		}
	})
}

func TestWatchPrintsAlertOfAnotherProgram(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		polls := 0
		var memory *store.Store
		s := new(service)
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/market" && r.URL.Query().Get("page") != "2" {
				switch polls++; polls {
				case 2:
					_, err := memory.Of(baseURL).Alerts.Check(context.WithoutCancel(t.Context()), time.Now(), func(model.VintageKey) alert.Facts {
						return alert.Facts{BestAsk: 90, LastPaid: model.UnknownPrice}
					})
					if err != nil {
						t.Error(err)
					}
				case 4:
					cancel(&terminal.SignalError{Signal: 2})
				}
			}
			s.ServeHTTP(w, r)
		}))
		memory = w.addRule("price < 1")
		r := w.runContext(ctx, "watch", "-o", "jsonl")
		if strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, `"value":"90","was":"620"}`) {
			t.Errorf("%q\n%s", r.stdout, r.stderr)
		}
	})
}

func TestWatchChecksRulesOfFlagsWithoutSaving(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r, memory := watchFallingPrice(t, "price > 1", "watch", "--vintage", "V1", "--rule", "drops 1%", "--rule", "price < 1")
		fired := must(memory.Of(baseURL).Alerts.After(t.Context(), 0))
		if !strings.Contains(r.stdout, `V1  drops 1.0% from $6.20  now $6.10, was $6.20`) || strings.Count(r.stdout, "\n") != 1 || len(fired) != 0 {
			t.Errorf("%q\n%s\n%+v", r.stdout, r.stderr, fired)
		}
	})
}

func TestWatchOnceRunsExecOnlyForNewAlerts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	w := newWorld(t, new(service))
	w.addRule("price < 7")
	w.addRule("price > 7")
	log := filepath.Join(t.TempDir(), "alerts")
	for run := range 2 {
		got := w.must("watch", "--once", "-o", "jsonl", "--exec", "cat >> '"+log+"'; echo stderr >&2")
		var alert struct{ At, Rule, Value string }
		if err := json.Unmarshal([]byte(got), &alert); err != nil || alert.Rule != "best ask < $7.00" || alert.Value != "620" {
			t.Errorf("run %d: %v in %q", run, err, got)
		}
	}
	content, err := os.ReadFile(log)
	if err != nil || strings.Count(string(content), "\n") != 1 || !strings.Contains(string(content), `"value":"620","was":null}`) {
		t.Errorf("%v, %q", err, content)
	}
	r := w.run("watch", "--once", "--vintage", "V1", "--rule", "price < 7", "--exec", "wc -l; exit 3")
	if r.status != 0 || !strings.Contains(r.stderr, "--exec failed: exit status 3") || !strings.Contains(r.stderr, "1") || strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("status %d\n%s\n%s", r.status, r.stdout, r.stderr)
	}
}

// serviceWithRequest is the test service with a request that changes its state at the third
// look-up, and calls end after the fourth.
func serviceWithRequest(id string, first, then retirement.Status, end func()) http.Handler {
	s, lookUps := new(service), 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/retirement" || r.URL.Query().Get("id") != id {
			s.ServeHTTP(w, r)
			return
		}
		status := first
		if lookUps++; lookUps > 2 {
			status = then
		}
		if lookUps > 4 {
			end()
		}
		fmt.Fprintf(w, `{"id":%q,"status":%q,"total_quantity":"20","type":"FRACTIONALISED","project_id":"P1","vintage_id":"V1","created_at":"2026-01-01T10:00:00.000Z","retirement_request_items":[]}`, id, status)
	})
}

func TestWatchReportsStateChangesOfRequests(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"one":    {"watch", "-o", "jsonl", "--retirement", "M1", "--rule", "changes"},
		"all":    {"watch", "-o", "jsonl", "--retirement", "all", "--rule", "changes"},
		"stored": {"watch", "-o", "jsonl"},
	} {
		inBubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			w := newWorld(t, serviceWithRequest("M1", retirement.Open, retirement.Closed, func() { cancel(&terminal.SignalError{Signal: 15}) }))
			memory := w.memory()
			if err := memory.Of(baseURL).Ledger.Remember(t.Context(), time.Now(), "M1"); err != nil {
				t.Fatal(err)
			}
			if name == "stored" {
				if err := memory.Of(baseURL).Alerts.AddRule(t.Context(), alert.Rule{Measure: alert.State}); err != nil {
					t.Fatal(err)
				}
			}
			r := w.runContext(ctx, args...)
			if r.status != 143 || strings.Count(r.stdout, "\n") != 1 ||
				!strings.HasSuffix(r.stdout, `"rule":"changes state","project_id":"P1","vintage_id":"V1","value":"CLOSED","was":"OPEN","retirement_request_id":"M1"}`+"\n") {
				t.Errorf("%s: status %d\n%s\n%s", name, r.status, r.stdout, r.stderr)
			}
			all, err := memory.Of(baseURL).Alerts.After(t.Context(), 0)
			if err != nil || (len(all) == 1) != (name == "stored") {
				t.Errorf("%s: %+v, %v", name, all, err)
			}
		})
	}
}

func TestWatchOnceChecksDurationOfState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, serviceWithRequest("M1", retirement.Closed, retirement.Closed, func() {}))
		memory := w.memory()
		now := time.Now()
		if err := memory.Of(baseURL).Ledger.Remember(t.Context(), now, "M1"); err != nil {
			t.Fatal(err)
		}
		if err := memory.Of(baseURL).Ledger.Record(t.Context(), store.LookUp{ID: "M1", At: now, Answer: &retirement.Request{ID: "M1", Status: retirement.Closed}}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			wait time.Duration
			want int
		}{{24 * time.Hour, 0}, {13 * 24 * time.Hour, 1}} {
			time.Sleep(c.wait)
			got := w.must("watch", "--once", "--retirement", "all", "--rule", "CLOSED for 14 days")
			if strings.Count(got, "M1  CLOSED for 14 days  now CLOSED") != c.want {
				t.Errorf("%q", got)
			}
		}
	})
}

func TestWatchOncePrintsVintageRulesIfLookUpFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		http, status int
		stderr       string
	}{
		`{"error":{"type":"INTERNAL","message":"it failed"}}`:        {500, 5, "the service answered 500"},
		`{"error":{"type":"NOT_FOUND","message":"no such request"}}`: {422, 0, "the retirement request M1 is not checked"},
	} {
		inBubble(t, func(t *testing.T) {
			s := new(service)
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/retirement" {
					s.ServeHTTP(w, r)
					return
				}
				w.WriteHeader(want.http)
				fmt.Fprint(w, body)
			}))
			memory := w.addRule("price < 7")
			err := errors.Join(memory.Of(baseURL).Ledger.Remember(t.Context(), time.Now(), "M1"),
				memory.Of(baseURL).Alerts.AddRule(t.Context(), alert.Rule{Measure: alert.State, Status: retirement.Open}))
			if err != nil {
				t.Fatal(err)
			}
			r := w.run("watch", "--once", "-o", "jsonl")
			if r.status != want.status || strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stderr, want.stderr) {
				t.Errorf("%s: status %d\n%s\n%s", body, r.status, r.stdout, r.stderr)
			}
		})
	}
}

// If cron runs watch every ten minutes, the price may have fallen at any time in between.
func TestWatchOnceReportsSinceOfEarlierRun(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"jsonl": `"value":"610","was":"620","since":"2000-01-01T00:00:00Z"}` + "\n",
		"table": "now $6.10, was $6.20, some time since " + time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Local().Format("2 Jan 15:04 MST") + "\n",
	} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, fallingPrice(func() {}))
			w.addRule("price < 6.15")
			w.must("watch", "--once", "-o", format)
			time.Sleep(10 * time.Minute)
			if out := w.must("watch", "--once", "-o", format); !strings.HasSuffix(out, want) {
				t.Errorf("%s: %q, want %q", format, out, want)
			}
		})
	}
}

// manyProjects is the test service with a market of n projects without details, so their
// details are never cached. Requests counts the requests for details.
func manyProjects(n int, requests *int) http.Handler {
	var projects []string
	for i := range n {
		projects = append(projects, fmt.Sprintf(`{"project_id":"P%d","vintages":[{"vintage_id":"V%d","vintage_year":2020,"sell_orders":[
			{"sell_order_id":"S%d","quantity_grams":"2000000","price_cents":"500"}]}]}`, i, i, i))
	}
	s := new(service)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/projects":
			*requests++
			fmt.Fprint(w, `{"projects":[]}`)
		case "/api/market":
			fmt.Fprintf(w, `{"projects":[%s],"pagination":{"per_page":100,"total_pages":1,"total_items":%d,"current_page":1,"previous_page":null,"next_page":null}}`, strings.Join(projects, ","), n)
		default:
			s.ServeHTTP(w, r)
		}
	})
}

func TestWatchFetchesProjectDetailsInOneRequest(t *testing.T) {
	t.Parallel()
	const vintages = 20
	for args, want := range map[string]struct{ lines, most int }{
		"watch --once":          {vintages + 1, 1},
		"watch --once -o jsonl": {vintages + 1, 0},
		// A session also fetches the projects of its market, but too late for these lines.
		"watch":          {vintages + 1, 4},
		"market --watch": {-1, 4},
	} {
		t.Run(args, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				requests := 0
				w := newWorld(t, manyProjects(vintages, &requests))
				memory := w.memory()
				rule, err := alert.ParseRule("price < 1000")
				for i := range vintages {
					key := model.VintageKey{ProjectID: fmt.Sprint("P", i), VintageID: fmt.Sprint("V", i)}
					err = errors.Join(err, memory.Of(baseURL).Alerts.AddRule(t.Context(), rule.On(key)))
				}
				err = errors.Join(err, memory.Of(baseURL).Ledger.Remember(t.Context(), time.Now(), "R2"),
					memory.Of(baseURL).Alerts.AddRule(t.Context(), alert.Rule{Request: "R2", Measure: alert.State, Status: retirement.Open}))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(15*time.Second, func() { cancel(&terminal.SignalError{Signal: 2}) })
				r := w.runContext(ctx, strings.Fields(args)...)
				if lines := strings.Count(r.stdout, "\n"); want.lines >= 0 && lines != want.lines || requests > want.most {
					t.Errorf("%d lines after %d requests for projects, want %+v; status %d\n%s%s", lines, requests, want, r.status, r.stdout, r.stderr)
				}
			})
		})
	}
}
