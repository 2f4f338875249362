package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// many is a service on which every id is found, except those ending in 7.
func many(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if r.URL.Path != "/api/retirement" {
		http.NotFound(w, r)
		return
	}
	if strings.HasSuffix(id, "7") {
		answerRetirement(w, "nope")
		return
	}
	fmt.Fprintf(w, `{"id":%q,"status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"P","vintage_id":"V","created_at":"2026-01-01T10:00:00.000Z","should_retire_external_customer":false,"all_invoices_settled":false,"retirement_request_items":[]}`, id)
}

func TestRetirementKeepsOrderDespiteFailures(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, http.HandlerFunc(many))
		var ids []string
		for i := range 1000 {
			ids = append(ids, fmt.Sprintf("R%04d", i))
		}
		r := w.run("retirement", "-o", "csv", "--file", w.write("ids.txt", strings.Join(ids, "\n")))
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")[1:]
		if len(lines) != len(ids) {
			t.Fatalf("%d lines for %d ids", len(lines), len(ids))
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, ids[i]+",") {
				t.Fatalf("line %d is %s, want %s", i, line, ids[i])
			}
		}
		if r.status != command.StatusNotFound || !strings.Contains(r.stderr, "100 of 1000 ids failed") {
			t.Errorf("status %d", r.status)
		}
	})
}

func TestRetirementWaitPollsUntilFinalState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		lookUps := 0
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/retirement" {
				http.NotFound(w, r)
				return
			}
			switch lookUps++; {
			case lookUps == 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			case lookUps < 6:
				many(w, r)
			default:
				answerRetirement(w, "R1")
			}
		}))
		got := w.must("retirement", "R1", "--wait", "-o", "json")
		if !strings.Contains(got, `"status":"COMPLETE"`) || strings.Contains(got, "OPEN") {
			t.Errorf("got %s", got)
		}
	})
}

func TestRetirementWaitStopsForUnknownID(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		if r := newWorld(t, new(service)).run("retirement", "nope", "--wait"); r.status != command.StatusNotFound {
			t.Errorf("status %d", r.status)
		}
	})
}

func TestRetirementWaitStopsIfServiceNeverResponds(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.Handler{
		"HTML": apitest.HTML(), "404": apitest.Status(404, ""), "empty object": apitest.JSON(`{}`),
		"500": apitest.Status(500, "{}"), "reset": apitest.Reset(), "no response": apitest.Hang(),
	} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, handler)
			if r := w.run("retirement", "R1", "--wait"); r.status != command.StatusUnreachable {
				t.Errorf("%s: status %d", name, r.status)
			} else {
				r.sentences(t)
			}
			r := w.run("retirement", "R1", "R2", "R3", "R4", "R5", "R6", "--wait", "-o", "json")
			if r.status != command.StatusUnreachable || strings.Count(r.stdout, `"error"`) != 6 {
				t.Errorf("%s: status %d\n%s", name, r.status, r.stdout)
			}
		})
	}
}

func TestRetirementWaitReportsOutageOnce(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]http.Handler{"500": apitest.Status(500, "{}"), "HTML": apitest.HTML()} {
		inBubble(t, func(t *testing.T) {
			start := time.Now()
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch since := time.Since(start); {
				case r.URL.Path != "/api/retirement":
					http.NotFound(w, r)
				case since > time.Hour:
					answerRetirement(w, "R1")
				case since > time.Minute && since < 30*time.Minute:
					outage.ServeHTTP(w, r)
				default:
					many(w, r)
				}
			}))
			r := w.run("retirement", "R1", "--wait")
			if r.status != command.StatusDone {
				t.Errorf("%s: status %d", name, r.status)
			}
			lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
			if len(lines) < 2 || !strings.Contains(lines[0], "; trying again in ") || lines[1] != "tonne: the service is reachable again." ||
				strings.Count(r.stderr, "again") != 2 {
				t.Errorf("%s: standard error is\n%s", name, r.stderr)
			}
		})
	}
}

func TestRetirementWaitContinuesAfterPartialFailure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		start := time.Now()
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.URL.Query().Get("id")
			switch {
			case r.URL.Path != "/api/retirement":
				http.NotFound(w, r)
			case strings.HasPrefix(id, "bad"):
				fmt.Fprint(w, `{}`)
			case id == "R1", time.Since(start) > time.Hour:
				answerComplete(w, id)
			default:
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		r := w.run("retirement", "--wait", "-o", "json", "bad1", "R1", "R5", "R6", "R8", "R9")
		if r.status != command.StatusUnreachable || strings.Count(r.stdout, `"COMPLETE"`) != 5 || strings.Count(r.stdout, `"error"`) != 1 {
			t.Errorf("status %d\n%s", r.status, r.stdout)
		}
	})
}

