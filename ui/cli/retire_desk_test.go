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

// retireDeskWith is the desk that a dashboard gets with a configuration and flags, nil
// for none.
func retireDeskWith(t *testing.T, w *world, args ...string) (desk ui.Options, end func()) {
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
	var o ui.Options
	leave, err := d.LetRetire(&o, s)
	if err != nil {
		t.Fatal(err)
	}
	return o, leave
}

func TestADashboardHasADeskOnlyWhereRetiringIsSwitchedOn(t *testing.T) {
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
		o, leave := retireDeskWith(t, w, strings.Fields(tt.args)...)
		leave()
		if (o.Retire != nil) != tt.wants {
			t.Errorf("%q %s: there is a desk: %v", tt.args, tt.env, o.Retire != nil)
		}
		delete(w.env, tt.env)
	}
	w.env["TONNE_BASE_URL"] = baseURL
	o, leave := retireDeskWith(t, w)
	defer leave()
	if n, err := o.Unfinished(t.Context()); n != 0 || err != nil {
		t.Errorf("%d calls are unfinished, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "journal.db")); err == nil {
		t.Error("a journal was made though nobody retired")
	}
}

// deskCall is a call as a dashboard plans it.
func deskCall(id, reference string, grams model.Grams) retire.Call {
	plan := retirement.Call{VintageID: "004bale21", Quantity: grams, BuyTonnes: 1, SellOrderID: "006a", Price: 600, Cost: 600}
	return retire.Call{ExternalID: id, Reference: reference, Request: "w", Plan: plan, Body: wire.AppendRetireCall(nil, id, plan)}
}

func TestWhatADashboardRetiresStandsInTheJournalOfTheCommandLine(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	o, leave := retireDeskWith(t, r.world, "--allow-retire")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, err := o.Retire.SendNew(ctx, deskCall("tonne-desk", "flight-9", 20), nil)
	if err != nil || got.RequestID == "" || r.sent.Load() != 1 {
		t.Fatalf("%+v, %v, %d sent", got, err, r.sent.Load())
	}
	leave()
	if out := r.must("retire", "pending"); strings.Contains(out, "tonne-desk") {
		t.Errorf("it is not known:\n%s", out)
	}
	a := command.NewApp(command.Process{Getenv: func(name string) string { return r.env[name] }}, new(terminal.Terminal))
	calls, err := journalcmd.Entries(a, baseURL)(ctx)
	if err != nil || len(calls) != 1 || calls[0].RequestID != got.RequestID || calls[0].Reference != "flight-9" {
		t.Errorf("the journal has %+v, %v", calls, err)
	}
	if calls[0].MadeBy == "" {
		t.Error("nobody made the call: the evidence needs a name, whatever the environment lacks")
	}
}

// An answer may take a minute: who looks meanwhile has nothing to find out.
func TestACallThatAProgramIsSendingIsSaidToBeSent(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	other := otherProgram(t, r.env["XDG_DATA_HOME"], "", true)
	sending(t, func() (retire.Call, error) { return other.SendNew(t.Context(), smallCall("tonne-sent"), nil) })
	if out := r.must("retire", "pending", "-o", "csv"); !strings.Contains(out, "tonne-sent") || !strings.Contains(out, "another program is making this call") {
		t.Errorf("pending:\n%s", out)
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "20", "--dry-run"); strings.Contains(got.stderr, "not known") {
		t.Errorf("an alarm where none is:\n%s", got.stderr)
	}
}

// turnedAway leaves a call in the journal that was not accepted.
func (r *retirer) turnedAway() {
	r.t.Helper()
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return req.Method == http.MethodPost
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "20"); got.status == 0 {
		r.t.Fatal("it was retired")
	}
}

// diedSending leaves a call in the journal as a program does that ends while it
// sends it.
func (r *retirer) diedSending() {
	r.t.Helper()
	other := otherProgram(r.t, r.env["XDG_DATA_HOME"], "", true)
	sending(r.t, func() (retire.Call, error) { return other.SendNew(r.t.Context(), smallCall("tonne-died"), nil) })
	if err := other.Close(time.Second); err != nil {
		r.t.Fatal(err)
	}
}

// A call that was turned away is not_sent in the results, and so everywhere else.
func TestACallThatWasTurnedAwayIsNotCountedAsUnknown(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.turnedAway()
	o, leave := retireDeskWith(t, r.world)
	defer leave()
	if n, err := o.Unfinished(t.Context()); n != 0 || err != nil {
		t.Errorf("%d calls are unfinished, %v", n, err)
	}
	if out := r.must("retire", "pending", "-o", "csv"); !strings.Contains(out, ",not_sent,1,") {
		t.Errorf("pending:\n%s", out)
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "30", "--dry-run"); strings.Contains(got.stderr, "not known") {
		t.Errorf("warned: %s", got.stderr)
	}
	got := r.retire("--vintage", "004bale21", "--grams", "20", "-o", "json")
	if f := got.object(t); f.Code != "unsettled" || strings.Contains(f.Message, "not known") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.run("retire", "resume", "--allow-retire", "--yes", "-o", "json"); strings.Contains(got.stderr, "not known") {
		t.Errorf("resume: status %d\n%s", got.status, got.stderr)
	}
	r.diedSending()
	if n, err := o.Unfinished(t.Context()); n != 1 || err != nil {
		t.Errorf("%d calls are unfinished, %v", n, err)
	}
}

// A dashboard that only looks counts every few seconds, for as long as it is open.
func TestADashboardThatOnlyLooksCountsWhatOthersDo(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.diedSending()
	o, leave := retireDeskWith(t, r.world)
	defer leave()
	counts := func(want int) {
		t.Helper()
		if n, err := o.Unfinished(t.Context()); n != want || err != nil {
			t.Errorf("%d calls are unfinished, %v, want %d", n, err, want)
		}
	}
	counts(1)
	other := otherProgram(t, r.env["XDG_DATA_HOME"], "", true)
	must(other.Settle(t.Context(), "tonne-died", "00m1"))
	counts(0)
	sending(t, func() (retire.Call, error) { return other.SendNew(t.Context(), smallCall("tonne-sent"), nil) })
	counts(0)
	if err := other.Close(time.Second); err != nil {
		t.Fatal(err)
	}
	counts(1)
}

func TestADashboardThatOnlyLooksNoticesAnotherJournal(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.diedSending()
	o, leave := retireDeskWith(t, r.world)
	defer leave()
	counts := func(want int) {
		t.Helper()
		if n, err := o.Unfinished(t.Context()); n != want || err != nil {
			t.Errorf("%d calls are unfinished, %v, want %d", n, err, want)
		}
	}
	counts(1)
	data := filepath.Join(r.env["XDG_DATA_HOME"], "tonne")
	if err := os.Rename(data, data+"-old"); err != nil {
		t.Fatal(err)
	}
	counts(0)
	r.diedSending()
	counts(1)
}
