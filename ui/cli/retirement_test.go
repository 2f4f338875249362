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

	"github.com/spf13/pflag"

	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

func readIDs(t *testing.T, text, column string, guest *command.Guest) ([]string, error) {
	p := command.Process{Stdin: strings.NewReader(text), Stderr: io.Discard, Getenv: os.Getenv, Guest: guest}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	ids := filing.NewIDs(command.NewApp(p, new(terminal.Terminal)), f)
	must.Succeed(t, f.Parse([]string{"--file", "-", "--column", column}))
	return ids.Read(t.Context(), nil)
}

func TestReadIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\ufeff# a comment R8\nR1\r\n  # another R9\n#R7\nR2, R3#4\n":         "R1 R2 R3#4",
		"id,status\nR1,COMPLETE\nR2,CLOSED\n":                                 "R1 R2",
		"invoice,retirement_id\nI1,R1\nI2,R2\n":                               "R1 R2",
		"reference,external_id,status,retirement_request_id\nf1,x1,done,R1\n": "R1",
		"id\nR1\nR2\n": "R1 R2",
		"\ufeffid;status\r\nR1;COMPLETE\r\n\r\nR2;CLOSED\r\n":                                 "R1 R2",
		"status\tid\nCOMPLETE\tR1\n":                                                          "R1",
		"\"name\",\"Retirement ID\"\n\"Ada, \"\"A\"\"\nLovelace\",\"R1\"\n\"=1+1\",\"'R2\"\n": "R1 R2",
		"\"a;b\",id\n\"x;y\",R1\n":                                                            "R1",
		"# of March\nid,status\nR1,COMPLETE\n":                                                "R1",
		"status,id\nCOMPLETE,R1\nCLOSED,\nCLOSED\n":                                           "R1",
		"id,n\nR1,1\nR1,2\n":                                                                  "R1",
		"R1,R2;R3\nR4":                                                                        "R1 R2 R3 R4",
		"\n":                                                                                  "",
		"id,status\n#R9,x\nR1,y\n":                                                            "R1",
	} {
		got, err := readIDs(t, text, "", nil)
		must.Hold(t, err == nil && strings.Join(got, " ") == want, text, got, err, "want", want)
	}
	many := strings.TrimSuffix(strings.Repeat("R1,", 100), ",")
	line, err := readIDs(t, many, "", nil)
	must.Hold(t, err == nil && len(line) == 1, "many ids in a line", len(line), err)
	got, err := readIDs(t, "Request,id\nR1,7\n", "request", nil)
	must.Hold(t, err == nil && slices.Equal(got, []string{"R1"}), "named column", got, err)
}

// The limit bounds memory, because all responses are kept until the last one arrives.
func TestReadIDsLimitsGuests(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&list, "R%d\n", n)
	}
	guest := &command.Guest{Fit: strings.TrimSpace}
	for text, want := range map[string]string{list.String(): "there are 10001 ids",
		strings.Repeat("#\n", 1<<20): "larger than 1 MiB"} {
		_, err := readIDs(t, text, "", guest)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), err, "want", want)
	}
	ids, err := readIDs(t, strings.Repeat("R1\n", 10_000)+"R2", "", guest)
	must.Hold(t, err == nil && len(ids) == 2, len(ids), "ids", err)
	ids, err = readIDs(t, list.String(), "", nil)
	must.Hold(t, err == nil && len(ids) == 10_001, "not a guest", len(ids), "ids", err)
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
	fmt.Fprintf(w,
		`{"id":%q,"status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"P","vintage_id":"V","created_at":"2026-01-01T10:00:00.000Z","should_retire_external_customer":false,"all_invoices_settled":false,"retirement_request_items":[]}`, id)
}

func numbered(format string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf(format, i))
	}
	return ids
}

