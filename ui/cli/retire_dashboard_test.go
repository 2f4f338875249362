package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
	dialog "tonne/ui/effect"
	dialogs "tonne/ui/retire"
	"tonne/ui/style"
	"tonne/ui/tab"
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
		Path: filepath.Join(data, "tonne", "journal.db"), Account: retire.NewAccount(baseURL, profile, ""), Client: otherService{silent: silent}, By: "ann", Now: time.Now,
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
		if c, err := send(); err != nil || c.State != retire.Done {
			t.Errorf("%+v, %v", c, err)
		}
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
	return command.NewApp(command.Process{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return w.env[name] },
		Now: time.Now, Keyring: w.ring, Transport: apitest.Transport(w.handler),
	}, new(terminal.Terminal))
}

// dashboardOptions returns the options that a dashboard gets for retiring, and a function
// that closes the journal.
func dashboardOptions(t *testing.T, w *world, args ...string) (o ui.Options, leave func()) {
	t.Helper()
	d := &dashboard.Dashboard{App: w.app()}
	root := root(d.App)
	if err := root.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	d.AllowRetire = root.Flag("allow-retire")
	s, err := d.App.WithKey()
	if err != nil {
		t.Fatal(err)
	}
	if leave, err = d.LetRetire(&o, s); err != nil {
		t.Fatal(err)
	}
	return o, leave
}

func TestDashboardRetiresOnlyIfEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.NotFoundHandler())
	w.configure("[profiles.a]\nbase_url = \"" + baseURL + "\"\n[profiles.b]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\n")
	for _, tt := range []struct {
		args, env string
		want      bool
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
		if (o.Retire != nil) != tt.want {
			t.Errorf("%q %s: retiring enabled: %v", tt.args, tt.env, o.Retire != nil)
		}
		delete(w.env, tt.env)
	}
	if _, err := os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "journal.db")); err == nil {
		t.Error("a journal was created without a retirement")
	}
}

// A response may take a minute. Meanwhile the outcome is not reported as unknown.
func TestPendingListsCallBeingSent(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.leaveSending("tonne-sent")
	if out := r.must("retire", "pending", "-o", "csv"); !containsAll(out, "tonne-sent", "another program is making this call") {
		t.Errorf("pending:\n%s", out)
	}
	if got := r.retire("--vintage", "004bale21", "--grams", "20", "--dry-run"); strings.Contains(got.stderr, "not known") {
		t.Errorf("a call in flight is reported as unknown:\n%s", got.stderr)
	}
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
		if n, err := o.Unfinished(t.Context()); n != want || err != nil {
			t.Errorf("%s: %d unfinished calls, %v, want %d", when, n, err, want)
		}
	}
	count("rejected", 0)
	other := r.leaveSending("tonne-died")
	count("sending", 0)
	if err := other.Close(time.Second); err != nil {
		t.Fatal(err)
	}
	count("killed", 1)
	must(otherProgram(t, r.env["XDG_DATA_HOME"], "", true).Settle(t.Context(), "tonne-died", "00m1"))
	count("settled", 0)
	data := filepath.Join(r.env["XDG_DATA_HOME"], "tonne")
	if err := os.Rename(data, data+"-old"); err != nil {
		t.Fatal(err)
	}
	count("moved journal", 0)
	if err := r.leaveSending("tonne-died").Close(time.Second); err != nil {
		t.Fatal(err)
	}
	count("new journal", 1)
}

// After the same responses, the command and the dashboard leave the same journal. 45 t take
// calls of 3 t, 5 t and 37 t.
func TestCommandAndDashboardWriteSameJournal(t *testing.T) {
	t.Parallel()
	const refusal = `{"statusCode":422,"error":"SELL_ORDER_SUPPLY_TOO_LOW","message":"No"}`
	for _, test := range []struct {
		n, status  int
		body, want string
	}{
		{1, 422, refusal, "refused abandoned abandoned"},
		{2, 422, refusal, "done refused abandoned"},
		{3, 422, refusal, "done done refused"},
		{1, 500, "", "unknown prepared prepared"},
		{2, 422, "<html>", "done unknown prepared"},
		{2, 403, `{"statusCode":403}`, "done sent prepared"},
		{4, 0, "", "done done done"},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			var journals []string
			for name, retires := range map[string]func(*retirer){"command": (*retirer).retireByCommand, "dashboard": (*retirer).retireByDashboard} {
				inBubble(t, func(t *testing.T) {
					r := newRetirer(t)
					calls := 0
					r.before = func(w http.ResponseWriter, req *http.Request) bool {
						if req.Method != http.MethodPost {
							return false
						}
						if calls++; calls < test.n {
							return false
						}
						w.WriteHeader(test.status)
						fmt.Fprint(w, test.body)
						return true
					}
					retires(r)
					got, states := r.journalText()
					if states != test.want {
						t.Errorf("%s: %s", name, states)
					}
					journals = append(journals, got)
				})
			}
			if journals[0] != journals[1] {
				t.Errorf("the journals differ:\n%s\n%s", journals[0], journals[1])
			}
		})
	}
}

func (r *retirer) retireByCommand() {
	r.retire("--vintage", "004bale21", "--tonnes", "45", "--reference", "flight-9")
}

// noLedger ignores every request.
type noLedger struct{}

func (noLedger) Add(...session.Entry) {}

func (noLedger) OpenLedger() {}

func (noLedger) Refresh() {}

// retireByDashboard types a retirement into the dialog of a dashboard.
func (r *retirer) retireByDashboard() {
	o, leave := dashboardOptions(r.t, r.world, "--allow-retire")
	defer leave()
	v := &tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: time.Now, Context: r.t.Context()}
	var panel dialog.Panel
	var do func(e dialog.Effect)
	do = func(e dialog.Effect) {
		switch e := e.(type) {
		case dialog.Several:
			for _, one := range e {
				do(one)
			}
		case dialog.Then:
			do(e())
		case dialog.Work:
			if then, ok := e(v.Context).(dialog.Effect); ok {
				do(then)
			}
		case dialog.Show:
			panel = e.Panel
		}
	}
	do(dialogs.New(v, o.Retire, noLedger{}).Begin(tab.RetireFrom{Vintage: model.VintageKey{ProjectID: "003bale", VintageID: "004bale21"}, Quantity: 45 * model.GramsPerTonne}))
	special := map[string]rune{"enter": tea.KeyEnter, "pgdown": tea.KeyPgDown}
	for _, name := range strings.Fields("enter enter f l i g h t - 9 enter pgdown pgdown 4 5 enter") {
		time.Sleep(time.Second)
		panel.Size(120, 40)
		key := tea.KeyPressMsg{Code: special[name]}
		if key.Code == 0 {
			key = tea.KeyPressMsg{Code: rune(name[0]), Text: name}
		}
		_, e := panel.Press(key)
		do(e)
	}
}

// journalText returns the journal without timestamps, and the states of its calls.
func (r *retirer) journalText() (text, states string) {
	for _, c := range must(retiring.Calls(r.t.Context(), r.app(), retire.Account{Origin: baseURL}, retire.OfService)) {
		if c.MadeBy == "" {
			r.t.Error("MadeBy is empty, but the evidence needs a name")
		}
		text += fmt.Sprintf("%s %q %q %+v %s %s %t %t %d %q %q %d\n",
			c.ExternalID, c.Reference, c.Request, c.Plan, c.Body, c.State, c.Unsure, c.GivenUp, c.Tries, c.Code, c.Message, c.TurnedAway)
		if c.GivenUp {
			states += " abandoned"
		} else {
			states += " " + string(c.State)
		}
	}
	return text, strings.TrimSpace(states)
}
