//go:build unix

package cli

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	must "tonne/model/musttest"
	"tonne/ui/cli/sshd/sshdtest"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// The files of the tests are in memory where Linux has room for them, because syncing files
// takes longer than the tests.
func init() {
	const memory, room = "/dev/shm", 2 << 30
	var disk syscall.Statfs_t
	if err := syscall.Statfs(memory, &disk); err == nil && os.Getenv("TMPDIR") == "" &&
		disk.Bavail*uint64(disk.Bsize) > room {
		_ = os.Setenv("TMPDIR", memory)
	}
}

// timeout fails a test that waits for something that never happens.
const timeout = 2 * time.Minute

// program is a process of tonne on a pseudo-terminal.
type program struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before *term.State
	screen safeBuffer
}

// environment returns the environment of a process, without the developer's settings.
//
// GORACE silences the race detector in the process: the library that reads keys closes its
// file during a last read. Tests inside the test binary still find races.
func environment(home string, more ...string) []string {
	return append([]string{
		programVariable + "=" + soundProgram, "HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"),
		"XDG_CONFIG_HOME=" + home + "/config",
		"XDG_DATA_HOME=" + home + "/data", "XDG_STATE_HOME=" + home + "/state",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
		"GORACE=exitcode=0 log_path=" + os.DevNull,
	}, more...)
}

// withService returns the environment of a process with a new home and the test service.
func withService(t *testing.T, more ...string) []string {
	t.Helper()
	address := listen(t, new(service))
	home := t.TempDir()
	return environment(home,
		append([]string{"TONNE_BASE_URL=" + address, "TONNE_API_KEY=" + testKey, "TMPDIR=" + home}, more...)...)
}

// start starts tonne on a terminal of 120×36.
func start(t *testing.T, home string, env []string, args ...string) *program {
	t.Helper()
	return startAt(t, 120, 36, environment(home, env...), os.Args[0], args...)
}

// startAt starts a program as the leader of a session with a controlling terminal.
func startAt(t testing.TB, width, height uint16, env []string, path string, args ...string) *program {
	t.Helper()
	return startIn(t, &syscall.SysProcAttr{Setsid: true, Setctty: true}, width, height, env, path, args...)
}

// startIn starts a program with the given process attributes on a terminal.
func startIn(t testing.TB, session *syscall.SysProcAttr, width, height uint16, env []string, path string,
	args ...string) *program {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	must.Succeed(t, pty.Setsize(master, &pty.Winsize{Rows: height, Cols: width}))
	// Closing the terminal must end a blocked read, otherwise it stays open.
	must.Succeed(t, syscall.SetNonblock(int(master.Fd()), true))
	p := &program{t: t, master: master, slave: slave, before: must.Get(term.GetState(int(slave.Fd())))}
	p.cmd = exec.Command(path, args...)
	// The working directory of this process may be that of a script.
	p.cmd.Env, p.cmd.Dir = env, testdata
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = session
	must.Succeed(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = master.Close()
		_ = slave.Close()
	})
	return p
}

// read collects the output of the program.
func (p *program) read() *program {
	go io.Copy(&p.screen, p.master)
	return p
}

func (p *program) written() string { return p.screen.String() }

// await waits until the program has written texts.
func (p *program) await(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.awaitAfter("", text)
	}
}

// awaitAfter waits until the program has written a text after another one.
func (p *program) awaitAfter(first, text string) {
	p.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
		if _, after, found := strings.Cut(p.written(), first); found && strings.Contains(after, text) {
			return
		}
		must.Need(p.t, !time.Now().After(deadline), text, "is not written; the output ends with", tail(p.written()))
	}
}

// tail returns the end of a text, for a message.
func tail(text string) string { return text[max(0, len(text)-1000):] }

func (p *program) press(keys string) {
	p.t.Helper()
	_, err := p.master.WriteString(keys)
	must.Succeed(p.t, err)
}

func (p *program) resize(width, height uint16) {
	p.t.Helper()
	must.Succeed(p.t, pty.Setsize(p.master, &pty.Winsize{Rows: height, Cols: width}))
}

func (p *program) signal(s os.Signal) {
	p.t.Helper()
	must.Succeed(p.t, p.cmd.Process.Signal(s))
}

// end waits for the program and checks its exit status.
func (p *program) end(want int) {
	p.t.Helper()
	defer time.AfterFunc(timeout, func() { _ = p.cmd.Process.Kill() }).Stop()
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.ExitCode()
	must.Equal(p.t, status, want, "status", tail(p.written()))
}

// restored checks that the terminal's modes, screen and cursor are restored.
func (p *program) restored() {
	p.t.Helper()
	p.modesRestored()
	const mark = "END OF OUTPUT"
	_, err := p.slave.WriteString(mark)
	must.Succeed(p.t, err)
	p.await(mark)
	text := p.written()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h",
		"\x1b[?2004h": "\x1b[?2004l", "\x1b[?1002h": "\x1b[?1002l"} {
		must.Hold(p.t, strings.LastIndex(text, on) <= strings.LastIndex(text, off), on, "is not undone")
	}
	must.Hold(p.t, !strings.Contains(text, "goroutine "), "the terminal shows a stack", tail(text))
}

func (p *program) modesRestored() {
	p.t.Helper()
	after := must.Get(term.GetState(int(p.slave.Fd())))
	must.Equal(p.t, *after, *p.before, "terminal modes are", after, p.before)
}

// stall makes the program write more than the terminal's buffer holds. It first waits
// until the program has changed the terminal's modes.
func (p *program) stall() {
	p.t.Helper()
	sshdtest.Eventually(p.t, "the dashboard does not start", func() bool {
		state, err := term.GetState(int(p.slave.Fd()))
		return err == nil && *state != *p.before
	})
	for range 200 {
		_, _ = p.master.WriteString("j\t")
	}
}
