//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"weak"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	"tonne/model/longtest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
)

// openClient runs OpenSSH's client on a terminal of a size, with a TERM, options before the
// host and a command after "--".
func (d *shared) openClient(p person, width, height uint16, term string, options ...string) *program {
	d.t.Helper()
	path, err := exec.LookPath("ssh")
	if err != nil && os.Getenv("TONNE_TEST_REQUIRE_SSH") != "" {
		d.t.Fatal(err)
	}
	if err != nil {
		d.t.Skip(err)
	}
	var typed []string
	if n := slices.Index(options, "--"); n >= 0 {
		options, typed = options[:n], options[n+1:]
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.t.TempDir(), "TERM=" + term}
	args := slices.Concat([]string{
		"-F", "/dev/null", "-p", d.port, "-i", p.path, "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes", "-o", "IdentityAgent=none",
	}, options, []string{"-tt", "127.0.0.1"}, typed)
	return startAt(d.t, width, height, env, path, args...).read()
}

// sshDashboard opens the dashboard with OpenSSH's client.
func (d *shared) sshDashboard(p person, width, height uint16, options ...string) *program {
	d.t.Helper()
	return d.openClient(p, width, height, "xterm-256color", options...)
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

// wantPeople opens the list of people and closes it. The counter in the header is redrawn
// digit by digit, so it cannot be awaited.
func (p *program) wantPeople(text string) {
	p.t.Helper()
	before := p.written()
	p.press("@")
	p.awaitAfter(before, text)
	p.press("@")
}

func (p *program) resize(width, height uint16) {
	p.t.Helper()
	check(p.t, pty.Setsize(p.master, &pty.Winsize{Rows: height, Cols: width}))
}

// remoteDashboard is a dashboard that a test opens with Go's SSH client.
type remoteDashboard struct {
	t     testing.TB
	in    interface{ Write([]byte) (int, error) }
	out   *safeBuffer
	shell *ssh.Session
}

// openDashboard opens a dashboard. Without read, the client never reads its output.
func (d *shared) openDashboard(c *ssh.Client, read bool) *remoteDashboard {
	d.t.Helper()
	s, err := c.NewSession()
	check(d.t, err)
	f := &remoteDashboard{t: d.t, out: new(safeBuffer), shell: s}
	if read {
		s.Stdout = f.out
	} else if _, err := s.StdoutPipe(); err != nil {
		d.t.Fatal(err)
	}
	if f.in, err = s.StdinPipe(); err != nil {
		d.t.Fatal(err)
	}
	check(d.t, s.RequestPty("xterm-256color", 24, 80, nil))
	check(d.t, s.Shell())
	return f
}

// await waits for a text after the first bytes of the output.
func (f *remoteDashboard) await(from int, text string) {
	f.t.Helper()
	for deadline := time.Now().Add(timeout); !f.out.ContainsAfter(from, text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("timeout: %q is not written", text)
		}
	}
}

func (f *remoteDashboard) press(keys string) {
	f.t.Helper()
	if _, err := f.in.Write([]byte(keys)); err != nil {
		f.t.Fatal(err)
	}
}

func TestShareThreeTerminals(t *testing.T) {
	t.Parallel()
	ada, ben, cleo := newPerson(t, "ada@desk"), newPerson(t, "ben@desk"), newPerson(t, "cleo@desk")
	d := startShare(t, ada.line(""), ben.line(""), cleo.line(""))
	dark := d.sshDashboard(ada, 80, 24, "-o", "SetEnv=COLORTERM=truecolor")
	light := d.sshDashboard(ben, 120, 36, "-o", "SetEnv=COLORTERM=truecolor")
	mono := d.sshDashboard(cleo, 200, 60, "-o", "SetEnv=NO_COLOR=1")
	light.await("\x1b]11;?")
	light.press("\x1b]11;rgb:ffff/ffff/ffff\x07")
	dark.await("38;2;78;208;164")
	light.await("38;2;0;102;68")
	for _, p := range []*program{dark, light, mono} {
		p.await("AVAILABLE")
		p.await("at the desk")
	}
	for _, p := range []*program{dark, light, mono} {
		p.wantPeople("3 at the desk")
	}
	if strings.Contains(mono.written(), "38;") {
		t.Error("there are colours despite NO_COLOR")
	}
	d.logs(`"session"`, "ada@desk", "xterm-256color 80x24")
	d.logs(`"session"`, "cleo@desk", "xterm-256color 200x60")
	mono.await("ben@desk")
	mono.resize(30, 5)
	mono.await("30×5")
	mono.resize(1, 1)
	mono.resize(500, 200)
	mono.press("?")
	mono.await("Keys · type to filter")
	for p, c := range map[*program]struct {
		key  string
		want int
	}{dark: {"q", 0}, light: {"\x03", command.StatusInterrupted}, mono: {"\x03", command.StatusInterrupted}} {
		p.press(c.key)
		p.ends(c.want)
	}
}

