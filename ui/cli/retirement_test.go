package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

func readIDs(text, column string, guest *command.Guest) ([]string, error) {
	p := command.Process{Stdin: strings.NewReader(text), Stderr: io.Discard, Getenv: os.Getenv, Guest: guest}
	return filing.ReadIDs(command.NewApp(p, new(terminal.Terminal)), nil, "-", column)
}

func TestReadIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, column, want string }{
		"comments":                  {"\ufeff# a comment R8\nR1\r\n  # another R9\n#R7\nR2, R3#4\n", "", "R1 R2 R3#4"},
		"id":                        {"id,status\nR1,COMPLETE\nR2,CLOSED\n", "", "R1 R2"},
		"retirement_id":             {"invoice,retirement_id\nI1,R1\nI2,R2\n", "", "R1 R2"},
		"retirement_request_id":     {"reference,external_id,status,retirement_request_id\nf1,x1,done,R1\n", "", "R1"},
		"one column":                {"id\nR1\nR2\n", "", "R1 R2"},
		"byte order mark and CRLF":  {"\ufeffid;status\r\nR1;COMPLETE\r\n\r\nR2;CLOSED\r\n", "", "R1 R2"},
		"tabs":                      {"status\tid\nCOMPLETE\tR1\n", "", "R1"},
		"quoted fields":             {"\"name\",\"Retirement ID\"\n\"Ada, \"\"A\"\"\nLovelace\",\"R1\"\n\"=1+1\",\"'R2\"\n", "", "R1 R2"},
		"separator in quotes":       {"\"a;b\",id\n\"x;y\",R1\n", "", "R1"},
		"comment above":             {"# of March\nid,status\nR1,COMPLETE\n", "", "R1"},
		"empty and missing cells":   {"status,id\nCOMPLETE,R1\nCLOSED,\nCLOSED\n", "", "R1"},
		"repeated":                  {"id,n\nR1,1\nR1,2\n", "", "R1"},
		"named column":              {"Request,id\nR1,7\n", "request", "R1"},
		"ids on one line":           {"R1,R2;R3\nR4", "", "R1 R2 R3 R4"},
		"empty":                     {"\n", "", ""},
		"header without lines":      {"id,status\n", "", ""},
		"header and a comment line": {"id,status\n#R9,x\nR1,y\n", "", "R1"},
	} {
		if got, err := readIDs(c.text, c.column, nil); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// The limit bounds memory, because all responses are kept until the last one arrives.
func TestReadIDsLimitsGuests(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&list, "R%d\n", n)
	}
	guest := &command.Guest{Fit: strings.TrimSpace}
	for text, want := range map[string]string{list.String(): "there are 10001 ids", strings.Repeat("#\n", 1<<20): "longer than 1 MiB"} {
		if _, err := readIDs(text, "", guest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if ids, err := readIDs(strings.Repeat("R1\n", 10_000)+"R2", "", guest); err != nil || len(ids) != 2 {
		t.Errorf("%d ids, %v", len(ids), err)
	}
	if ids, err := readIDs(list.String(), "", nil); err != nil || len(ids) != 10_001 {
		t.Errorf("not a guest: %d ids, %v", len(ids), err)
	}
}

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

func numbered(format string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf(format, i))
	}
	return ids
}

func TestRetirementKeepsOrderDespiteFailures(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, http.HandlerFunc(many))
		ids := numbered("R%04d", 1000)
		w.stdin = strings.Join(ids, "\n")
		began := time.Now()
		r := w.run("retirement", "-o", "csv", "-")
		var printed []string
		for line := range strings.Lines(r.stdout) {
			id, _, _ := strings.Cut(line, ",")
			printed = append(printed, id)
		}
		if !slices.Equal(printed[1:], ids) {
			t.Errorf("%d lines for %d ids: %.200s", len(printed), len(ids), r.stdout)
		}
		if took := time.Since(began); r.status != command.StatusNotFound || !strings.Contains(r.stderr, "100 of 1000 ids failed") || took > time.Second {
			t.Errorf("status %d after %v", r.status, took)
		}
	})
}

func TestFailingServiceStopsLookUps(t *testing.T) {
	t.Parallel()
	html := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("id") == "R0" {
			many(w, r)
			return
		}
		time.Sleep(time.Second) // after the successful response
		apitest.HTML().ServeHTTP(w, r)
	})
	for name, c := range map[string]struct {
		handler      http.Handler
		format       string
		least, most  int
		failure, why string
	}{
		"500": {apitest.Status(500, "{}"), "R%d", 189, 197, `"SERVER_ERROR"`, "not requested: the service did not answer three times in a row"},
		"429": {apitest.RateLimited("3600"), "R%d", 192, 199, `"RATE_LIMITED"`, "not requested: the service asks for fewer requests; it asks for a wait of 3600 s"},
		// A foreign page stops the look-ups, unless one succeeded.
		"HTML":               {html, "bad%d", 189, 197, `"NOT_THE_API"`, "not requested: "},
		"HTML for some only": {html, "R%d", 0, 0, `"NOT_THE_API"`, ""},
	} {
		inBubble(t, func(t *testing.T) {
			r := newWorld(t, c.handler).run(append([]string{"retirement", "-o", "json"}, numbered(c.format, 200)...)...)
			failed, skipped := strings.Count(r.stdout, c.failure), strings.Count(r.stdout, `"NOT_ASKED"`)
			if r.status != command.StatusUnreachable || skipped < c.least || skipped > c.most || failed == 0 || !strings.Contains(r.stdout, c.why) {
				t.Errorf("%s: status %d, %d failures, %d not requested\n%.1000s", name, r.status, failed, skipped, r.stdout)
			}
		})
	}
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

