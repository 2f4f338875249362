//go:build unix

package cli

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

func TestTypingTheQuantityConfirms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typed  string
		status int
		sent   int64
	}{
		{"4\r", 0, 1}, {"4.0\r", 0, 1}, {"\r", command.StatusFailed, 0}, {"y\r", command.StatusFailed, 0}, {"5\r", command.StatusFailed, 0}, {"\x04", command.StatusFailed, 0},
		{"\x03", command.StatusInterrupted, 0},
	} {
		r := newRetirer(t)
		server := httptest.NewServer(r.handler)
		r.write("config/tonne/config.toml", "profile = \"a\"\n[profiles.a]\nbase_url = \""+server.URL+"\"\nallow_retire = true\nproduction = true\n")
		p := start(t, r.env["HOME"], []string{"TONNE_API_KEY=" + r.env["TONNE_API_KEY"]}, "retire", "--vintage", "004bale21", "--tonnes", "4").read()
		p.await("Type 4 to retire 4 t: ")
		for _, want := range []string{"006b", "$24.40", "PRODUCTION (profile a)", "stays in the wallet"} {
			if !strings.Contains(p.written(), want) {
				t.Errorf("%q is missing before the prompt:\n%s", want, p.written())
			}
		}
		p.press(tt.typed)
		if status := p.end(); status != tt.status || r.sent.Load() != tt.sent {
			t.Errorf("%q: status %d, %d sent\n%s", tt.typed, status, r.sent.Load(), p.written())
		}
		p.modesRestored()
		server.Close()
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
	server := httptest.NewServer(r.handler)
	defer server.Close()
	p := start(t, r.env["HOME"], []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + r.env["TONNE_API_KEY"]},
		"retire", "--allow-retire", "--vintage", "004bale21", "--tonnes", "4").read()
	p.press("4\r")
	p.await("4\r\n")
	close(typed)
	p.await("Type 4 to retire 4 t: ")
	p.press("5\r")
	if status := p.end(); status != command.StatusFailed || r.sent.Load() != 0 {
		t.Errorf("status %d, %d sent\n%s", status, r.sent.Load(), p.written())
	}
}

func TestTypingTheQuantityConfirmsNotCarriedOut(t *testing.T) {
	t.Parallel()
	for typed, status := range map[string]int{"4\r": 0, "5\r": command.StatusFailed} {
		w := newWorld(t, nil)
		other := otherProgram(t, filepath.Join(w.env["HOME"], ".local", "share"), "", false)
		call := retire.Call{ExternalID: "tonne-1", Body: []byte("{}"), Plan: retirement.Call{VintageID: "V1", Quantity: 4_000_000}}
		if err := other.Confirm(t.Context(), retire.Confirmed{Known: -1, Calls: []retire.Call{call}}); err != nil {
			t.Fatal(err)
		}
		p := start(t, w.env["HOME"], []string{"TONNE_BASE_URL=" + baseURL, "XDG_DATA_HOME=" + filepath.Join(w.env["HOME"], ".local", "share")},
			"retire", "abandon", "tonne-1", "--not-carried-out").read()
		p.await("Type 4 to confirm that it was not: ")
		p.press(typed)
		if got := p.end(); got != status {
			t.Errorf("%q: status %d\n%s", typed, got, p.written())
		}
		if c := must(other.Call(t.Context(), "tonne-1")); (c.State == retire.Refused) != (status == 0) {
			t.Errorf("%q: the call is %s", typed, c.State)
		}
		_ = other.Close(time.Second)
	}
}

func TestDryRunFitsTerminal(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	server := httptest.NewServer(r.handler)
	defer server.Close()
	p := start(t, r.env["HOME"], []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + r.env["TONNE_API_KEY"]},
		"retire", "--allow-retire", "--dry-run", "--vintage", "004bale21", "--tonnes", "4", "--reference", strings.Repeat("a long reference ", 10)+".").read()
	if status := p.end(); status != 0 || strings.Contains(p.written(), "a long reference a long reference a long reference a long reference") {
		t.Errorf("status %d\n%s", status, p.written())
	}
}
