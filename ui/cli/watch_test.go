package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
)

// memory opens the local store of the world.
func (w *world) memory() *store.Store {
	s := store.Open(filepath.Join(w.env["XDG_STATE_HOME"], "tonne", "tonne.db"))
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}

var watchedVintage = model.VintageKey{ProjectID: "P1", VintageID: "V1"}

// fallingPrice is the test service with a best ask that falls from $6.20 to $6.10 at the
// second poll. After the fourth poll it calls end.
func fallingPrice(end func()) http.Handler {
	s, polls := new(service), 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/market" || r.URL.Query().Get("page") == "2" {
			s.ServeHTTP(w, r)
			return
		}
		if polls++; polls > 4 {
			end()
		}
		page := pageOf("1", marketProjects)
		if polls > 1 {
			page = strings.Replace(page, `"620"`, `"610"`, 1)
		}
		fmt.Fprint(w, page)
	})
}

// recordFallingPrice is watchFallingPrice with a rule that fires. It returns the recorded prices.
func recordFallingPrice(t *testing.T, args ...string) (r result, recorded string) {
	t.Helper()
	r, memory := watchFallingPrice(t, "best ask <= 6.15", args...)
	var prices []model.PriceCents
	for _, o := range must(memory.Of(baseURL).History.Prices(t.Context(), watchedVintage, time.Time{})) {
		prices = append(prices, o.BestAsk)
	}
	return r, fmt.Sprint(prices)
}

func TestWatchRecordsPricesAndReportsAlertOnce(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory"} {
		inBubble(t, func(t *testing.T) {
			r, recorded := recordFallingPrice(t, typed, "--watch", "-o", "jsonl")
			if want := `{"code":"alert","message":"alert: =Bale \"Mountains\", ET 2019: best ask ≤ $6.15, now $6.10."}` + "\n"; r.stderr != want {
				t.Errorf("%s: standard error is %q, want %q", typed, r.stderr, want)
			}
			if recorded != "[620 610]" {
				t.Errorf("%s: recorded prices %s", typed, recorded)
			}
		})
	}
}

func TestWatchOfOnePageRecordsNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r, recorded := recordFallingPrice(t, "market", "--watch", "--page", "1")
		if recorded != "[]" || strings.Contains(r.stderr, "alert") || !strings.Contains(r.stdout, "cheaper") {
			t.Errorf("recorded prices %s\n%s\n%s", recorded, r.stdout, r.stderr)
		}
	})
}

func TestWatchStopsIfKeyIsRefused(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory"} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			inBubble(t, func(t *testing.T) {
				r := newWorld(t, apitest.Status(status, "{}")).run(typed, "--watch")
				if r.status != command.StatusRefused {
					t.Errorf("%s: status %d", typed, r.status)
				}
				r.sentences(t)
			})
		}
	}
}

// panickingTransport panics on every request.
type panickingTransport struct{}

func (panickingTransport) RoundTrip(*http.Request) (*http.Response, error) { panic("a bug") }

func TestPanicDuringWatchIsOneSentence(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory"} {
		w := newWorld(t, nil)
		var stdout, stderr strings.Builder
		status := Run(t.Context(), command.Process{
			Args: []string{typed, "--watch"}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Getenv: func(name string) string { return w.env[name] }, Now: time.Now, Transport: panickingTransport{},
		})
		r := result{status: status, stdout: stdout.String(), stderr: stderr.String()}
		if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, "an internal error") {
			t.Errorf("%s: status %d: %s", typed, r.status, what)
		}
	}
}

func TestStaleProjectNamesAreUsedDuringOutage(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, broken := new(service), false
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if broken && r.URL.Path == "/api/projects" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			s.ServeHTTP(w, r)
		}))
		w.must("retirement", "R1")
		broken = true
		time.Sleep(30 * 24 * time.Hour)
		r := w.run("retirement", "R1")
		if r.status != 0 || !strings.Contains(r.stdout, "Bale") || r.stderr != "" {
			t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
		}
	})
}