// answerComplete responds with a complete request.
func answerComplete(w http.ResponseWriter, id string) {
	fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"20","type":"FRACTIONALISED","project_id":"P","vintage_id":"V","created_at":"2026-01-01T10:00:00.000Z"}`, id)
}

func TestRetirementStopsLookUpsIfServiceIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var requests atomic.Int32
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			apitest.Status(500, "{}").ServeHTTP(w, r)
		}))
		var ids []string
		for i := range 200 {
			ids = append(ids, fmt.Sprint("R", i))
		}
		r := w.run(append([]string{"retirement", "-o", "json"}, ids...)...)
		failed, skipped := strings.Count(r.stdout, `"SERVER_ERROR"`), strings.Count(r.stdout,
			`"error":{"type":"NOT_ASKED","status":null,"message":"not requested: the service did not answer three times in a row"}`)
		if r.status != command.StatusUnreachable || failed < 3 || failed > 3+8 || failed+skipped != len(ids) {
			t.Errorf("status %d, %d failures, %d not requested", r.status, failed, skipped)
		}
		if n := requests.Load(); n > 60 {
			t.Errorf("%d requests to a failing service", n)
		}
	})
}

func TestInvalidRecordFailsOnlyItsID(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{}`, `null`, `{"id":"R0"`, `{"id":7}`} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Query().Get("id"), "bad") {
					fmt.Fprint(w, bad)
					return
				}
				many(w, r)
			}))
			r := w.run("retirement", "-o", "json", "bad1", "bad2", "bad3", "bad4", "bad5", "R1", "R2", "R3")
			if r.status != command.StatusUnreachable || strings.Count(r.stdout, `"NOT_THE_API"`) != 5 || strings.Count(r.stdout, `"OPEN"`) != 3 {
				t.Errorf("%s: status %d\n%s", bad, r.status, r.stdout)
			}
		})
	}
}

func TestForeignPageStopsLookUpsUnlessOneSucceeded(t *testing.T) {
	t.Parallel()
	for good, want := range map[string]int{"R1": 0, "bad": 20 - 3 - 8} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch id := r.URL.Query().Get("id"); {
				case id == "R1":
					many(w, r)
				case strings.HasPrefix(id, "bad"):
					time.Sleep(time.Second) // after the successful response
					apitest.HTML().ServeHTTP(w, r)
				}
			}))
			args := []string{"retirement", "-o", "json", good}
			for i := range 20 {
				args = append(args, fmt.Sprint("bad", i))
			}
			r := w.run(args...)
			if n := strings.Count(r.stdout, `"NOT_ASKED"`); r.status != command.StatusUnreachable || n < want || want == 0 && n > 0 {
				t.Errorf("%s: status %d, %d not requested", good, r.status, n)
			}
		})
	}
}

func TestRetirementEvidenceHasManifest(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{"csv", "json", "xlsx"} {
		w := newWorld(t, new(service))
		path := filepath.Join(w.env["HOME"], "evidence."+ending)
		w.must("retirement", "R1", "R2", "--evidence", path)
		var manifest struct {
			File, SHA256, Service string
			Requests, Rows        int
			TaxIDsMasked          bool `json:"tax_ids_masked"`
		}
		text, err := os.ReadFile(path + ".manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		if manifest.Requests != 2 || manifest.Rows != 2 || manifest.Service != baseURL || !manifest.TaxIDsMasked {
			t.Errorf("%s: %+v", ending, manifest)
		}
	}
}

func TestInvalidEvidencePathSendsNoRequest(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, s)
	file := w.write("folder.csv/file", "")
	for _, path := range []string{"/nonexist/a.csv", filepath.Dir(file), filepath.Join(file, "a.csv")} {
		r := w.run("retirement", "R1", "--evidence", path)
		if r.status != command.StatusFailed || len(s.requests) > 0 {
			t.Errorf("%s: status %d after %d requests", path, r.status, len(s.requests))
		}
		if what, _ := r.sentences(t); !strings.HasPrefix(what, "tonne: "+path+": ") {
			t.Error(what)
		}
	}
	w.must("retirement", "R1", "--evidence", filepath.Join(w.env["HOME"], "a.csv"))
	if left, _ := filepath.Glob(filepath.Join(w.env["HOME"], ".tonne-*")); len(left) > 0 {
		t.Errorf("temporary files remain: %v", left)
	}
}

func TestRetirementExitsWithSignalStatus(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cancel(&terminal.SignalError{Signal: 1})
			apitest.Hang().ServeHTTP(w, r)
		}))
		if r := w.runContext(ctx, "retirement", "R1"); r.status != 129 || r.stderr != "" {
			t.Errorf("status %d, %q", r.status, r.stderr)
		}
	})
}
