package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
	"tonne/ui/cli/watch"
)

func TestExecTimeoutKillsCommandAndItsChildren(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	var stderr strings.Builder
	a := command.NewApp(command.Process{Stderr: &stderr, Getenv: os.Getenv}, new(terminal.Terminal))
	hook := watch.Hook{App: a, Command: "sleep 1000 & sleep 1000", Longest: time.Millisecond}
	if err := hook.Run(t.Context(), nil); err != nil || !strings.Contains(stderr.String(), "--exec took longer than 1ms and was stopped") {
		t.Errorf("%v, %q", err, stderr.String())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := &terminal.SignalError{Signal: 15}
	cancel(ended)
	hook.Longest = time.Hour
	if err := hook.Run(ctx, nil); !errors.Is(err, ended) {
		t.Errorf("after a signal: %v", err)
	}
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
		memory = w.memory()
		if err := memory.Of(baseURL).Alerts.AddRule(t.Context(), must(alert.ParseRule("price < 1")).On(watchedVintage)); err != nil {
			t.Fatal(err)
		}
		r := w.runContext(ctx, "watch", "-o", "jsonl")
		if strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, `"value":"90","was":"620"}`) {
			t.Errorf("%q\n%s", r.stdout, r.stderr)
		}
	})
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

// The projects have no details, so these are never cached.
func TestWatchFetchesProjectDetailsInOneRequest(t *testing.T) {
	t.Parallel()
	const vintages = 20
	var projects []string
	for i := range vintages {
		projects = append(projects, fmt.Sprintf(`{"project_id":"P%d","vintages":[{"vintage_id":"V%[1]d","vintage_year":2020,"sell_orders":[
			{"sell_order_id":"S%[1]d","quantity_grams":"2000000","price_cents":"500"}]}]}`, i))
	}
	for args, want := range map[string]struct{ lines, most int }{
		"watch --once":          {vintages, 1},
		"watch --once -o jsonl": {vintages, 0},
		// A session also fetches the projects of its market, but too late for these lines.
		"watch": {vintages, 4},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				requests, s := 0, new(service)
				w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/api/projects":
						requests++
						fmt.Fprint(w, `{"projects":[]}`)
					case "/api/market":
						fmt.Fprintf(w, `{"projects":[%s],"pagination":{"per_page":100,"total_pages":1,"total_items":%d,"current_page":1,"previous_page":null,"next_page":null}}`,
							strings.Join(projects, ","), vintages)
					default:
						s.ServeHTTP(w, r)
					}
				}))
				alerts := w.memory().Of(baseURL).Alerts
				for i := range vintages {
					key := model.VintageKey{ProjectID: fmt.Sprint("P", i), VintageID: fmt.Sprint("V", i)}
					if err := alerts.AddRule(t.Context(), must(alert.ParseRule("price < 1000")).On(key)); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(15*time.Second, func() { cancel(&terminal.SignalError{Signal: 2}) })
				r := w.runContext(ctx, strings.Fields(args)...)
				if lines := strings.Count(r.stdout, "\n"); lines != want.lines || requests > want.most {
					t.Errorf("%d lines after %d requests for projects, want %+v\n%s%s", lines, requests, want, r.stdout, r.stderr)
				}
			})
		})
	}
}

// panickingTransport panics on every request.
type panickingTransport struct{}

func (panickingTransport) RoundTrip(*http.Request) (*http.Response, error) { panic("a bug") }

func TestPanicDuringWatchIsOneSentence(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory"} {
		w := newWorld(t, nil)
		r := w.runChanged(t.Context(), func(p *command.Process) { p.Transport = panickingTransport{} }, typed, "--watch")
		if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, "an internal error") {
			t.Errorf("%s: status %d: %s", typed, r.status, what)
		}
	}
}
