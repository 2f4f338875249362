//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/sshd/sshdtest"
	"tonne/ui/cli/terminal"
)

// openClient runs OpenSSH's client on a terminal of a size, with a TERM, options before the
// host and a command after "--".
func (d *shared) openClient(who string, width, height uint16, term string, options ...string) *program {
	d.t.Helper()
	path, err := exec.LookPath("ssh")
	must.Need(d.t, err == nil || os.Getenv("TONNE_TEST_REQUIRE_SSH") == "", err)
	if err != nil {
		d.t.Skip(err)
	}
	var typed []string
	if n := slices.Index(options, "--"); n >= 0 {
		options, typed = options[:n], options[n+1:]
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.t.TempDir(), "TERM=" + term}
	args := slices.Concat([]string{
		"-F", "/dev/null", "-p", d.port, "-i", d.people[who].path, "-o", "IdentitiesOnly=yes", "-o",
		"StrictHostKeyChecking=no",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes", "-o", "IdentityAgent=none",
	}, options, []string{"-tt", "127.0.0.1"}, typed)
	return startAt(d.t, width, height, env, path, args...).read()
}

// sshDashboard opens the dashboard with OpenSSH's client.
func (d *shared) sshDashboard(who string, width, height uint16, options ...string) *program {
	d.t.Helper()
	return d.openClient(who, width, height, "xterm-256color", options...)
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

// remoteDashboard is a dashboard that a test opens with Go's SSH client.
type remoteDashboard struct {
	t     testing.TB
	in    io.Writer
	out   safeBuffer
	shell *ssh.Session
	// at is where the output continued after the last keys.
	at int
}

// openDashboard opens a dashboard.
func (d *shared) openDashboard(who string) *remoteDashboard {
	d.t.Helper()
	f := &remoteDashboard{t: d.t}
	f.open(d.dial(who), &f.out)
	return f
}

func (f *remoteDashboard) open(c *ssh.Client, out io.Writer) {
	f.t.Helper()
	f.shell = must.Get(c.NewSession())
	f.shell.Stdout, f.in = out, must.Get(f.shell.StdinPipe())
	must.Succeed(f.t, f.shell.RequestPty("xterm-256color", 24, 80, nil))
	must.Succeed(f.t, f.shell.Shell())
}

// await waits for texts after the last keys.
func (f *remoteDashboard) await(texts ...string) {
	f.t.Helper()
	for _, text := range texts {
		sshdtest.Eventually(f.t, text+" is not written", func() bool { return strings.Contains(f.out.String()[f.at:], text) })
	}
}

func (f *remoteDashboard) press(keys string) {
	f.t.Helper()
	f.at = len(f.out.String())
	must.Get(io.WriteString(f.in, keys))
}

func TestShareThreeTerminals(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada@desk", "ben@desk", "cleo@desk")
	dark := d.sshDashboard("ada@desk", 80, 24, "-o", "SetEnv=COLORTERM=truecolor")
	light := d.sshDashboard("ben@desk", 120, 36, "-o", "SetEnv=COLORTERM=truecolor")
	mono := d.sshDashboard("cleo@desk", 200, 60, "-o", "SetEnv=NO_COLOR=1")
	light.await("\x1b]11;?")
	light.press("\x1b]11;rgb:ffff/ffff/ffff\x07")
	dark.await("38;2;78;208;164")
	light.await("38;2;0;102;68")
	for _, p := range []*program{dark, light, mono} {
		p.await("AVAILABLE", "at the desk")
	}
	for _, p := range []*program{dark, light, mono} {
		p.wantPeople("3 at the desk")
	}
	must.Hold(t, !strings.Contains(mono.written(), "38;"), "there are colours despite NO_COLOR")
	d.logs(`"session"`, "ada@desk", "xterm-256color 80x24")
	d.logs(`"session"`, "cleo@desk", "xterm-256color 200x60")
	mono.await("ben@desk")
	mono.resize(30, 5)
	mono.await("30×5")
	mono.resize(1, 1)
	mono.resize(500, 200)
	mono.press("?")
	mono.await("Keys · type to filter")
	dark.press("q")
	dark.ends(0)
	for _, p := range []*program{light, mono} {
		p.press("\x03")
		p.ends(command.StatusInterrupted)
	}
}

func TestLargePasteOverSSHIsRefusedWithAMessage(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben")
	f, other := d.openDashboard("ada"), d.openDashboard("ben")
	f.await("BEST")
	other.await("BEST")
	f.press("3+\x1b[200~" + strings.Join(numbered("00m%015d", 56_000), "\n") + "\x1b[201~")
	f.await("imports at most 1 MiB")
	other.press("?")
	other.await("Keys")
}

func TestShareForgetsDisconnectedClients(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben")
	stays := d.sshDashboard("ada", 100, 30)
	stays.await("1 at the desk")
	leaves := d.sshDashboard("ben", 100, 30)
	leaves.await("2 at the desk")
	leaves.press("\r~.")
	leaves.end(255)
	d.logs(`"session over"`, `"person":"ben"`, sshd.ErrDisconnected.Error())
	dies := d.sshDashboard("ben", 100, 30)
	dies.await("2 at the desk")
	dies.signal(syscall.SIGKILL)
	dies.end(-1)
	d.logs(`"logout"`, `"person":"ben"`)
	stays.wantPeople("1 at the desk")
	stays.press("q")
	stays.end(0)
}

// People of one session see each other. Two profiles have two sessions, with two clients each.
func TestDefaultProfileByNameSharesSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.configure("profile = \"test\"\n[profiles.test]\nbase_url = \"https://test.example\"\n[profiles.prod]\nbase_url = \"https://prod.example\"\n")
	w.store("test", "https://test.example", testKey)
	w.store("prod", "https://prod.example", testKey)
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	p := w.process()
	p.Transport = network
	d := runShare(t, p, nil, "ada", `ben:profile="test"`, `cleo:profile="prod"`)
	byDefault, byName, other := d.openDashboard("ada"), d.openDashboard("ben"), d.openDashboard("cleo")
	other.await("1 at the desk")
	byName.await("at the desk")
	byDefault.press("@")
	byDefault.await(" you", "ben")
	if d.close(); network.closed.Load() != 4 {
		t.Errorf("%d clients closed their idle connections at shutdown, want 4", network.closed.Load())
	}
}

func TestFailedShareClosesItsClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("state/tonne/share", "not a directory")
	w.write("config/tonne/authorized_keys", make(people).lines(t, []string{"ada"}))
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	r := w.runChanged(t.Context(), func(p *command.Process) { p.Transport = network }, "share", "--listen", "127.0.0.1:0")
	must.Hold(t, r.status == command.StatusFailed && network.closed.Load() == 2,
		"status", r.status, network.closed.Load(), "clients closed, want 2")
}

func TestShareReportsRefusedAPIKey(t *testing.T) {
	t.Parallel()
	d := shareOver(t, apitest.Transport(apitest.Status(http.StatusUnauthorized, "")), "ada")
	d.logs(`"msg":"the service sends no market"`, `"level":"ERROR"`, "does not accept the API key", "tonne auth login")
	p := d.openDashboard("ada")
	p.await("The operator of this dashboard must store another key.")
	must.Hold(t, !strings.Contains(p.out.String(), "auth login"),
		"the dashboard suggests a command that a guest cannot run")
}

func TestSSHCommandWithTerminalEndsOnCtrlC(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada")
	p := d.sshDashboard("ada", 120, 24, "--", "retirement", "--file", "-", "-o", "csv")
	p.await("there is no id to look up")
	p.end(command.StatusUsage)
	p = d.sshDashboard("ada", 120, 24, "--", "retirement", "R2", "--wait")
	d.logs(`"msg":"session"`, "--wait")
	p.press("\x03")
	p.await("^C")
	p.end(command.StatusInterrupted)
}

