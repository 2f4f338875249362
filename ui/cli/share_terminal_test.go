//go:build unix

package cli

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	"tonne/model/longtest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
)

func TestShareThreeTerminals(t *testing.T) {
	t.Parallel()
	ada, ben, cleo := newPerson(t, "ada@desk"), newPerson(t, "ben@desk"), newPerson(t, "cleo@desk")
	d := startShare(t, ada.line(""), ben.line(""), cleo.line(""))
	dark := d.sshDashboard(t, ada, 80, 24, "-o", "SetEnv=COLORTERM=truecolor")
	light := d.sshDashboard(t, ben, 120, 36, "-o", "SetEnv=COLORTERM=truecolor")
	mono := d.sshDashboard(t, cleo, 200, 60, "-o", "SetEnv=NO_COLOR=1")
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
	dark.press("q")
	if status := dark.end(); status != 0 {
		t.Errorf("q: exit status %d", status)
	}
	dark.restored()
	light.press("\x03")
	if status := light.end(); status != command.StatusInterrupted {
		t.Errorf("Ctrl-C: exit status %d", status)
	}
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
	if err := pty.Setsize(p.master, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		p.t.Fatal(err)
	}
}

func TestSSHTerminalOfAnySize(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	p := d.sshDashboard(t, ada, 100, 30)
	p.await("AVAILABLE")
	p.resize(30, 5)
	p.await("30×5")
	p.resize(1, 1)
	p.resize(500, 200)
	p.press("?")
	p.await("Keys · type to filter")
	p.press("\x03")
	if status := p.end(); status != command.StatusInterrupted {
		t.Errorf("exit status %d", status)
	}
	p.restored()
}

func TestSSHPasteReportsIgnoredInput(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	other := d.openDashboard(d.dial(ben), true)
	other.await(0, "BEST")
	ids := func(n int) string {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "00m%015d\n", i)
		}
		return list.String()
	}
	for _, c := range []struct {
		name, keys string
		ids        int
		message    string
	}{
		{"1 MB of ids", "3+", 55_000, "10,000 of 55,000 ids"},
		{"3.8 MB of ids", "3+", 200_000, "imports at most 1 MiB"},
		{"1 MB into a filter", "/", 55_000, "at most 1,000 characters"},
		{"3.8 MB into a search", "3/", 200_000, "at most 1,000 characters"},
	} {
		p := d.sshDashboard(t, ada, 110, 30)
		p.await("AVAILABLE")
		p.press(c.keys)
		p.press("\x1b[200~" + ids(c.ids) + "\x1b[201~")
		p.awaitAfter("AVAILABLE", c.message)
		at := other.out.Size()
		other.press("?")
		other.await(at, "Keys")
		other.press("?")
		p.press("\x03")
		if status := p.end(); status != command.StatusInterrupted {
			t.Errorf("%s: it ends with %d", c.name, status)
		}
	}
}

func TestShareForgetsDisconnectedClients(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""), ben.line(""))
	stays := d.sshDashboard(t, ada, 100, 30)
	stays.await("1 at the desk")
	leaves := d.sshDashboard(t, ben, 100, 30)
	leaves.await("2 at the desk")
	leaves.press("\r~.")
	if status := leaves.end(); status != 255 {
		t.Errorf("~.: exit status %d", status)
	}
	d.logs(`"session over"`, `"person":"ben"`, sshd.ErrDisconnected.Error())
	dies := d.sshDashboard(t, ben, 100, 30)
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

func TestShareReportsRefusedAPIKey(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := shareOver(t, apitest.Transport(new(service)), func(env map[string]string, _ *fakeRing) { env["TONNE_API_KEY"] = "0ther0ther0ther0ther0ther" }, nil, ada.line(""))
	d.logs(`"msg":"the service sends no market"`, `"level":"ERROR"`, "does not accept the API key", "tonne auth login")
	r := d.ssh(ada, "", "market")
	if !strings.Contains(r.stderr, "Ask the operator of the desk") || strings.Contains(r.stderr, "auth login") {
		t.Errorf("command: %+v", r)
	}
	p := d.sshDashboard(t, ada, 120, 36)
	p.await("The operator of this dashboard must store another key.")
	if strings.Contains(p.written(), "auth login") {
		t.Error("the dashboard suggests a command that a guest cannot run")
	}
	p.press("q")
	p.end()
}

func TestSSHCommandWithTerminalEndsOnCtrlC(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(""))
	run := func(command ...string) *program {
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=xterm"}
		return startAt(t, 120, 24, env, openSSH(t, "ssh"), append(append(d.options(ada, "-p"), "-tt", "127.0.0.1"), command...)...).read()
	}
	p := run("retirement", "--file", "-", "-o", "csv")
	p.await("there is no id to look up")
	if status := p.end(); status != command.StatusUsage {
		t.Errorf("without input: exit status %d", status)
	}
	p = run("retirement", "R2", "--wait")
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
	for deadline := time.Now().Add(timeout); !strings.Contains(d.ssh(phone, "", "ledger", "-o", "csv").stdout, "R1"); {
		if time.Now().After(deadline) {
			t.Fatal("the ledger of the second key lacks the request of the first")
		}
	}
	if other := d.ssh(ada, "", "ledger", "-o", "csv"); strings.Contains(other.stdout, "R1") {
		t.Errorf("another person's ledger has it: %+v", other)
	}
	d.setKeys(laptop.line(`person="ben"`), ada.line(""))
	second.await(0, "Your key was removed or its options changed")
	at := first.out.Size()
	first.press("1")
	first.await(at, "BEST")
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
	if err != nil {
		d.t.Fatal(err)
	}
	f := &remoteDashboard{t: d.t, out: new(safeBuffer), shell: s}
	if read {
		s.Stdout = f.out
	} else if _, err := s.StdoutPipe(); err != nil {
		d.t.Fatal(err)
	}
	if f.in, err = s.StdinPipe(); err != nil {
		d.t.Fatal(err)
	}
	if err := s.RequestPty("xterm-256color", 24, 80, nil); err != nil {
		d.t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		d.t.Fatal(err)
	}
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
	first, second := d.sshDashboard(t, ada, 80, 24), d.sshDashboard(t, ben, 120, 36)
	first.await("2 at the desk")
	second.await("2 at the desk · read-only")
	waiting := make(chan result, 1)
	go func() { waiting <- d.ssh(ada, "", "retirement", "R2", "--wait") }()
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