func TestRetirementWaitStopsIfServiceNeverResponds(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.Handler{
		"HTML": apitest.HTML(), "404": apitest.Status(404, ""), "empty object": apitest.JSON(`{}`),
		"500": apitest.Status(500, "{}"), "reset": apitest.Reset(), "no response": apitest.Hang(),
	} {
		inBubble(t, func(t *testing.T) {
			r := newWorld(t, handler).run("retirement", "R1", "R2", "R3", "R4", "R5", "R6", "--wait", "-o", "json")
			if r.status != command.StatusUnreachable || strings.Count(r.stdout, `"error"`) != 6 {
				t.Errorf("%s: status %d\n%s", name, r.status, r.stdout)
			}
		})
	}
}

func TestRetirementWaitSurvivesOutage(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]http.Handler{"500": apitest.Status(500, "{}"), "HTML": apitest.HTML()} {
		inBubble(t, func(t *testing.T) {
			start := time.Now()
			r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id := r.URL.Query().Get("id")
				switch since := time.Since(start); {
				case r.URL.Path != "/api/retirement":
					http.NotFound(w, r)
				case id == "bad":
					fmt.Fprint(w, `{}`)
				case since > time.Hour:
					fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"20","type":"FRACTIONALISED","project_id":"P","vintage_id":"V","created_at":"2026-01-01T10:00:00.000Z"}`, id)
				case since > time.Minute && since < 30*time.Minute:
					outage.ServeHTTP(w, r)
				default:
					many(w, r)
				}
			})).run("retirement", "bad", "R1", "R2", "R3", "--wait", "-o", "csv")
			if r.status != command.StatusUnreachable || strings.Count(r.stdout, ",COMPLETE,") != 3 {
				t.Errorf("%s: status %d\n%s", name, r.status, r.stdout)
			}
			if strings.Count(r.stderr, "; trying again in ") != 1 || strings.Count(r.stderr, "the service is reachable again.") != 1 {
				t.Errorf("%s: standard error is\n%s", name, r.stderr)
			}
		})
	}
}

// Each retirement request has another project. The service has a latency of 20 ms.
func TestProjectDetailsAreFetchedInBatches(t *testing.T) {
	t.Parallel()
	const lookUps, latency, connections = 400, 20 * time.Millisecond, 8
	for _, flag := range []string{"", "--pack", "--evidence"} {
		t.Run("with "+flag, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				var mu sync.Mutex
				var queries []string
				w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(latency)
					if id := r.URL.Query().Get("id"); r.URL.Path == "/api/retirement" {
						fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"1000000","type":"WHOLE","project_id":"P%[1]s","vintage_id":"V1","created_at":"2026-01-01T10:00:00.000Z"}`, id)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					queries = append(queries, r.URL.RequestURI())
					var projects []string
					for _, id := range r.URL.Query()["project_ids[]"] {
						projects = append(projects, fmt.Sprintf(`{"project_id":%q,"project_name":"Name of %[1]s"}`, id))
					}
					fmt.Fprintf(w, `{"projects":[%s]}`, strings.Join(projects, ","))
				}))
				w.stdin = strings.Join(numbered("%017d", lookUps), "\n")
				args := []string{"retirement", "-"}
				if flag != "" {
					args = append(args, flag, filepath.Join(w.env["HOME"], "file."+map[string]string{"--pack": "zip", "--evidence": "csv"}[flag]))
				}
				started := time.Now()
				got := w.must(args...)
				if took, ideal := time.Since(started), latency*lookUps/connections; took > ideal*12/10 {
					t.Errorf("took %v, an ideal client takes %v", took, ideal)
				}
				tooLong := slices.IndexFunc(queries, func(query string) bool { return len(query) > 8000 })
				if len(queries) > lookUps/50 || tooLong >= 0 || strings.Count(got, "Name of") != lookUps {
					t.Errorf("%d requests for %d names, of which one is too long: %v", len(queries), strings.Count(got, "Name of"), tooLong >= 0)
				}
			})
		})
	}
}

func TestProjectDetailsAreCachedForAWeek(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := new(service)
		w := newWorld(t, s)
		for _, c := range []struct {
			wait     time.Duration
			requests int
		}{{0, 1}, {0, 0}, {8 * 24 * time.Hour, 1}} {
			time.Sleep(c.wait)
			s.requests = nil
			w.must("market")
			if n := strings.Count(strings.Join(s.requests, " "), "/api/projects?project_ids%5B%5D=P1"); n != c.requests {
				t.Errorf("after %v: %d requests", c.wait, n)
			}
		}
		w.must("retirement", "R1")
		// Stale names are used during an outage.
		w.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/projects" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			s.ServeHTTP(w, r)
		})
		time.Sleep(30 * 24 * time.Hour)
		if r := w.run("retirement", "R1"); r.status != 0 || !strings.Contains(r.stdout, "Bale") || r.stderr != "" {
			t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
		}
	})
}
