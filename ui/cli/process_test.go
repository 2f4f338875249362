//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// longest is how long a process may take before a test gives up on it.
const longest = 30 * time.Second

// program is tonne in a process of its own on a pseudo-terminal.
type program struct {
	t       *testing.T
	cmd     *exec.Cmd
	master  *os.File
	slave   *os.File
	before  *term.State
	mu      sync.Mutex
	screen  bytes.Buffer
	arrived chan struct{}
}

// environment is that of a process, with nothing of the person who tests.
//
// The library that reads keys closes its file beside a last read, which the
// race detector of an instrumented program reports; the tests of this package
// that run within it find races of its own.
func environment(home string, more ...string) []string {
	return append([]string{
		programVariable + "=" + soundProgram, "HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + home + "/config",
		"XDG_DATA_HOME=" + home + "/data", "XDG_STATE_HOME=" + home + "/state", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
		"GORACE=exitcode=0 log_path=" + os.DevNull,
	}, more...)
}

// start starts tonne on a terminal of 120 × 36.
func start(t *testing.T, home string, env []string, args ...string) *program {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, master: master, slave: slave, before: before, arrived: make(chan struct{}, 1)}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Env = environment(home, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = master.Close()
		_ = slave.Close()
	})
	return p
}

// read collects what the program writes.
func (p *program) read() *program {
	go func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := p.master.Read(buf)
			p.mu.Lock()
			p.screen.Write(buf[:n])
			p.mu.Unlock()
			select {
			case p.arrived <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *program) written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

// await waits until the program has written a text.
func (p *program) await(text string) {
	p.t.Helper()
	deadline := time.After(longest)
	for !strings.Contains(p.written(), text) {
		select {
		case <-p.arrived:
		case <-deadline:
			p.t.Fatalf("%q is not written, but at the end:\n%q", text, tail(p.written()))
		}
	}
}

// tail is the end of what was written, for a message.
func tail(text string) string { return text[max(0, len(text)-1000):] }

func (p *program) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the program and returns its exit status.
func (p *program) end() int {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(longest):
		p.t.Fatalf("the program does not end:\n%q", tail(p.written()))
	}
	return p.cmd.ProcessState.ExitCode()
}

// restored checks that the terminal is as it was: its modes, the screen, the
// cursor.
func (p *program) restored() {
	p.t.Helper()
	after, err := term.GetState(int(p.slave.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	if *after != *p.before {
		p.t.Errorf("the terminal's modes are\n%+v, and were\n%+v", after, p.before)
	}
	const mark = "END OF OUTPUT"
	if _, err := p.slave.WriteString(mark); err != nil {
		p.t.Fatal(err)
	}
	p.await(mark)
	text := p.written()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l", "\x1b[?1002h": "\x1b[?1002l"} {
		if strings.LastIndex(text, on) > strings.LastIndex(text, off) {
			p.t.Errorf("%q is not undone", on)
		}
	}
	if strings.Contains(text, "goroutine ") {
		p.t.Errorf("a stack is on the terminal: %q", tail(text))
	}
}

// startDesk starts the dashboard on the service of the tests.
func startDesk(t *testing.T) *program {
	t.Helper()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	return start(t, t.TempDir(), []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey})
}

func TestDemoOpensTheDashboardAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	home, temp := t.TempDir(), t.TempDir()
	p := start(t, home, []string{"TMPDIR=" + temp}, "demo").read()
	p.await("Market")
	p.await("\x1b[?1049h")
	p.await("Bale Mountains")
	before, _, _ := strings.Cut(p.written(), "\x1b[?1049h")
	if strings.Trim(stripEscapes(before), "\r\n ") != "" {
		t.Errorf("it prints %q before the dashboard", before)
	}
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	p.restored()
	for _, dir := range []string{home, temp} {
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// stripEscapes removes the sequences that ask the terminal something.
func stripEscapes(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\x1b' {
			out.WriteByte(s[i])
			continue
		}
		for i++; i < len(s) && (s[i] < '@' || s[i] > '~' || s[i] == '[' || s[i] == ']'); i++ {
			if s[i] == '\a' {
				break
			}
		}
	}
	return out.String()
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDemoKeepsItsDatabaseWhereItIsTold(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	p := start(t, t.TempDir(), nil, "demo", "--keep", dir).read()
	p.await("Market")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	if _, err := os.Stat(filepath.Join(dir, "demo.db")); err != nil {
		t.Error(err)
	}
}

func TestSignalsEndTheDashboardWithTheTerminalRestored(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := startDesk(t).read()
			p.await("6.20")
			p.signal(signal)
			if status := p.end(); status != want {
				t.Errorf("status %d, want %d:\n%q", status, want, tail(p.written()))
			}
			p.restored()
		})
	}
}

