package cli

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

func TestReadIDsFromCSVColumn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, column string
		want         []string
	}{
		"id":                        {"id,status\nR1,COMPLETE\nR2,CLOSED\n", "", []string{"R1", "R2"}},
		"retirement_id":             {"invoice,retirement_id\nI1,R1\nI2,R2\n", "", []string{"R1", "R2"}},
		"retirement_request_id":     {"reference,external_id,status,retirement_request_id\nf1,x1,done,R1\n", "", []string{"R1"}},
		"one column":                {"id\nR1\nR2\n", "", []string{"R1", "R2"}},
		"byte order mark and CRLF":  {"\ufeffid;status\r\nR1;COMPLETE\r\n\r\nR2;CLOSED\r\n", "", []string{"R1", "R2"}},
		"tabs":                      {"status\tid\nCOMPLETE\tR1\n", "", []string{"R1"}},
		"quoted fields":             {"\"name\",\"Retirement ID\"\n\"Ada, \"\"A\"\"\nLovelace\",\"R1\"\n\"=1+1\",\"'R2\"\n", "", []string{"R1", "R2"}},
		"separator in quotes":       {"\"a;b\",id\n\"x;y\",R1\n", "", []string{"R1"}},
		"comment above":             {"# of March\nid,status\nR1,COMPLETE\n", "", []string{"R1"}},
		"empty and missing cells":   {"status,id\nCOMPLETE,R1\nCLOSED,\nCLOSED\n", "", []string{"R1"}},
		"repeated":                  {"id,n\nR1,1\nR1,2\n", "", []string{"R1"}},
		"named column":              {"Request,id\nR1,7\n", "request", []string{"R1"}},
		"ids on one line":           {"R1,R2;R3\nR4", "", []string{"R1", "R2", "R3", "R4"}},
		"empty":                     {"\n", "", nil},
		"header without lines":      {"id,status\n", "", nil},
		"header and a comment line": {"id,status\n#R9,x\nR1,y\n", "", []string{"R1"}},
	} {
		got, err := filing.ReadIDs(command.NewApp(command.Process{Stdin: strings.NewReader(c.text), Stderr: io.Discard, Getenv: os.Getenv}, new(terminal.Terminal)), nil, "-", c.column)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestCSVWithoutIDColumnIsRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		args []string
		want string
	}{
		"no column":        {"invoice,customer\nI1,Ada\n", nil, "invoice, customer"},
		"no header":        {"2026-02-05,I1,R1\n", nil, "2026-02-05, I1, R1"},
		"semicolons":       {"Rechnung;Kunde\nI1;Ada\n", nil, "Rechnung, Kunde"},
		"no such column":   {"id,customer\nR1,Ada\n", []string{"--column", "request"}, "id, customer"},
		"one column named": {"id\nR1\n", []string{"--column", "request"}, "id"},
	} {
		s := new(service)
		w := newWorld(t, s)
		for _, source := range []string{"file", "stdin"} {
			args := []string{"retirement", "-"}
			if w.stdin = c.text; source == "file" {
				args = []string{"retirement", "--file", w.write("ids.csv", c.text)}
			}
			r := w.run(append(args, c.args...)...)
			if _, todo := r.sentences(t); r.status != command.StatusUsage || !strings.Contains(todo, c.want) || len(s.requests) > 0 {
				t.Errorf("%s, %s: status %d, %d requests: %s", name, source, r.status, len(s.requests), r.stderr)
			}
		}
	}
}

func TestRepeatedIDsAreLookedUpOnceAndCounted(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, s)
	r := w.run("retirement", "R1", "--file", w.write("ids.csv", "id,n\nR1,1\nR2,2\nR2,3\n"))
	lookUps := 0
	for _, path := range s.requests {
		if strings.HasPrefix(path, "/api/retirement?") {
			lookUps++
		}
	}
	if r.status != 0 || lookUps != 2 || !strings.Contains(r.stderr, "2 repeated ids are left out") {
		t.Errorf("status %d, %d requests: %s", r.status, lookUps, r.stderr)
	}
}

func TestUnknownIDIsNotStoredInLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	if r := w.run("retirement", "R1", "bogus"); r.status != command.StatusNotFound {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	if got := w.must("ledger", "-o", "json"); !strings.Contains(got, `"R1"`) || strings.Contains(got, "bogus") {
		t.Error(got)
	}
}