func TestLargePasteOverSSHIsRefusedWithAMessage(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	f, other := d.openDashboard(d.dial(ada), true), d.openDashboard(d.dial(ben), true)
	f.await(0, "BEST")
	other.await(0, "BEST")
	f.press("3+\x1b[200~" + strings.Join(numbered("00m%015d", 56_000), "\n") + "\x1b[201~")
	f.await(0, "imports at most 1 MiB")
	other.press("?")
	other.await(0, "Keys")
}

func TestShareForgetsDisconnectedClients(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	stays := d.sshDashboard(ada, 100, 30)
	stays.await("1 at the desk")
	leaves := d.sshDashboard(ben, 100, 30)
	leaves.await("2 at the desk")
	leaves.press("\r~.")
	if status := leaves.end(); status != 255 {
		t.Errorf("~.: exit status %d", status)
	}
	d.logs(`"session over"`, `"person":"ben"`, sshd.ErrDisconnected.Error())
	dies := d.sshDashboard(ben, 100, 30)
	dies.await("2 at the desk")
	dies.signal(syscall.SIGKILL)
	dies.end()
	d.logs(`"logout"`, `"person":"ben"`)
	stays.wantPeople("1 at the desk")
	stays.press("q")
	if status := stays.end(); status != 0 {
		t.Errorf("remaining client: exit status %d", status)
	}
}

// People of one session see each other. Two profiles have two sessions, with two clients each.
func TestDefaultProfileByNameSharesSession(t *testing.T) {
	t.Parallel()
	ada, ben, cleo := newPerson(t, "ada"), newPerson(t, "ben"), newPerson(t, "cleo")
	w := newWorld(t, nil).unconfigured()
	w.configure("profile = \"test\"\n[profiles.test]\nbase_url = \"https://test.example\"\n[profiles.prod]\nbase_url = \"https://prod.example\"\n")
	w.store("test", "https://test.example", testKey)
	w.store("prod", "https://prod.example", testKey)
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	p := w.process()
	p.Transport = network
	d := runShare(t, p, ada.line(""), ben.line(`profile="test"`), cleo.line(`profile="prod"`))
	byDefault, byName, other := d.openDashboard(d.dial(ada), true), d.openDashboard(d.dial(ben), true), d.openDashboard(d.dial(cleo), true)
	other.await(0, "1 at the desk")
	byName.await(0, "at the desk")
	at := byDefault.out.Size()
	byDefault.press("@")
	byDefault.await(at, " you")
	byDefault.await(at, "ben")
	if d.close(); network.closed.Load() != 4 {
		t.Errorf("%d clients closed their idle connections at shutdown, want 4", network.closed.Load())
	}
}

func TestFailedShareClosesItsClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("state/tonne/share", "not a directory")
	w.write("config/tonne/authorized_keys", newPerson(t, "ada").line(""))
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	r := w.runChanged(t.Context(), func(p *command.Process) { p.Transport = network }, "share", "--listen", "127.0.0.1:0")
	if r.status != command.StatusFailed || network.closed.Load() != 2 {
		t.Errorf("status %d, %d clients closed, want 2", r.status, network.closed.Load())
	}
}

func TestShareReportsRefusedAPIKey(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := shareOver(t, apitest.Transport(apitest.Status(http.StatusUnauthorized, "")), ada.line(""))
	d.logs(`"msg":"the service sends no market"`, `"level":"ERROR"`, "does not accept the API key", "tonne auth login")
	p := d.openDashboard(d.dial(ada), true)
	p.await(0, "The operator of this dashboard must store another key.")
	if strings.Contains(p.out.String(), "auth login") {
		t.Error("the dashboard suggests a command that a guest cannot run")
	}
}

