package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

func TestEvidenceNeedsReadableStores(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tonne.db", "journal.db"} {
		w, c := withCertificates(t)
		w.write("state/tonne/"+name, strings.Repeat("something else ", 1000))
		if name == "journal.db" {
			w.env["XDG_DATA_HOME"] = filepath.Join(w.env["HOME"], "state")
		}
		for _, path := range []string{"e.csv", "e.json", "e.xlsx", "-", "p.zip"} {
			args := []string{"retirement", "C1", "--evidence", path, "-o", "csv"}
			if strings.HasPrefix(path, "e.") {
				args[3] = filepath.Join(w.env["HOME"], path)
			}
			if path == "p.zip" {
				args[2], args[3] = "--pack", filepath.Join(w.env["HOME"], path)
			}
			r := w.run(args...)
			if r.status != command.StatusFailed || !strings.Contains(r.stderr, name) {
				t.Errorf("%s, %s: status %d\n%s", name, path, r.status, r.stderr)
			}
			if _, err := os.Stat(args[3]); err == nil || path == "-" && r.stdout != "" {
				t.Errorf("%s: evidence was written to %s\n%s", name, path, r.stdout)
			}
		}
		path := filepath.Join(w.env["HOME"], "dashboard.csv")
		_, err := w.dashboardAudit(c).auditor.WriteFile(t.Context(), audit.File{Path: path, Of: []audit.Request{{Retirement: retirement.Request{ID: "C1"}}}})
		if _, missing := os.Stat(path); err == nil || !strings.Contains(err.Error(), name) || missing == nil {
			t.Errorf("%s: the dashboard writes evidence: %v", name, err)
		}
	}
}

func TestChecksReportUnusableLedger(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	w.write("state/tonne/tonne.db", strings.Repeat("something else ", 1000))
	for _, format := range []string{"table", "json", "jsonl", "csv"} {
		r := w.run("retirement", "C1", "T1", "T2", "-o", format)
		if r.status != 0 || !strings.Contains(r.stderr, "what this machine knows of the requests cannot be used: ") {
			t.Errorf("%s: status %d\n%s", format, r.status, r.stderr)
		}
		if format != "json" {
			continue
		}
		var printed []struct {
			ID     string
			Checks []retirement.Check
		}
		if err := json.Unmarshal([]byte(r.stdout), &printed); err != nil || len(printed) != 3 {
			t.Fatal(err, printed)
		}
		for _, one := range printed {
			for _, c := range one.Checks {
				want := retirement.NotCheckable
				if c.Name == audit.SerialsRetiredOnce && one.ID != "C1" {
					want = retirement.Fail
				}
				if of := c.Name == audit.SerialsRetiredOnce || c.Name == audit.CertificateOnFile; of && (c.Result != want || want == retirement.NotCheckable && !strings.Contains(c.Detail, "the ledger of this machine is unusable")) {
					t.Errorf("%s %s is %s: %s", one.ID, c.Name, c.Result, c.Detail)
				}
			}
		}
	}
}

func TestInterruptPrintsAndWritesNothing(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	// Project details are requested after the retirement requests.
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/projects" {
			cancel(&terminal.SignalError{Signal: syscall.SIGINT})
		}
		c.ServeHTTP(rw, r)
	})
	evidence, pack := filepath.Join(w.env["HOME"], "e.csv"), filepath.Join(w.env["HOME"], "p.zip")
	if r := w.runContext(ctx, "retirement", "C1", "--evidence", evidence, "--pack", pack); r.status != 130 || r.stdout != "" {
		t.Errorf("status %d, printed\n%s", r.status, r.stdout)
	}
	for _, path := range []string{evidence, pack} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	w.handler = c
	if printed := w.must("retirement", "C1"); !strings.Contains(printed, "C1") {
		t.Errorf("the next command does not print C1:\n%s", printed)
	}
}
