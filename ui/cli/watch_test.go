package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	must "tonne/model/musttest"
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
	err := hook.Run(t.Context(), nil)
	must.Hold(t, err == nil && strings.Contains(stderr.String(), "--exec took longer than 1ms and was stopped"),
		err, stderr.String())
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := &terminal.SignalError{Signal: 15}
	cancel(ended)
	hook.Longest = time.Hour
	must.Fail(t, hook.Run(ctx, nil), ended, "after a signal")
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
					_, err := memory.Of(baseURL).Alerts.Check(context.WithoutCancel(t.Context()), time.Now(),
						func(model.VintageKey) alert.Facts {
							return alert.Facts{BestAsk: 90, LastPaid: model.UnknownPrice}
						})
					must.Hold(t, err == nil, err)
				case 4:
					cancel(&terminal.SignalError{Signal: 2})
				}
			}
			s.ServeHTTP(w, r)
		}))
		memory = w.memory()
		must.Succeed(t,
			memory.Of(baseURL).Alerts.AddRule(t.Context(), must.Get(alert.ParseRule("price < 1")).On(watchedVintage)))
		r := w.runContext(ctx, "watch", "-o", "jsonl")
		must.Hold(t, strings.Count(r.stdout, "\n") == 1 && strings.Contains(r.stdout, `"value":"90","was":"620"}`),
			r.stdout, r.stderr)
	})
}

// The projects have no details, so these are never cached.
func TestWatchFetchesProjectDetailsInOneRequest(t *testing.T) {
	t.Parallel()
	const vintages = 20
	var projects []string
	for i := range vintages {
		projects = append(projects,
			strings.NewReplacer("P1", fmt.Sprint("P", i), "V1", fmt.Sprint("V", i), `"S`,
				fmt.Sprintf(`"S%d-`, i)).Replace(marketProjects[0]))
	}
	// A session also fetches the projects of its market, but too late for these lines.
	for args, most := range map[string]int{"watch --once": 1, "watch --once -o jsonl": 0, "watch": 4} {
		inBubble(t, func(t *testing.T) {
			requests, s := 0, new(service)
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/api/projects":
					requests++
					fmt.Fprint(w, `{"projects":[]}`)
				case "/api/market":
					fmt.Fprint(w,
						strings.Replace(pageOf("1", []string{strings.Join(projects, ",")}), `"total_pages":2,"total_items":2`,
							`"total_pages":1,"total_items":20`, 1))
				default:
					s.ServeHTTP(w, r)
				}
			}))
			alerts := w.memory().Of(baseURL).Alerts
			for i := range vintages {
				key := model.VintageKey{ProjectID: fmt.Sprint("P", i), VintageID: fmt.Sprint("V", i)}
				must.Succeed(t, alerts.AddRule(t.Context(), must.Get(alert.ParseRule("price < 1000")).On(key)))
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(15*time.Second, func() { cancel(&terminal.SignalError{Signal: 2}) })
			r := w.runContext(ctx, strings.Fields(args)...)
			lines := strings.Count(r.stdout, "\n")
			must.Hold(t, lines == vintages && requests <= most,
				args, lines, "lines after", requests, "requests for projects, want at most", most, r.stdout, r.stderr)
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
		what, _ := r.sentences(t)
		must.Hold(t, r.status == 1 && strings.Contains(what, "an internal error"), typed, "status", r.status, what)
	}
}
