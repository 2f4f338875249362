package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
	dialog "tonne/ui/effect"
	dialogs "tonne/ui/retire"
	"tonne/ui/style"
	"tonne/ui/tab"
)

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
					t.Errorf("call %d gets status %d, %s: %s, want %s", test.n, test.status, name, states, test.want)
				}
				journals = append(journals, got)
			})
		}
		if journals[0] != journals[1] {
			t.Errorf("call %d gets status %d: the journals differ:\n%s\n%s", test.n, test.status, journals[0], journals[1])
		}
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

func key(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "pgdown": tea.KeyPgDown}
	if code := special[name]; code != 0 {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: rune(name[0]), Text: name}
}

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
	for _, name := range strings.Fields("enter enter f l i g h t - 9 enter pgdown pgdown 4 5 enter") {
		time.Sleep(time.Second)
		panel.Size(120, 40)
		_, e := panel.Press(key(name))
		do(e)
	}
}

// journalText returns the journal without timestamps, and the states of its calls.
func (r *retirer) journalText() (text, states string) {
	a := command.NewApp(command.Process{Getenv: func(name string) string { return r.env[name] }}, new(terminal.Terminal))
	calls, err := retiring.Calls(r.t.Context(), a, retire.Account{Origin: baseURL}, retire.OfService)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range calls {
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