func TestSSHKeysOfOnePersonShareLedger(t *testing.T) {
	t.Parallel()
	d := startShare(t, `ben, laptop:person="ben"`, `ben, phone:person="ben"`, "ada")
	first, second := d.openDashboard("ben, laptop"), d.openDashboard("ben, phone")
	first.await("1 at the desk")
	second.await("1 at the desk")
	first.press("@")
	first.await("(2 terminals)")
	d.logs(`"msg":"session"`, `"person":"ben"`, `"key":"ben, laptop"`)
	d.logs(`"msg":"session"`, `"person":"ben"`, `"key":"ben, phone"`)
	first.press("@3+R1\r")
	first.await("COMPLETE")
	// The request appears on the screen before it is in the ledger.
	sshdtest.Eventually(t, "the ledger of the second key lacks the request of the first", func() bool {
		return strings.Contains(d.exec("ben, phone", "ledger -o csv", "").stdout, "R1")
	})
	other := d.exec("ada", "ledger -o csv", "")
	must.Hold(t, !strings.Contains(other.stdout, "R1"), "another person's ledger has it", other)
	d.setKeys(`ben, laptop:person="ben"`, "ada")
	second.await("Your key was removed or its options changed")
	first.press("1")
	first.await("BEST")
}

func TestStalledClientDoesNotSlowOthers(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	d := startShare(t, "ada", "ben", "cleo")
	stalled := &remoteDashboard{t: t}
	_, unread := io.Pipe()
	stalled.open(d.dial("ada"), unread)
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
	for n := range others {
		others[n] = d.openDashboard([]string{"ben", "cleo"}[n%2])
	}
	for _, f := range others {
		f.await("at the desk")
	}
	<-full
	for range 5 {
		for _, f := range others {
			f.press("?")
			f.await("Keys")
			f.press("?")
			f.await("BEST")
		}
	}
}

func TestShareShutdownNotifiesAndRestoresTerminals(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben:read-only")
	first, second := d.sshDashboard("ada", 80, 24), d.sshDashboard("ben", 120, 36)
	first.await("2 at the desk")
	second.await("2 at the desk")
	waiting := make(chan result, 1)
	go func() { waiting <- d.exec("ada", "retirement R2 --wait", "") }()
	d.logs(`"msg":"session"`, "--wait")
	d.stop(&terminal.SignalError{Signal: syscall.SIGTERM})
	for _, p := range []*program{first, second} {
		p.await("The operator closed the desk.")
		p.end(command.StatusFailed)
		p.restored()
	}
	r := <-waiting
	// What it waits for may have been printed before.
	r.stderr = strings.Replace(r.stderr, "tonne: waiting ", "waiting ", 1)
	must.Hold(t,
		r.status == command.StatusFailed && strings.Count(r.stderr, "The operator closed the desk") == 1 &&
			!strings.Contains(r.stderr, "tonne:"),
		"the command that waits", r)
	status := d.close()
	must.Equal(t, status, 143, "server: exit status")
}

func TestSSHMessagesAreWrappedAtWords(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben")
	removed, expired := d.sshDashboard("ada", 80, 24), d.sshDashboard("ben", 60, 24)
	removed.await("at the desk")
	expired.await("at the desk")
	dumb := d.openClient("ben", 50, 24, "dumb")
	refused := d.openClient("ben", 50, 24, "xterm", "--", "market --nonsense-that-is-no-flag-of-any-command=1")
	dumb.end(command.StatusUsage)
	refused.end(command.StatusUsage)
	d.setKeys(`ben:expiry-time="20200101"`)
	for _, p := range []*program{removed, expired} {
		p.end(command.StatusFailed)
		p.restored()
	}
	d.logs(`"session over"`, `"person":"ben"`, `"reason":"the key has expired"`)
	for _, c := range []struct {
		p              *program
		from, to, want string
	}{
		{removed, "Your key", "of the desk.",
			"Your key was removed or its options changed. Log in again, or ask the operator\nof the desk."},
		{expired, "Your key", "it.", "Your key has expired. Ask the operator of the desk to extend\nit."},
		{dumb, "The dashboard", "`market`.",
			"The dashboard cannot run on a terminal of type\ndumb: set TERM, or give a command, such as\n`market`."},
		{refused, "tonne:", "its flags.",
			"tonne: unknown flag:\n--nonsense-that-is-no-flag-of-any-command.\nRun `ssh DESK market --help` to see its flags."},
	} {
		c.p.await(c.from)
		c.p.await(c.to)
		_, text, _ := strings.Cut(ansi.Strip(c.p.written()), c.from)
		text, _, _ = strings.Cut(text, c.to)
		must.Equal(t, strings.ReplaceAll(c.from+text+c.to, "\r\n", "\n"), c.want)
	}
}