func TestCtrlCEndsTheDashboardLikeINT(t *testing.T) {
	t.Parallel()
	p := startDesk(t).read()
	p.await("6.20")
	p.press("\x03")
	if status := p.end(); status != 130 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

func TestASignalEndsTheDashboardOnATerminalThatIsStalled(t *testing.T) {
	t.Parallel()
	p := startDesk(t)
	// Nobody reads, so that what the program writes blocks soon. It is
	// running once it has changed the terminal's modes.
	for deadline := time.Now().Add(longest); ; time.Sleep(20 * time.Millisecond) {
		state, err := term.GetState(int(p.slave.Fd()))
		if err == nil && *state != *p.before {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the dashboard does not start")
		}
	}
	for range 200 {
		_, _ = p.master.WriteString("j\t")
	}
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	if after, err := term.GetState(int(p.slave.Fd())); err != nil || *after != *p.before {
		t.Errorf("the terminal's modes are not restored: %v", err)
	}
}

func TestAClosedTerminalEndsTheDashboard(t *testing.T) {
	t.Parallel()
	p := startDesk(t).read()
	p.await("6.20")
	if err := errors.Join(p.slave.Close(), p.master.Close()); err != nil {
		t.Fatal(err)
	}
	if status := p.end(); status != 129 {
		t.Errorf("status %d", status)
	}
}

func TestTheDashboardShowsWhereItIsConnected(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	settings := "[profiles.prod]\nbase_url = \"" + server.URL + "\"\nlabel = \"Acme production\"\nproduction = true\n"
	if err := os.MkdirAll(home+"/config/tonne", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home+"/config/tonne/config.toml", []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, home, []string{"TONNE_API_KEY=" + testKey}, "--profile", "prod").read()
	p.await("Acme production")
	p.await("6.20")
	if runtime.GOOS == "linux" {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
		if err != nil || bytes.Contains(line, []byte(testKey)) {
			t.Errorf("the process list shows %q, %v", line, err)
		}
	}
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
}

func TestLoginAtATerminalDoesNotShowTheKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	p := start(t, t.TempDir(), nil, "auth", "login", "--file", "--base-url", server.URL).read()
	p.await("it is not shown")
	p.press(testKey + "\n")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%s", status, tail(p.written()))
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
	p.restored()
}

func TestASignalAtTheLoginPromptBringsTheEchoBack(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "auth", "login", "--base-url", "http://127.0.0.1:1").read()
	p.await("it is not shown")
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

func TestTheFirstRunOffersTheDemo(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.press("\r")
	p.await("synthetic data   ")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	p.restored()
}

func TestTheFirstRunConnectsAndRemembers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	p := start(t, home, nil).read()
	p.await("Look around in the demo")
	p.press("\x1b[B\r")
	p.await("Address of the marketplace")
	p.press(server.URL + "\r")
	p.await("The key is checked with one request")
	p.press(testKey + "\r")
	p.await("6.20")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
	again := start(t, home, nil).read()
	again.await("6.20")
	again.press("q")
	if status := again.end(); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestTheFirstRunEndsWithASignal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

// piped starts tonne without a terminal.
func piped(t *testing.T, server *httptest.Server, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environment(t.TempDir(), "TONNE_BASE_URL="+server.URL, "TONNE_API_KEY="+testKey)
	stderr := new(strings.Builder)
	cmd.Stderr = stderr
	return cmd, stderr
}

func TestAPipeThatCloses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	cmd, stderr := piped(t, server, "market", "-o", "csv")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := errors.Join(r.Close(), cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if stderr.String() != "" || err != nil && status.Signal() != syscall.SIGPIPE {
		t.Errorf("%v, %q", err, stderr)
	}
}

func TestAFullDevice(t *testing.T) {
	t.Parallel()
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no full device here")
	}
	defer out.Close()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	cmd, stderr := piped(t, server, "market", "-o", "csv")
	cmd.Stdout = out
	_ = cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space is left") {
		t.Errorf("status %d, %s", cmd.ProcessState.ExitCode(), stderr)
	}
}

// serveOutput reads what the service says until it listens.
func serveOutput(t *testing.T, out io.Reader) map[string]string {
	t.Helper()
	said := make(map[string]string)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		said[word] = strings.TrimPrefix(rest, "on ")
		if word == "listening" {
			return said
		}
	}
	t.Fatal("the service does not listen")
	return nil
}

func TestServeAnswersUntilItIsEnded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "serve", "--addr", "127.0.0.1:0", "--demo-data", "--live", "--advance", "1h")
	cmd.Env = environment(home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	said := serveOutput(t, out)
	client := exec.Command(os.Args[0], "market", "-o", "csv")
	client.Env = environment(home, "TONNE_BASE_URL="+said["listening"], "TONNE_API_KEY="+said["key"])
	market, err := client.Output()
	if err != nil || !bytes.HasPrefix(market, []byte(marketHeader)) {
		t.Errorf("%v: %s", err, market)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("status %d", status)
	}
	if _, err := os.Stat(filepath.Join(home, "data", "tonne", "marketplace.db")); err != nil {
		t.Error(err)
	}
}

func TestKeysThatCannotBeUsedAreWrongConfiguration(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "config.toml")
	if err := os.WriteFile(file, []byte("[keys]\n\"no.such.binding\" = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, home, []string{"TONNE_CONFIG=" + file}, "demo").read()
	if status := p.end(); status != 2 {
		t.Errorf("status %d", status)
	}
	p.await("no.such.binding")
	p.restored()
}

func TestAPanicInTheDashboardRestoresTheTerminalAndSaysOneThing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	mark, log := filepath.Join(home, "break"), filepath.Join(home, "debug.log")
	p := start(t, home, []string{
		programVariable + "=" + brokenProgram, "TONNE_TEST_BREAK=" + mark, "TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey,
	}, "--debug", log).read()
	p.await("6.20")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.press("jk")
	if status := p.end(); status != 1 {
		t.Errorf("status %d", status)
	}
	p.await("tonne came upon a mistake of its own")
	p.restored()
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "goroutine ") {
		t.Errorf("no stack is in the debug log: %v", err)
	}
}
