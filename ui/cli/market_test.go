package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// checkFields checks that each line is an object with the fields of header, in order.
func checkFields(t *testing.T, lines, header string, want int) {
	t.Helper()
	n := 0
	for line := range strings.Lines(lines) {
		n++
		dec := json.NewDecoder(strings.NewReader(line))
		var names []string
		for depth := 0; ; {
			token, err := dec.Token()
			if err != nil {
				break
			}
			if token == json.Delim('{') {
				depth++
				continue
			}
			if token == json.Delim('}') {
				break
			}
			names = append(names, token.(string))
			if _, err := dec.Token(); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(names, ","); got != header {
			t.Errorf("line %d has the fields\n%s\nwant\n%s", n, got, header)
		}
	}
	if n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
}

func TestJSONLPrintsNothingIfPageFails(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory"} {
		inBubble(t, func(t *testing.T) {
			s := new(service)
			r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("page") == "2" {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				s.ServeHTTP(w, r)
			})).run(typed, "-o", "jsonl")
			if r.status != command.StatusUnreachable || r.stdout != "" {
				t.Errorf("%s: status %d, output\n%s", typed, r.status, r.stdout)
			}
		})
	}
}

func TestChangingMarketIsPrintedConsistently(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"csv", "jsonl"} {
		inBubble(t, func(t *testing.T) {
			// An order and a third project disappear before the second page is read.
			changed := false
			s := new(service)
			got := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/market" {
					s.ServeHTTP(w, r)
					return
				}
				page := r.URL.Query().Get("page")
				text := pageOf(page, marketProjects)
				if changed = changed || page == "2"; changed {
					text = strings.ReplaceAll(text, `"S1"`, `"S9"`)
				} else {
					text = strings.ReplaceAll(text, `"total_items":2`, `"total_items":3`)
				}
				_, _ = w.Write([]byte(text))
			})).must("market", "-o", format)
			if strings.Contains(got, "S1") || strings.Count(got, "S9") != 1 {
				t.Errorf("%s:\n%s", format, got)
			}
		})
	}
}

func TestMarketWithoutProjectDetailsPrintsNullNamesAndWarns(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := new(service)
		r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/projects" {
				http.NotFound(w, r)
				return
			}
			s.ServeHTTP(w, r)
		})).run("market", "-o", "json")
		if r.status != 0 || strings.Contains(r.stdout, "Bale") || !strings.Contains(r.stderr, "project names are missing") {
			t.Errorf("status %d\n%s\n%s", r.status, r.stdout, r.stderr)
		}
	})
}

func TestMarketWatchPrintsOneLinePerChange(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		polls := 0
		s := new(service)
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/market" || r.URL.Query().Get("page") == "2" {
				s.ServeHTTP(w, r)
				return
			}
			switch polls++; polls {
			case 1:
				s.ServeHTTP(w, r)
			case 2:
				w.WriteHeader(http.StatusInternalServerError)
			case 3, 4, 5, 6:
				w.WriteHeader(http.StatusInternalServerError)
			case 7:
				text := strings.NewReplacer(`"620"`, `"610"`, `"S1"`, `"S9"`).Replace(pageOf("1", marketProjects))
				_, _ = w.Write([]byte(text))
			default:
				cancel(&terminal.SignalError{Signal: 2})
				w.WriteHeader(http.StatusInternalServerError)
			}
		}))
		r := w.runContext(ctx, "market", "--watch", "-o", "jsonl")
		if r.status != 130 {
			t.Errorf("status %d, want that of the signal", r.status)
		}
		checkFields(t, r.stdout, "at,change,project_id,project_name,vintage_id,sell_order_id,quantity_grams,price_cents,was_quantity_grams,was_price_cents", 3)
		for _, want := range []string{
			`"change":"appeared","project_id":"P1","project_name":"=Bale \"Mountains\", ET","vintage_id":"V1","sell_order_id":"S9","quantity_grams":"999999","price_cents":"500","was_quantity_grams":null,"was_price_cents":null}`,
			`"change":"repriced","project_id":"P1","project_name":"=Bale \"Mountains\", ET","vintage_id":"V1","sell_order_id":"S2","quantity_grams":"400000000","price_cents":"610","was_quantity_grams":"400000000","was_price_cents":"620"}`,
			`"change":"vanished","project_id":"P1","project_name":"=Bale \"Mountains\", ET","vintage_id":"V1","sell_order_id":"S1","quantity_grams":null,"price_cents":null,"was_quantity_grams":"999999","was_price_cents":"500"}`,
		} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("the output lacks\n%s\nin\n%s", want, r.stdout)
			}
		}
		if !strings.Contains(r.stderr, "trying again") {
			t.Errorf("the failed poll is not reported: %q", r.stderr)
		}
	})
}

func TestProjectDetailsAreCachedForAWeek(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := new(service)
		w := newWorld(t, s)
		lookUps := func() int {
			s.requests = nil
			w.must("market")
			return strings.Count(strings.Join(s.requests, " "), "/api/projects?project_ids%5B%5D=P1")
		}
		if n := lookUps(); n != 1 {
			t.Errorf("first run: %d requests", n)
		}
		if n := lookUps(); n != 0 {
			t.Errorf("second run: %d requests", n)
		}
		time.Sleep(8 * 24 * time.Hour)
		if n := lookUps(); n != 1 {
			t.Errorf("a week later: %d requests", n)
		}
	})
}
