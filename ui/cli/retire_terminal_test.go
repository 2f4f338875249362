//go:build unix

package cli

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/marketplacetest"
	"tonne/api/retire"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// startRetiring starts a retirement of 4 t on a terminal.
func (r *retirer) startRetiring(t *testing.T, args ...string) *program {
	r.configure("profile = \"a\"\n[profiles.a]\nbase_url = \"" + listen(t, r.handler) +
		"\"\nallow_retire = true\nproduction = true\n")
	env := []string{"TONNE_API_KEY=" + r.env["TONNE_API_KEY"]}
	return start(t, r.env["HOME"], env,
		append([]string{"retire", "--vintage", "004bale21", "--tonnes", "4"}, args...)...).read()
}

func TestTypingTheQuantityConfirms(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]struct {
		status int
		sent   int64
	}{"4.0\r": {0, 1}, "\x04": {command.StatusFailed, 0}, "\x03": {command.StatusInterrupted, 0}} {
		t.Run(strings.TrimSpace(typed), func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			p := r.startRetiring(t, "--reference", strings.Repeat("a long reference ", 10)+".")
			p.await("Type 4 to retire 4 t: ")
			for _, want := range []string{"006b", "$24.40", "PRODUCTION (profile a)", "stays in the wallet"} {
				must.Hold(t, strings.Contains(p.written(), want), want, "is missing before the prompt", p.written())
			}
			must.Hold(t, !strings.Contains(p.written(), strings.Repeat("a long reference ", 4)),
				"the plan is wider than the terminal", p.written())
			p.press(typed)
			if p.end(want.status); r.sent.Load() != want.sent {
				t.Errorf("%d sent\n%s", r.sent.Load(), p.written())
			}
			p.modesRestored()
		})
	}
}

// A user who types ahead, or pastes a command and the next line, has not seen the plan.
func TestInputBeforePlanDoesNotConfirm(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	typed := make(chan struct{})
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path == "/api/inventory" {
			<-typed
		}
		return false
	}
	p := r.startRetiring(t)
	p.press("4\r")
	p.await("4\r\n")
	close(typed)
	p.await("Type 4 to retire 4 t: ")
	p.press("y\r")
	if p.end(command.StatusFailed); r.sent.Load() != 0 {
		t.Errorf("%d sent\n%s", r.sent.Load(), p.written())
	}
}

func TestTypingTheQuantityConfirmsNotCarriedOut(t *testing.T) {
	t.Parallel()
	for typed, status := range map[string]int{"4\r": 0, "5\r": command.StatusFailed, "yes\r": command.StatusFailed} {
		w := newWorld(t, nil)
		other := otherProgram(t, w.env["HOME"]+"/data", "", false)
		call := retire.Call{ExternalID: "tonne-1", Body: []byte("{}"),
			Plan: retirement.Call{VintageID: "V1", Quantity: 4_000_000}}
		must.Succeed(t, other.Confirm(t.Context(), retire.Confirmed{Calls: []retire.Call{call}}))
		p := start(t, w.env["HOME"], []string{"TONNE_BASE_URL=" + baseURL}, "retire", "abandon", "tonne-1",
			"--not-carried-out").read()
		p.await("Type 4 to confirm that it was not: ")
		p.press(typed)
		p.end(status)
		c := must.Get(other.Call(t.Context(), "tonne-1"))
		must.Equal(t, (c.State == retire.Refused), (status == 0), typed, "the call is", c.State)
		_ = other.Close(time.Second)
	}
}

// Each command that asks shows first what it will do, and does nothing after any other answer.
func TestTypingTheWordConfirmsOperatorChanges(t *testing.T) {
	t.Parallel()
	month := time.Now().UTC().Format("2006-01")
	for name, test := range map[string]struct {
		args        []string
		shows, asks string
		word        string
		done        string
	}{
		"close-month": {
			[]string{"serve", "close-month", "--early"}, "together $12.00", "Type " + month + " to close it: ", month,
			`SELECT count(*) FROM invoices WHERE state = 'ISSUED'`,
		},
		"deactivate": {
			[]string{"serve", "keys", "deactivate", "KEY"}, "Buyer Ltd", "Type yes to deactivate it: ", "yes",
			`SELECT count(*) FROM api_keys WHERE is_active = 0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			must.Equal(t, r.retire("--vintage", "004bale21", "--grams", "1200000").status, 0)
			c := marketplacetest.Client{TB: t, Service: r.service}
			key := c.Text(`SELECT k.id FROM api_keys k JOIN tenants t ON t.number = k.tenant WHERE t.name = 'Buyer Ltd'`)
			args := slices.Clone(test.args)
			for i := range args {
				args[i] = strings.Replace(args[i], "KEY", key, 1)
			}
			for n, answer := range []string{"no\r", "\r", test.word + "\r"} {
				p := start(t, r.env["HOME"], nil, append(args, "--db", r.db)...).read()
				p.await(test.shows)
				p.await(test.asks)
				must.Equal(t, c.Text(test.done), "0", "before the answer")
				p.press(answer)
				p.end([]int{command.StatusFailed, command.StatusFailed, 0}[n])
				must.Equal(t, c.Text(test.done) != "0", n == 2, "after", answer)
			}
		})
	}
}