func TestSSHExplainsWhyThereIsNoDashboard(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben:restrict,no-pty")
	const noTerminal, onlyCommands = "none", "Your key may only run commands here"
	for _, c := range []struct{ who, term, want string }{
		{"ada", noTerminal, "needs a terminal"}, {"ada", "dumb", "cannot run on a terminal of type dumb"},
		{"ada", "x;rm -rf y", `TERM is "x;rm -rf y", which is not a terminal type`},
		{"ada", "", `TERM is "", which is not a terminal type`},
		{"ada", "\x1b[2Jx", `TERM is "[2Jx", which is not a terminal type`}, {"ben", "xterm", onlyCommands},
		{"ben", noTerminal, onlyCommands},
	} {
		s := must.Get(d.dial(c.who).NewSession())
		out := new(safeBuffer)
		s.Stdout, s.Stderr = out, out
		if c.term != noTerminal {
			_ = s.RequestPty(c.term, 24, 200, nil)
		}
		must.Succeed(t, s.Shell())
		exit, ended := errors.AsType[*ssh.ExitError](s.Wait())
		must.Hold(t,
			ended && exit.ExitStatus() == command.StatusUsage && strings.Contains(out.String(), c.want) &&
				!strings.Contains(out.String(), "\x1b"),
			c.who, "TERM=", c.term, exit, out)
	}
}

func TestShareSuggestedExportCommandsWork(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada")
	f := d.openDashboard("ada")
	f.await("at the desk")
	f.press("3+R1\r")
	f.await("COMPLETE")
	for n, c := range []struct{ keys, begins, ends string }{
		{"1e", "market", "-o csv"}, {"2e", "inventory", "-o csv"}, {"3S", "statement", "-o csv"},
		{"3e", "retirement ID -", "-o csv"}, {"3E", "retirement ID...", "-o csv"}, {"3I", "retirement --file", "< FILE"},
	} {
		f.press(c.keys)
		// A new size redraws the whole screen.
		at, typed := len(f.out.String()), ""
		must.Succeed(t, f.shell.WindowChange(24, 90+n))
		sshdtest.Eventually(t, c.keys+" suggests no command", func() (found bool) {
			_, typed, _ = strings.Cut(ansi.Strip(f.out.String()[at:]), "A shared desk has no files: ssh DESK "+c.begins)
			typed, _, found = strings.Cut(typed, c.ends)
			return found
		})
		typed = strings.NewReplacer("ID...", "R1", "ID", "R1").Replace(c.begins + typed + c.ends)
		r := d.exec("ada", unquoted(t, typed), "R1\n")
		must.Hold(t, r.status == command.StatusDone && r.stdout != "", c.keys, "suggests", typed, r)
	}
}

