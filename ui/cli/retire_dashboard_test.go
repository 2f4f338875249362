package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	journalcmd "tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// dashboardOptions returns the options that a dashboard gets for retiring, and a function
// that closes the journal.
func dashboardOptions(t *testing.T, w *world, args ...string) (o ui.Options, leave func()) {
	t.Helper()
	a := command.NewApp(command.Process{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return w.env[name] },
		Now: time.Now, Keyring: w.ring, Transport: apitest.Transport(w.handler),
	}, new(terminal.Terminal))
	d := &dashboard.Dashboard{App: a}
	root := root(a)
	if err := root.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	d.AllowRetire = root.Flag("allow-retire")
	s, err := a.WithKey()
	if err != nil {
		t.Fatal(err)
	}
	leave, err = d.LetRetire(&o, s)
	if err != nil {
		t.Fatal(err)
	}
	return o, leave
}

func TestDashboardRetiresOnlyIfEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.NotFoundHandler())
	w.configure("[profiles.a]\nbase_url = \"" + baseURL + "\"\n[profiles.b]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\n")
	for _, tt := range []struct {
		args  string
		env   string
		wants bool
	}{
		{"", "", false}, {"--profile a", "", false}, {"--profile b", "", true}, {"--allow-retire", "", true},
		{"--profile a --allow-retire", "", true}, {"--profile b --allow-retire=false", "", false}, {"--allow-retire=0", "", false},
		{"--profile b --base-url https://other.example", "", false},
		{"", "TONNE_ALLOW_RETIRE", false}, {"--profile a", "ALLOW_RETIRE", false},
	} {
		w.env[tt.env] = "true"
		w.env["TONNE_BASE_URL"] = map[bool]string{true: baseURL}[!strings.Contains(tt.args, "--profile")]
		o, leave := dashboardOptions(t, w, strings.Fields(tt.args)...)
		leave()
		if (o.Retire != nil) != tt.wants {
			t.Errorf("%q %s: retiring enabled: %v", tt.args, tt.env, o.Retire != nil)
		}
		delete(w.env, tt.env)
	}
	w.env["TONNE_BASE_URL"] = baseURL
	o, leave := dashboardOptions(t, w)
	defer leave()
	wantUnfinished(t, o, 0)
	if _, err := os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "journal.db")); err == nil {
		t.Error("a journal was created without a retirement")
	}
}

// dashboardCall returns a call like one planned by a dashboard.
func dashboardCall(id, reference string, grams model.Grams) retire.Call {
	plan := retirement.Call{VintageID: "004bale21", Quantity: grams, BuyTonnes: 1, SellOrderID: "006a", Price: 600, Cost: 600}
	return retire.Call{ExternalID: id, Reference: reference, Request: "w", Plan: plan, Body: wire.AppendRetireCall(nil, id, plan)}
}

func TestDashboardSharesJournalWithCommand(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	o, leave := dashboardOptions(t, r.world, "--allow-retire")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, err := o.Retire.SendNew(ctx, dashboardCall("tonne-desk", "flight-9", 20), nil)
	if err != nil || got.RequestID == "" || r.sent.Load() != 1 {
		t.Fatalf("%+v, %v, %d sent", got, err, r.sent.Load())
	}
	leave()
	if out := r.must("retire", "pending"); strings.Contains(out, "tonne-desk") {
		t.Errorf("the call is pending:\n%s", out)
	}
	a := command.NewApp(command.Process{Getenv: func(name string) string { return r.env[name] }}, new(terminal.Terminal))
	calls, err := journalcmd.Entries(a, baseURL)(ctx)
	if err != nil || len(calls) != 1 || calls[0].RequestID != got.RequestID || calls[0].Reference != "flight-9" {
		t.Errorf("the journal contains %+v, %v", calls, err)
	}
	if calls[0].MadeBy == "" {
		t.Error("MadeBy is empty, but the evidence needs a name")
	}
}

