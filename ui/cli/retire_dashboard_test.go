package cli

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/terminal"
)

// otherService accepts every call, or never responds.
type otherService struct {
	*api.Client
	silent bool
}

func (s otherService) RequestRetirement(context.Context, []byte) (wire.RetireAccepted, error) {
	if s.silent {
		runtime.Goexit()
	}
	return wire.RetireAccepted{RequestID: "00m1"}, nil
}

// otherProgram returns the workflow of another program with the journal in a data directory.
// Its calls are accepted, or never answered.
func otherProgram(t *testing.T, data, profile string, silent bool) *retire.Workflow {
	t.Helper()
	w := &retire.Workflow{
		Path: filepath.Join(data, "tonne", "journal.db"), Account: retire.NewAccount(baseURL, profile, ""),
		Client: otherService{silent: silent}, By: "ann", Now: time.Now,
	}
	t.Cleanup(func() { _ = w.Close(time.Second) })
	return w
}

// sendElsewhere sends a call in another goroutine. It returns when the response arrives, or
// when otherService has stopped responding.
func sendElsewhere(t *testing.T, send func() (retire.Call, error)) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c, err := send()
		must.Hold(t, err == nil && c.State == retire.Done, c, err)
	}()
	<-ended
}

// leaveSending leaves a call in the journal like a program that is killed while it sends.
func (r *retirer) leaveSending(id string) *retire.Workflow {
	r.t.Helper()
	other := otherProgram(r.t, r.env["XDG_DATA_HOME"], "", true)
	call := retire.Call{ExternalID: id, Plan: retirement.Call{VintageID: "004bale21", Quantity: 20}, Body: []byte("{}")}
	sendElsewhere(r.t, func() (retire.Call, error) { return other.SendNew(r.t.Context(), call, nil) })
	return other
}

func (w *world) app() *command.App {
	return command.NewApp(w.process(), new(terminal.Terminal))
}

// dashboardOptions returns the options that a dashboard gets for retiring, and a function
// that closes the journal.
func dashboardOptions(t *testing.T, w *world, args ...string) (o ui.Options, leave func()) {
	t.Helper()
	d := &dashboard.Dashboard{App: w.app()}
	root := root(d.App)
	must.Succeed(t, root.ParseFlags(args))
	d.AllowRetire = root.Flag("allow-retire")
	return o, must.Get(d.LetRetire(&o, must.Get(d.App.WithKey())))
}

func TestDashboardRetiresOnlyIfEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.NotFoundHandler())
	w.configure("[profiles.a]\nbase_url = \"" + baseURL + "\"\n[profiles.b]\nbase_url = \"" + baseURL +
		"\"\nallow_retire = true\n")
	for _, tt := range []struct {
		args, env string
		want      bool
	}{
		{"", "", false}, {"--profile a", "", false}, {"--profile b", "", true}, {"--allow-retire", "", true},
		{"--profile a --allow-retire", "", true}, {"--profile b --allow-retire=false", "", false},
		{"--allow-retire=0", "", false},
		{"--profile b --base-url https://other.example", "", false},
		{"", "TONNE_ALLOW_RETIRE", false}, {"--profile a", "ALLOW_RETIRE", false},
	} {
		w.env[tt.env] = "true"
		w.env["TONNE_BASE_URL"] = map[bool]string{true: baseURL}[!strings.Contains(tt.args, "--profile")]
		o, leave := dashboardOptions(t, w, strings.Fields(tt.args)...)
		leave()
		must.Hold(t, (o.Retire != nil) == tt.want, tt.args, tt.env, "retiring enabled", o.Retire != nil)
		delete(w.env, tt.env)
	}
	must.Hold(t, must.Err(os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "journal.db"))) != nil,
		"a journal was created without a retirement")
}

// A response may take a minute. Meanwhile the outcome is not reported as unknown.
func TestPendingListsCallBeingSent(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.leaveSending("tonne-sent")
	out := r.must("retire", "pending", "-o", "csv")
	must.Hold(t, containsAll(out, "tonne-sent", "another program is making this call"), "pending", out)
	got := r.retire("--vintage", "004bale21", "--grams", "20", "--dry-run")
	must.Hold(t, !strings.Contains(got.stderr, "not known"), "a call in flight is reported as unknown", got.stderr)
}

// A read-only dashboard counts every few seconds. A call that was rejected or is being sent is
// not unfinished, a call of a program that was killed is.
func TestReadOnlyDashboardCountsUnfinishedCalls(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.respondToCalls(http.StatusUnauthorized, "")
	r.retire("--vintage", "004bale21", "--grams", "20")
	o, leave := dashboardOptions(t, r.world)
	defer leave()
	count := func(when string, want int) {
		t.Helper()
		n, err := o.Unfinished(t.Context())
		must.Hold(t, n == want && err == nil, when, n, "unfinished calls", err, "want", want)
	}
	count("rejected", 0)
	other := r.leaveSending("tonne-died")
	count("sending", 0)
	must.Succeed(t, other.Close(time.Second))
	count("killed", 1)
	must.Get(otherProgram(t, r.env["XDG_DATA_HOME"], "", true).Settle(t.Context(), "tonne-died", "00m1"))
	count("settled", 0)
	data := filepath.Join(r.env["XDG_DATA_HOME"], "tonne")
	must.Succeed(t, os.Rename(data, data+"-old"))
	count("moved journal", 0)
	must.Succeed(t, r.leaveSending("tonne-died").Close(time.Second))
	count("new journal", 1)
}