// The two people take turns because the commands of a key are rate-limited.
func TestSSHHelpAndSchemaNameOnlyWhatGuestsCanRun(t *testing.T) {
	t.Parallel()
	d := startShare(t, "ada", "ben")
	clients, turn := []*ssh.Client{d.dial("ada"), d.dial("ben")}, 0
	run := func(typed string) result {
		turn++
		status, stdout, stderr := sshdtest.Run(t, clients[turn%2], typed, "R1\n")
		return result{status, stdout, stderr}
	}
	var described schema
	must.Succeed(t, json.Unmarshal([]byte(run("schema").stdout), &described))
	texts, commands := map[string]string{"help": run("help").stdout}, tree()
	for _, c := range described.Commands {
		must.Hold(t, slices.Contains(command.GuestCommands, c.Command), "the schema has", c.Command)
		texts["the schema of "+c.Command] = string(must.Get(json.Marshal(c)))
		texts["the help of "+c.Command] = run(strings.TrimPrefix(c.Command, "tonne ") + " --help").stdout
		for _, example := range c.Examples {
			_, typed, found := strings.Cut(example, "ssh DESK ")
			typed, _, _ = strings.Cut(typed, " | ")
			typed, _, _ = strings.Cut(typed, " > ")
			r := run(unquoted(t, typed))
			must.Hold(t, found && r.status != command.StatusUsage, "the example", example, r)
		}
	}
	must.Hold(t,
		len(described.Commands) == len(command.GuestCommands) && len(described.Files)+len(described.Environment) == 0,
		len(described.Commands), "commands, want", len(command.GuestCommands), "files", described.Files, "variables",
		described.Environment)
	for of, text := range texts {
		for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)|"name":"([a-z-]+)","shorthand"`).FindAllStringSubmatch(text,
			-1) {
			must.Hold(t, slices.Contains(command.GuestFlags, flag[1]+flag[2]), of, "names", flag[0])
		}
		for path := range commands {
			must.Hold(t,
				!strings.Contains(text+" ", path+" ") || slices.Contains(command.GuestCommands, path) || path == "tonne",
				of, "names", path)
		}
		must.Hold(t, text != "" && !strings.Contains(text, "this machine"), of, "is", text)
	}
}

// unquoted returns the command that OpenSSH's client sends for words of a shell.
func unquoted(t *testing.T, typed string) string {
	t.Helper()
	typed, _, _ = strings.Cut(typed, " < ")
	return strings.TrimSuffix(string(must.Get(exec.Command("sh", "-c", "echo "+typed).Output())), "\n")
}

// The server runs commands for months, and cobra never forgets the shell completions of a
// command's flags.
func TestFinishedCommandIsGarbageCollected(t *testing.T) {
	t.Parallel()
	var kept weak.Pointer[bytes.Buffer]
	func() {
		out := new(bytes.Buffer)
		kept = weak.Make(out)
		r := newWorld(t, new(service)).runChanged(t.Context(), func(p *command.Process) { p.Stdout, p.Stderr = out, out },
			"market")
		must.Need(t, r.status == 0, out)
	}()
	sshdtest.Eventually(t, "the output of the command is still referenced", func() bool {
		runtime.GC()
		return kept.Value() == nil
	})
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
	network := &countingTransport{RoundTripper: apitest.Transport(new(service))}
	d := shareOver(t, network, "ada")
	client := d.dial("ada")
	for typed, status := range map[string]int{"retirement R1": command.StatusFailed, "market": 0, "project P1": 0,
		"inventory": 0} {
		got, _, stderr := sshdtest.Run(t, client, typed, "")
		must.Hold(t,
			got == status && (status == 0 || strings.Contains(stderr, "an internal error")) &&
				!strings.Contains(stderr, "goroutine"),
			typed, "status", got, stderr)
	}
	d.logs(`"msg":"panic"`, "a bug", "goroutine")
	n := network.closed.Load()
	must.Hold(t, n <= 0, "idle connections were closed", n, "times between commands")
	if d.close(); network.closed.Load() != 2 {
		t.Errorf("%d clients closed their idle connections at shutdown, want 2", network.closed.Load())
	}
}

// Ada runs nine commands of 1,000 look-ups each, Ben one of 200.
func TestLookUpsAreSharedFairlyBetweenPeople(t *testing.T) {
	t.Parallel()
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
	})), "ada", "ben")
	client, many := d.dial("ada"), numbered("00mada%d", 1000)
	for range 9 {
		running := must.Get(client.NewSession())
		running.Stdin = strings.NewReader(strings.Join(many, "\n"))
		must.Succeed(t, running.Start("retirement --file - -o csv"))
	}
	sshdtest.Eventually(t, "nothing is looked up", func() bool { return ofAda.Load() >= 100 })
	before := ofAda.Load()
	d.exec("ben", "retirement --file - -o csv", strings.Join(numbered("00mben%d", 200), "\n"))
	between := ofAda.Load() - before
	_ = client.Close()
	n := ofBen.Load()
	must.Hold(t, n == 200 && between <= 4*n,
		n, "look-ups of one person take as long as", between, "of another with nine commands")
}