// A response may take a minute. Meanwhile the outcome is not reported as unknown.
func TestPendingListsCallBeingSent(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	other := otherProgram(t, r.env["XDG_DATA_HOME"], "", true)
	sendElsewhere(t, func() (retire.Call, error) { return other.SendNew(t.Context(), smallCall("tonne-sent"), nil) })
	if out := r.must("retire", "pending", "-o", "csv"); !strings.Contains(out, "tonne-sent") || !strings.Contains(out, "another program is making this call") {
		t.Errorf("pending:\n%s", out)
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "20", "--dry-run"); strings.Contains(got.stderr, "not known") {
		t.Errorf("a call in flight is reported as unknown:\n%s", got.stderr)
	}
}

func wantUnfinished(t *testing.T, o ui.Options, want int) {
	t.Helper()
	if n, err := o.Unfinished(t.Context()); n != want || err != nil {
		t.Errorf("%d unfinished calls, %v, want %d", n, err, want)
	}
}

// leaveRejected leaves a call in the journal that was rejected with status 401.
func (r *retirer) leaveRejected() {
	r.t.Helper()
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return req.Method == http.MethodPost
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "20"); got.status == 0 {
		r.t.Fatal("the command succeeds")
	}
}

// leaveSending leaves a call in the journal like a program that is killed while it sends.
func (r *retirer) leaveSending() {
	r.t.Helper()
	other := otherProgram(r.t, r.env["XDG_DATA_HOME"], "", true)
	sendElsewhere(r.t, func() (retire.Call, error) { return other.SendNew(r.t.Context(), smallCall("tonne-died"), nil) })
	if err := other.Close(time.Second); err != nil {
		r.t.Fatal(err)
	}
}

// The results list such a call as not_sent.
func TestRejectedCallIsNotUnknown(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.leaveRejected()
	o, leave := dashboardOptions(t, r.world)
	defer leave()
	wantUnfinished(t, o, 0)
	if out := r.must("retire", "pending", "-o", "csv"); !strings.Contains(out, ",not_sent,1,") {
		t.Errorf("pending:\n%s", out)
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "30", "--dry-run"); strings.Contains(got.stderr, "not known") {
		t.Errorf("unexpected warning: %s", got.stderr)
	}
	got := r.retire("--vintage", "004bale21", "--grams", "20", "-o", "json")
	if f := got.object(t); f.Code != "unsettled" || strings.Contains(f.Message, "not known") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.run("retire", "resume", "--allow-retire", "--yes", "-o", "json"); strings.Contains(got.stderr, "not known") {
		t.Errorf("resume: status %d\n%s", got.status, got.stderr)
	}
	r.leaveSending()
	wantUnfinished(t, o, 1)
}

// A read-only dashboard counts every few seconds.
func TestReadOnlyDashboardCountsUnfinishedCalls(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.leaveSending()
	o, leave := dashboardOptions(t, r.world)
	defer leave()
	wantUnfinished(t, o, 1)
	other := otherProgram(t, r.env["XDG_DATA_HOME"], "", true)
	must(other.Settle(t.Context(), "tonne-died", "00m1"))
	wantUnfinished(t, o, 0)
	sendElsewhere(t, func() (retire.Call, error) { return other.SendNew(t.Context(), smallCall("tonne-sent"), nil) })
	wantUnfinished(t, o, 0)
	if err := other.Close(time.Second); err != nil {
		t.Fatal(err)
	}
	wantUnfinished(t, o, 1)
}

func TestReadOnlyDashboardNoticesReplacedJournal(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.leaveSending()
	o, leave := dashboardOptions(t, r.world)
	defer leave()
	wantUnfinished(t, o, 1)
	data := filepath.Join(r.env["XDG_DATA_HOME"], "tonne")
	if err := os.Rename(data, data+"-old"); err != nil {
		t.Fatal(err)
	}
	wantUnfinished(t, o, 0)
	r.leaveSending()
	wantUnfinished(t, o, 1)
}