func TestSSHCommandWithTerminalEndsOnCtrlC(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	p := d.sshDashboard(ada, 120, 24, "--", "retirement", "--file", "-", "-o", "csv")
	p.await("there is no id to look up")
	if status := p.end(); status != command.StatusUsage {
		t.Errorf("without input: exit status %d", status)
	}
	p = d.sshDashboard(ada, 120, 24, "--", "retirement", "R2", "--wait")
	d.logs(`"msg":"session"`, "--wait")
	p.press("\x03")
	p.await("^C")
	if status := p.end(); status != command.StatusInterrupted {
		t.Errorf("Ctrl-C: exit status %d", status)
	}
}

func TestSSHKeysOfOnePersonShareLedger(t *testing.T) {
	t.Parallel()
	laptop, phone, ada := newPerson(t, "ben, laptop"), newPerson(t, "ben, phone"), newPerson(t, "ada")
	d := startShare(t, laptop.line(`person="ben"`), phone.line(`person="ben"`), ada.line(""))
	first, second := d.openDashboard(d.dial(laptop), true), d.openDashboard(d.dial(phone), true)
	first.await(0, "1 at the desk")
	second.await(0, "1 at the desk")
	first.press("@")
	first.await(0, "(2 terminals)")
	d.logs(`"msg":"session"`, `"person":"ben"`, `"key":"ben, laptop"`)
	d.logs(`"msg":"session"`, `"person":"ben"`, `"key":"ben, phone"`)
	first.press("@3+R1\r")
	first.await(0, "COMPLETE")
	// The request appears on the screen before it is in the ledger.
	for deadline := time.Now().Add(timeout); !strings.Contains(d.exec(d.dial(phone), "ledger -o csv", "").stdout, "R1"); {
		if time.Now().After(deadline) {
			t.Fatal("the ledger of the second key lacks the request of the first")
		}
	}
	if other := d.exec(d.dial(ada), "ledger -o csv", ""); strings.Contains(other.stdout, "R1") {
		t.Errorf("another person's ledger has it: %+v", other)
	}
	d.setKeys(laptop.line(`person="ben"`), ada.line(""))
	second.await(0, "Your key was removed or its options changed")
	at := first.out.Size()
	first.press("1")
	first.await(at, "BEST")
}

func TestStalledClientDoesNotSlowOthers(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	ada, ben, cleo := newPerson(t, "ada"), newPerson(t, "ben"), newPerson(t, "cleo")
	d := startShare(t, ada.line(""), ben.line(""), cleo.line(""))
	stalled := d.openDashboard(d.dial(ada), false)
	// Resizing draws whole frames, until there is more than the 2 MiB that the client
	// buffers.
	full := make(chan struct{})
	go func() {
		defer close(full)
		for n := range 200 {
			_ = stalled.shell.WindowChange(99+n%2, 300+n%2)
			time.Sleep(60 * time.Millisecond)
		}
	}()
	others := make([]*remoteDashboard, 20)
	clients := []*ssh.Client{d.dial(ben), d.dial(cleo)}
	for n := range others {
		others[n] = d.openDashboard(clients[n%2], true)
	}
	for _, f := range others {
		f.await(0, "at the desk")
	}
	<-full
	for range 5 {
		for _, f := range others {
			at := f.out.Size()
			f.press("?")
			f.await(at, "Keys")
			at = f.out.Size()
			f.press("?")
			f.await(at, "BEST")
		}
	}
}

func TestShareShutdownNotifiesAndRestoresTerminals(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line("read-only"))
	first, second := d.sshDashboard(ada, 80, 24), d.sshDashboard(ben, 120, 36)
	first.await("2 at the desk")
	second.await("2 at the desk · read-only")
	waiting := make(chan result, 1)
	go func() { waiting <- d.exec(d.dial(ada), "retirement R2 --wait", "") }()
	d.logs(`"msg":"session"`, "--wait")
	d.stop(&terminal.SignalError{Signal: syscall.SIGTERM})
	for _, p := range []*program{first, second} {
		p.await("The operator closed the desk.")
		if status := p.end(); status != command.StatusFailed {
			t.Errorf("exit status %d", status)
		}
		p.restored()
	}
	r := <-waiting
	if r.status != command.StatusFailed || strings.Count(r.stderr, "The operator closed the desk") != 1 || strings.Contains(r.stderr, "tonne:") {
		t.Errorf("the command that waits: %+v", r)
	}
	if status := d.close(); status != 143 {
		t.Errorf("server: exit status %d", status)
	}
}

