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
		p.restored()
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

func TestSSHExplainsWhyThereIsNoDashboard(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line("restrict,no-pty"))
	const onlyCommands = "Your key may only run commands here"
	for _, c := range []struct {
		name     string
		of       person
		terminal string
		options  []string
		want     string
	}{
		{"no terminal", ada, "xterm", []string{"-T"}, "needs a terminal"},
		{"TERM=dumb", ada, "dumb", []string{"-tt"}, "cannot run on a terminal of type dumb"},
		{"TERM with a command", ada, "x;rm -rf y", []string{"-tt"}, `TERM is "x;rm -rf y", which is not a terminal type`},
		{"TERM is empty", ada, "", []string{"-tt"}, `TERM is "", which is not a terminal type`},
		{"TERM with a control sequence", ada, "\x1b[2Jx", []string{"-tt"}, `TERM is "[2Jx", which is not a terminal type`},
		{"no-pty", ben, "xterm", nil, onlyCommands},
		{"no-pty, -T", ben, "xterm", []string{"-T"}, onlyCommands},
		{"no-pty, -tt", ben, "xterm", []string{"-tt"}, onlyCommands},
	} {
		p := d.startClient(t, c.of, 200, c.terminal, c.options, nil)
		p.await(c.want)
		if status := p.end(); status != command.StatusUsage || strings.Contains(p.written(), "\x1b") || strings.Contains(c.terminal, "x") && strings.Contains(p.written(), "dumb") {
			t.Errorf("%s: %d, %q", c.name, status, p.written())
		}
	}
	for _, options := range [][]string{nil, {"-tt"}} {
		p := d.startClient(t, ben, 120, "xterm", options, []string{"version"})
		p.await("tonne")
		if status := p.end(); status != command.StatusDone {
			t.Errorf("%q with a command: %d, %q", options, status, p.written())
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
		at := f.out.Size()
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
