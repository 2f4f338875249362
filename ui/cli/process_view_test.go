//go:build unix

package cli

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// saveView filters the market by a text, saves a view, and leaves the dashboard.
func (p *program) saveView(filter, name string) {
	p.t.Helper()
	p.await("6.20")
	// The characters of a filter may be drawn in several frames, so wait for the next screen.
	p.press("/" + filter + "\r")
	p.press(":")
	p.await("Commands")
	p.press("view save " + name + "\r")
	p.await("Saved the view " + name)
	p.press("q")
	if status := p.end(); status != 0 {
		p.t.Fatalf("status %d:\n%q", status, tail(p.written()))
	}
}

func TestCommandsUseTheViewOfTheDashboard(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home, env := t.TempDir(), []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey}
	start(t, home, env).read().saveView("ask<2", "cheap ones")
	p := start(t, home, env, "market", "--view", "cheap ones").read()
	p.await("PROJECT")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"YEAR", "BEST ASK", "$1.15"} {
		if !strings.Contains(p.written(), want) {
			t.Errorf("%q is missing:\n%s", want, p.written())
		}
	}
	if strings.Contains(p.written(), "6.20") || strings.Contains(p.written(), "tonne:") {
		t.Errorf("the filter of the view is ignored, or there is a warning:\n%s", p.written())
	}
}

func TestGuestsHaveTheirOwnViews(t *testing.T) {
	t.Parallel()
	ada, ben, reader := newPerson(t, "ada"), newPerson(t, "ben"), newPerson(t, "reader")
	d := startShare(t, ada.line(""), ben.line(""), reader.line("read-only"))
	d.sshDashboard(ada, 120, 36).saveView("ask<2", "mine")
	ran := d.exec(d.dial(ada), "market --view mine -o csv", "")
	if ran.status != 0 || strings.Count(ran.stdout, "\n") != 2 {
		t.Errorf("ada: %+v", ran)
	}
	for _, p := range []person{ben, reader} {
		if ran := d.exec(d.dial(p), "market --view mine", ""); ran.status != 2 || !strings.Contains(ran.stderr, "no view of `tonne market` is saved") {
			t.Errorf("%s: %+v", p.name, ran)
		}
	}
}