func TestSSHMessagesAreWrappedAtWords(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	removed, expired := d.sshDashboard(ada, 80, 24), d.sshDashboard(ben, 60, 24)
	removed.await("at the desk")
	expired.await("at the desk")
	dumb := d.openClient(ben, 50, 24, "dumb")
	refused := d.openClient(ben, 50, 24, "xterm", "--", "market --nonsense-that-is-no-flag-of-any-command=1")
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
	const noTerminal, onlyCommands = "none", "Your key may only run commands here"
	for _, c := range []struct {
		of         person
		term, want string
	}{
		{ada, noTerminal, "needs a terminal"}, {ada, "dumb", "cannot run on a terminal of type dumb"},
		{ada, "x;rm -rf y", `TERM is "x;rm -rf y", which is not a terminal type`}, {ada, "", `TERM is "", which is not a terminal type`},
		{ada, "\x1b[2Jx", `TERM is "[2Jx", which is not a terminal type`}, {ben, "xterm", onlyCommands}, {ben, noTerminal, onlyCommands},
	} {
		s := must(d.dial(c.of).NewSession())
		out := new(safeBuffer)
		s.Stdout, s.Stderr = out, out
		if c.term != noTerminal {
			_ = s.RequestPty(c.term, 24, 200, nil)
		}
		check(t, s.Shell())
		exit, ended := errors.AsType[*ssh.ExitError](s.Wait())
		if !ended || exit.ExitStatus() != command.StatusUsage || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s, TERM=%q: %v, %q", c.of.name, c.term, exit, out)
		}
	}
}

func TestShareSuggestedExportCommandsWork(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
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
		check(t, f.shell.WindowChange(24, 90+n))
		var typed string
		for deadline, found := time.Now().Add(timeout), false; !found; time.Sleep(time.Millisecond) {
			_, typed, _ = strings.Cut(ansi.Strip(f.out.String()[at:]), "A shared desk has no files: ssh DESK "+c.begins)
			if typed, _, found = strings.Cut(typed, c.ends); time.Now().After(deadline) {
				t.Fatalf("%s suggests no command: %q", c.keys, f.out.String()[at:])
			}
		}
		typed = strings.NewReplacer("ID...", "R1", "ID", "R1").Replace(c.begins + typed + c.ends)
		if r := d.exec(d.dial(ada), unquoted(t, typed), "R1\n"); r.status != command.StatusDone || r.stdout == "" {
			t.Errorf("%s suggests %s: %+v", c.keys, typed, r)
		}
	}
}

