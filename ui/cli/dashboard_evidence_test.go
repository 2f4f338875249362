package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/model/store"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

// dashboardAudit is the part of a dashboard that writes evidence.
type dashboardAudit struct {
	App     *command.App
	auditor *audit.Auditor
}

func (w *world) dashboardAudit(handler http.Handler) dashboardAudit {
	w.t.Helper()
	client, err := api.New(api.Options{BaseURL: w.env["TONNE_BASE_URL"], Key: w.env["TONNE_API_KEY"], Transport: apitest.Transport(handler)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	a := command.NewApp(command.Process{Now: time.Now, Getenv: func(name string) string { return w.env[name] }, Stderr: io.Discard}, new(terminal.Terminal))
	local := store.Open(filepath.Join(w.env["XDG_STATE_HOME"], "tonne", "tonne.db"))
	w.t.Cleanup(func() { _ = local.Close() })
	return dashboardAudit{a, filing.NewAuditor(a, client, local, client.BaseURL())}
}

func TestDashboardWritesSamePackAsCommand(t *testing.T) {
	t.Parallel()
	w, c := withCertificates(t)
	byCommand, byDashboard := filepath.Join(w.env["HOME"], "a.zip"), filepath.Join(w.env["HOME"], "b.zip")
	w.must("retirement", "C1", "C2", "--pack", byCommand)
	var of []audit.Request
	for _, id := range []string{"C1", "C2"} {
		of = append(of, audit.Request{Retirement: retirement.Request{ID: id}})
	}
	dashboard := w.dashboardAudit(c)
	file := audit.File{Path: byDashboard, Of: of}
	written, err := dashboard.auditor.WriteFile(t.Context(), file)
	if err != nil || written.Requests != 2 || written.Certificates != 2 {
		t.Fatalf("wrote %+v (%v)", written, err)
	}
	a, errA := os.ReadFile(byCommand)
	b, errB := os.ReadFile(byDashboard)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the packs differ: %d and %d bytes (%v, %v)", len(a), len(b), errA, errB)
	}
	if _, err := dashboard.auditor.WriteFile(t.Context(), file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing pack is replaced: %v", err)
	}
	file.Replace, file.Of, file.LeftOut = true, of[:1], []audit.Request{{Retirement: retirement.Request{ID: "Nx"}, LeftOut: "not found"}}
	if written, err := dashboard.auditor.WriteFile(t.Context(), file); err != nil || written.Requests != 1 || written.LeftOut != 1 {
		t.Errorf("wrote %+v (%v)", written, err)
	}
	file.Of, file.LeftOut = nil, file.LeftOut[:1]
	if _, err := dashboard.auditor.WriteFile(t.Context(), file); !errors.Is(err, audit.ErrNothingFound) {
		t.Errorf("empty pack: %v", err)
	}
}

func TestDashboardShowsSameStatementAsCommand(t *testing.T) {
	t.Parallel()
	w, client := knownDemo(t)
	w.env["USER"] = "ada"
	dashboard := w.dashboardAudit(client.Service.Handler())
	var o ui.Options
	filing.OfferAudit(dashboard.App, &o, dashboard.auditor.Client, dashboard.auditor.Store, dashboard.auditor.Origin, nil)
	source, err := o.ReadStatementData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	year := time.Now().UTC().Year()
	source.From, source.By = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), statement.PerType
	source.To = source.From.AddDate(1, 0, 0)
	s, err := statement.New(source)
	if err != nil {
		t.Fatal(err)
	}
	printed := w.statementOf("--fiscal-year", source.From.Format("2006"), "--by", "type")
	cents, err := s.Total.Cost.Cents()
	if err != nil || len(s.Rows) != len(printed.Rows) || int64(s.Total.Retired) != printed.Total.Retired || int64(cents) != printed.Total.Cents {
		t.Errorf("%d rows, %s g, %s cents (%v); the command prints %+v", len(s.Rows), s.Total.Retired, cents, err, printed.Total)
	}
	if o.Who != "ada" {
		t.Errorf("user is %q", o.Who)
	}
}
