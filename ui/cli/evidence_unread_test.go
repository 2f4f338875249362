package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/retirement"
)

func TestEvidenceIsNotMadeOfWhatCannotBeRead(t *testing.T) {
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
				t.Errorf("%s: evidence is in %s all the same\n%s", name, path, r.stdout)
			}
		}
		path := filepath.Join(w.env["HOME"], "desk.csv")
		_, err := w.desk(c).auditor.WriteFile(t.Context(), audit.File{Path: path, Of: []audit.Request{{Retirement: model.Retirement{ID: "C1"}}}})
		if _, none := os.Stat(path); err == nil || !strings.Contains(err.Error(), name) || none == nil {
			t.Errorf("%s: the dashboard writes evidence: %v", name, err)
		}
	}
}

func TestChecksSayThatTheLedgerCannotBeUsed(t *testing.T) {
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
			Checks []model.Check
		}
		if err := json.Unmarshal([]byte(r.stdout), &printed); err != nil || len(printed) != 3 {
			t.Fatal(err, printed)
		}
		for _, one := range printed {
			for _, c := range one.Checks {
				want := model.NotCheckable
				if c.Name == audit.SerialsRetiredOnce && one.ID != "C1" {
					want = model.Fail
				}
				if of := c.Name == audit.SerialsRetiredOnce || c.Name == audit.CertificateOnFile; of && (c.Result != want || want == model.NotCheckable && !strings.Contains(c.Detail, "the ledger of this machine cannot be used")) {
					t.Errorf("%s %s is %s: %s", one.ID, c.Name, c.Result, c.Detail)
				}
			}
		}
	}
}

func TestNothingIsPrintedOrFiledOnceSomebodyStops(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	var out strings.Builder
	desk := w.desk(c)
	desk.App.Stdout = &out
	desk.App.Messages = desk.App.NewMessages()
	path := filepath.Join(w.env["HOME"], "e.csv")
	r := &retirement.RetirementRun{EvidencePath: path, Format: "table"}
	r.App, r.Connection = desk.App, &listing.Connection{Client: desk.auditor.Client, BaseURL: desk.auditor.Origin, ProjectDetails: listing.NewDetails(desk.App, t.Context(), desk.auditor.Client, desk.auditor.Store), Progress: desk.App.NewProgress()}
	r.Answers = []audit.Answer{{ID: "C1", Retirement: model.Retirement{ID: "C1", Status: model.Complete}}}
	ctx, end := context.WithCancel(t.Context())
	end()
	for _, stop := range []func(context.Context) error{r.End, r.WriteEvidence} {
		if err := stop(ctx); !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("it ended with %v and printed\n%s", err, out.String())
		}
	}
	if err := r.WritePack(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it is packed: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("evidence was written")
	}
	if err := r.End(t.Context()); err != nil || !strings.Contains(out.String(), "C1") {
		t.Errorf("it is not printed later: %v\n%s", err, out.String())
	}
}