// The two people take turns because the commands of a key are rate-limited.
func TestSSHHelpAndSchemaNameOnlyWhatGuestsCanRun(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	clients, turn := []*ssh.Client{d.dial(ada), d.dial(ben)}, 0
	run := func(typed string) result {
		turn++
		return d.exec(clients[turn%2], typed, "R1\n")
	}
	var described schema
	check(t, json.Unmarshal([]byte(run("schema").stdout), &described))
	texts := map[string]string{"help": run("help").stdout}
	for _, c := range described.Commands {
		if !slices.Contains(command.GuestCommands, c.Command) {
			t.Errorf("the schema has %s", c.Command)
		}
		texts["the schema of "+c.Command] = string(must(json.Marshal(c)))
		texts["the help of "+c.Command] = run(strings.TrimPrefix(c.Command, "tonne ") + " --help").stdout
		for _, example := range c.Examples {
			_, typed, found := strings.Cut(example, "ssh DESK ")
			typed, _, _ = strings.Cut(typed, " | ")
			typed, _, _ = strings.Cut(typed, " > ")
			if r := run(unquoted(t, typed)); !found || r.status == command.StatusUsage {
				t.Errorf("the example %s: %+v", example, r)
			}
		}
	}
	if len(described.Commands) != len(command.GuestCommands) || len(described.Files)+len(described.Environment) > 0 {
		t.Errorf("%d commands, want %d; files %v, variables %v", len(described.Commands), len(command.GuestCommands), described.Files, described.Environment)
	}
	for of, text := range texts {
		for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)|"name":"([a-z-]+)","shorthand"`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(command.GuestFlags, flag[1]+flag[2]) {
				t.Errorf("%s names %s", of, flag[0])
			}
		}
		for path := range tree() {
			if strings.Contains(text+" ", path+" ") && !slices.Contains(command.GuestCommands, path) && path != "tonne" {
				t.Errorf("%s names %s", of, path)
			}
		}
		if text == "" || strings.Contains(text, "this machine") {
			t.Errorf("%s is %q", of, text)
		}
	}
}

// unquoted returns the command that OpenSSH's client sends for words of a shell.
func unquoted(t *testing.T, typed string) string {
	t.Helper()
	typed, _, _ = strings.Cut(typed, " < ")
	return strings.TrimSuffix(string(must(exec.Command("sh", "-c", "echo "+typed).Output())), "\n")
}

// The server runs commands for months, and cobra never forgets the shell completions of a
// command's flags.
func TestFinishedCommandIsGarbageCollected(t *testing.T) {
	t.Parallel()
	var kept weak.Pointer[bytes.Buffer]
	func() {
		out := new(bytes.Buffer)
		kept = weak.Make(out)
		r := newWorld(t, new(service)).runChanged(t.Context(), func(p *command.Process) { p.Stdout, p.Stderr = out, out }, "market")
		if r.status != 0 {
			t.Fatal(out)
		}
	}()
	for deadline := time.Now().Add(timeout); kept.Value() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the output of the command is still referenced")
		}
		runtime.GC()
	}
}

// countingTransport panics on requests for a retirement, and counts calls of
// CloseIdleConnections.
type countingTransport struct {
	http.RoundTripper
	closed atomic.Int64
}

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/api/retirement" {
		panic("a bug")
	}
	return c.RoundTripper.RoundTrip(r)
}

func (c *countingTransport) CloseIdleConnections() { c.closed.Add(1) }

func TestSSHCommandPanicIsLoggedAndConnectionsAreKept(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	d := shareOver(t, network, ada.line(""))
	client := d.dial(ada)
	for typed, status := range map[string]int{"retirement R1": command.StatusFailed, "market": 0, "project P1": 0, "inventory": 0} {
		r := d.exec(client, typed, "")
		if r.status != status || status != 0 && !strings.Contains(r.stderr, "an internal error") || strings.Contains(r.stderr, "goroutine") {
			t.Errorf("%s: %+v", typed, r)
		}
	}
	d.logs(`"msg":"panic"`, "a bug", "goroutine")
	if n := network.closed.Load(); n > 0 {
		t.Errorf("idle connections were closed %d times between commands", n)
	}
	if d.close(); network.closed.Load() != 2 {
		t.Errorf("%d clients closed their idle connections at shutdown, want 2", network.closed.Load())
	}
}

// Ada runs nine commands of 1,000 look-ups each, Ben one of 200.
func TestLookUpsAreSharedFairlyBetweenPeople(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	var ofAda, ofBen atomic.Int64
	d := shareOver(t, apitest.Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch id := r.URL.Query().Get("id"); {
		case strings.HasPrefix(id, "00mada"):
			ofAda.Add(1)
		case strings.HasPrefix(id, "00mben"):
			ofBen.Add(1)
		}
		time.Sleep(5 * time.Millisecond)
		new(service).ServeHTTP(w, r)
	})), ada.line(""), ben.line(""))
	client, many := d.dial(ada), numbered("00mada%d", 1000)
	for range 9 {
		running, err := client.NewSession()
		check(t, err)
		running.Stdin = strings.NewReader(strings.Join(many, "\n"))
		check(t, running.Start("retirement --file - -o csv"))
	}
	for deadline := time.Now().Add(timeout); ofAda.Load() < 100 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	before := ofAda.Load()
	d.exec(d.dial(ben), "retirement --file - -o csv", strings.Join(numbered("00mben%d", 200), "\n"))
	between := ofAda.Load() - before
	_ = client.Close()
	if n := ofBen.Load(); n != 200 || between > 4*n {
		t.Errorf("%d look-ups of one person take as long as %d of another with nine commands", n, between)
	}
}
