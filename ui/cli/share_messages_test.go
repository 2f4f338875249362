//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
)

// startClient runs OpenSSH's client on a terminal of a width and type, with options before
// the host and a command after it.
func (d *shared) startClient(t *testing.T, p person, width uint16, terminal string, options, typed []string) *program {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=" + terminal}
	args := append(append(append(d.options(p, "-p"), options...), "127.0.0.1"), typed...)
	return startAt(t, width, 24, env, openSSH(t, "ssh"), args...).read()
}

// textBetween returns the output from one text to another, with line breaks.
func (p *program) textBetween(from, to string) string {
	p.t.Helper()
	p.await(from)
	p.await(to)
	_, text, _ := strings.Cut(ansi.Strip(p.written()), from)
	text, _, _ = strings.Cut(text, to)
	return strings.ReplaceAll(from+text+to, "\r\n", "\n")
}

func TestSSHMessagesAreWrappedAtWords(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	removed, expired := d.sshDashboard(t, ada, 80, 24), d.sshDashboard(t, ben, 60, 24)
	removed.await("at the desk")
	expired.await("at the desk")
	dumb := d.startClient(t, ben, 50, "dumb", []string{"-tt"}, nil)
	refused := d.startClient(t, ben, 50, "xterm", []string{"-tt"}, []string{"market --nonsense-that-is-no-flag-of-any-command=1"})
	for p, status := range map[*program]int{dumb: command.StatusUsage, refused: command.StatusUsage} {
		if got := p.end(); got != status {
			t.Errorf("exit status %d, want %d", got, status)
		}
	}
	d.setKeys(ben.line(`expiry-time="20200101"`))
	for _, p := range []*program{removed, expired} {
		if got := p.end(); got != command.StatusFailed {
			t.Errorf("exit status %d", got)
		}
	}
	d.logs(`"session over"`, `"person":"ben"`, `"reason":"the key has expired"`)
	for _, c := range []struct {
		p              *program
		from, to, want string
	}{
		{removed, "Your key", "of the desk.", "Your key was removed or its options changed. Log in again, or ask the operator\nof the desk."},
		{expired, "Your key", "it.", "Your key has expired. Ask the operator of the desk to extend\nit."},
		{dumb, "The dashboard", "`market`.", "The dashboard cannot run on a terminal of type\ndumb: set TERM, or give a command, such as\n`market`."},
		{refused, "tonne:", "its flags.", "tonne: unknown flag:\n--nonsense-that-is-no-flag-of-any-command.\nRun `ssh DESK market --help` to see its flags."},
	} {
		if got := c.p.textBetween(c.from, c.to); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestSSHLimitPerKeyIsReported(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	c := d.dial(ada)
	for range 10 {
		d.openDashboard(c, true).await(0, "at the desk")
	}
	const message = "your key already has 10 sessions"
	options := append([]string{"-o", "LogLevel=INFO"}, d.options(ada, "-p")...)
	if r := d.client("ssh", "", append(options, "127.0.0.1", "version")...); r.status != 255 || r.stdout != "" || !strings.Contains(r.stderr, "resource shortage: "+message) {
		t.Errorf("command: %+v", r)
	}
	d.logs(`"msg":"refused"`, `"channel":"session"`, message)
}

func TestSSHKeyWithoutPtyRunsOnlyCommands(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line("restrict,no-pty"))
	const message = "Your key may only run commands here"
	if r := d.ssh(ada, ""); r.status != command.StatusUsage || !strings.Contains(r.stderr, message) || r.stdout != "" {
		t.Errorf("without a terminal: %+v", r)
	}
	for _, options := range [][]string{nil, {"-t"}, {"-tt"}} {
		p := d.startClient(t, ada, 120, "xterm", options, nil)
		p.await(message)
		if status := p.end(); status != command.StatusUsage || strings.Contains(p.written(), "\x1b") {
			t.Errorf("%q: %d, %q", options, status, p.written())
		}
		p = d.startClient(t, ada, 120, "xterm", options, []string{"version"})
		p.await("tonne")
		if status := p.end(); status != command.StatusDone {
			t.Errorf("%q with a command: %d, %q", options, status, p.written())
		}
	}
}

func TestSSHInvalidTerminalTypeIsNamed(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	for terminal, shown := range map[string]string{"x;rm -rf y": `"x;rm -rf y"`, "": `""`, "\x1b[2Jx": `"[2Jx"`} {
		p := d.startClient(t, ada, 200, terminal, []string{"-tt"}, nil)
		p.await("TERM is " + shown + ", which is not a terminal type")
		if status := p.end(); status != command.StatusUsage || strings.Contains(p.written(), "dumb") {
			t.Errorf("%q: %d, %q", terminal, status, p.written())
		}
	}
}

func TestSSHHelpWorksWithoutProfile(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := shareOver(t, apitest.Transport(new(service)), nil, nil, ada.line(""))
	d.setKeys(ada.line(""), ben.line(`profile="none"`))
	d.logs(`"line cannot be served"`, `profile=\"none\" cannot be opened`)
	for _, typed := range []string{"version", "help", "schema"} {
		if r := d.ssh(ben, "", typed); r.status != command.StatusDone || r.stdout == "" {
			t.Errorf("%s: %+v", typed, r)
		}
	}
	if r := d.ssh(ben, "", "market"); r.status != command.StatusFailed || r.stderr != "tonne: the desk cannot be opened.\nAsk the operator of the desk, whose log has the reason.\n" {
		t.Errorf("market: %+v", r)
	}
	d.logs(`"a desk cannot be opened"`, `"person":"ben"`, `"profile":"none"`)
}

func TestShareSuggestedExportCommandsWork(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	ids := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(ids, []byte("R1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := d.openDashboard(d.dial(ada), true)
	f.await(0, "at the desk")
	f.press("3+R1\r")
	f.await(0, "COMPLETE")
	for n, c := range []struct{ keys, begins, ends string }{
		{"1e", "market", "-o csv"}, {"2e", "inventory", "-o csv"}, {"3S", "statement", "-o csv"},
		{"3e", "retirement ID -", "-o csv"}, {"3E", "retirement ID...", "-o csv"}, {"3I", "retirement --file", "< FILE"},
	} {
		f.press(c.keys)
		at := f.out.size()
		// A new size redraws the whole screen.
		if err := f.shell.WindowChange(24, 90+n); err != nil {
			t.Fatal(err)
		}
		var typed string
		for deadline, found := time.Now().Add(timeout), false; !found; time.Sleep(time.Millisecond) {
			_, typed, _ = strings.Cut(ansi.Strip(f.out.String()[at:]), "A shared desk has no files: ssh DESK "+c.begins)
			if typed, _, found = strings.Cut(typed, c.ends); time.Now().After(deadline) {
				t.Fatalf("%s suggests no command: %q", c.keys, f.out.String()[at:])
			}
		}
		typed = strings.NewReplacer("ID...", "R1", "ID", "R1", "FILE", ids).Replace(c.begins + typed + c.ends)
		if r := d.runInShell(ada, typed); r.status != command.StatusDone || r.stdout == "" {
			t.Errorf("%s suggests %s: %+v", c.keys, typed, r)
		}
	}
}