func TestLookUpsOfFailingService(t *testing.T) {
	t.Parallel()
	type counts map[string][2]int
	ids, waiting := numbered("R%d", 200), []string{"R1", "R2", "R3", "R4", "R5", "R6", "--wait"}
	html := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("id") == "R0" {
			many(w, r)
			return
		}
		time.Sleep(time.Second) // after the successful response
		apitest.HTML().ServeHTTP(w, r)
	})
	for name, c := range map[string]struct {
		handler http.Handler
		ids     []string
		want    counts
	}{
		"500": {apitest.Status(500, "{}"), ids,
			counts{`"NOT_ASKED"`: {189, 197}, "not requested: the service did not answer three times in a row": {1, 200}}},
		"429": {apitest.RateLimited("3600"), ids, counts{
			`"NOT_ASKED"`: {192, 199}, `"RATE_LIMITED"`: {1, 8},
			"not requested: the service asks for fewer requests; it asks for a wait of 3600 s": {1, 200},
		}},
		// A foreign page stops the look-ups, unless one succeeded.
		"HTML":                 {html, numbered("bad%d", 200), counts{`"NOT_ASKED"`: {189, 197}, `"NOT_THE_API"`: {1, 11}}},
		"HTML for some only":   {html, ids, counts{`"NOT_ASKED"`: {0, 0}, `"NOT_THE_API"`: {199, 199}}},
		"wait for HTML":        {apitest.HTML(), waiting, counts{`"error"`: {6, 6}}},
		"wait for 404":         {apitest.Status(404, ""), waiting, counts{`"error"`: {6, 6}}},
		"wait for {}":          {apitest.JSON(`{}`), waiting, counts{`"error"`: {6, 6}}},
		"wait for 500":         {apitest.Status(500, "{}"), waiting, counts{`"error"`: {6, 6}}},
		"wait for a reset":     {apitest.Reset(), waiting, counts{`"error"`: {6, 6}}},
		"wait for no response": {apitest.Hang(), waiting, counts{`"error"`: {6, 6}}},
		"invalid records": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if bad, found := strings.CutPrefix(r.URL.Query().Get("id"), "bad"); found {
				fmt.Fprint(w, []string{`{}`, `null`, `{"id":"R0"`, `{"id":7}`}[len(bad)])
				return
			}
			many(w, r)
		}), []string{"bad", "bad1", "bad12", "bad123", "R1", "R2", "R3"}, counts{`"NOT_THE_API"`: {4, 4}, `"OPEN"`: {3, 3}}},
	} {
		inBubble(t, func(t *testing.T) {
			r := newWorld(t, c.handler).run(append([]string{"retirement", "-o", "json"}, c.ids...)...)
			must.Equal(t, r.status, command.StatusUnreachable, name, "status")
			for text, want := range c.want {
				n := strings.Count(r.stdout, text)
				must.Hold(t, n >= want[0] && n <= want[1], name, text, "occurs", n, "times, want", want, r.stdout)
			}
		})
	}
}

func TestRetirementKeepsOrderDespiteFailures(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, ids, began := newWorld(t, http.HandlerFunc(many)), numbered("R%04d", 1000), time.Now()
		w.stdin = strings.Join(ids, "\n")
		r := w.run("retirement", "-o", "csv", "--columns", "id", "-")
		lines := strings.Fields(r.stdout)
		must.Hold(t, slices.Equal(lines[1:], ids), len(lines), "lines for", len(ids), "ids", r.stdout)
		took := time.Since(began)
		must.Hold(t,
			r.status == command.StatusNotFound && strings.Contains(r.stderr, "100 of 1000 ids failed") && took <= time.Second,
			"status", r.status, "after", took)
	})
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
					fmt.Fprintf(w,
						`{"id":%q,"status":"COMPLETE","total_quantity":"20","type":"FRACTIONALISED","project_id":"P","vintage_id":"V","created_at":"2026-01-01T10:00:00.000Z"}`, id)
				case since > time.Minute && since < 30*time.Minute:
					outage.ServeHTTP(w, r)
				default:
					many(w, r)
				}
			})).run("retirement", "bad", "R1", "R2", "R3", "--wait", "-o", "csv")
			must.Hold(t, r.status == command.StatusUnreachable && strings.Count(r.stdout, ",COMPLETE,") == 3,
				name, "status", r.status, r.stdout)
			must.Hold(t,
				strings.Count(r.stderr, "; trying again in ") == 1 &&
					strings.Count(r.stderr, "the service is reachable again.") == 1,
				name, "standard error is", r.stderr)
		})
	}
}

// Each retirement request has another project. The service has a latency of 20 ms.
func TestProjectDetailsAreFetchedInBatches(t *testing.T) {
	t.Parallel()
	const lookUps, latency, connections = 400, 20 * time.Millisecond, 8
	for _, flags := range []string{"", "--pack file.zip", "--evidence file.csv"} {
		inBubble(t, func(t *testing.T) {
			var mu sync.Mutex
			var queries []string
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(latency)
				if id := r.URL.Query().Get("id"); r.URL.Path == "/api/retirement" {
					fmt.Fprintf(w,
						`{"id":%q,"status":"COMPLETE","total_quantity":"1000000","type":"WHOLE","project_id":"P%[1]s","vintage_id":"V1","created_at":"2026-01-01T10:00:00.000Z"}`, id)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if r.URL.Path == "/api/projects" {
					queries = append(queries, r.URL.RequestURI())
				}
				var projects []string
				for _, id := range r.URL.Query()["project_ids[]"] {
					projects = append(projects, fmt.Sprintf(`{"project_id":%q,"project_name":"Name of %[1]s"}`, id))
				}
				fmt.Fprintf(w, `{"projects":[%s]}`, strings.Join(projects, ","))
			}))
			w.stdin = strings.Join(numbered("%017d", lookUps), "\n")
			started := time.Now()
			got := w.must(strings.Fields("retirement - " +
				strings.ReplaceAll(flags, "file", filepath.Join(w.env["HOME"], "file")))...)
			took, ideal := time.Since(started), latency*lookUps/connections
			must.Hold(t, took <= ideal*12/10, flags, "took", took, "an ideal client takes", ideal)
			tooLong := slices.ContainsFunc(queries, func(query string) bool { return len(query) > 8000 })
			must.Hold(t, len(queries) <= lookUps/50 && !tooLong && strings.Count(got, "Name of") == lookUps,
				flags, len(queries), "requests for", strings.Count(got, "Name of"), "names, of which one is too long", tooLong)
		})
	}
}
