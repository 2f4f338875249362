//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCtrlZSuspendsAndResumes(t *testing.T) {
	t.Parallel()
	p := startAt(t, 120, 36, environment(t.TempDir()), "/bin/sh", "-c", `set -m; "$0" demo; echo BACK IN THE SHELL; fg; exit $?`, os.Args[0]).read()
	p.await("Alder Bank Wind")
	p.press("\x1a")
	p.await("BACK IN THE SHELL")
	before, _, _ := strings.Cut(p.written(), "BACK IN THE SHELL")
	if !strings.Contains(before, "\x1b[?1049l") {
		t.Error("the shell is on the dashboard's screen")
	}
	p.awaitAfter("BACK IN THE SHELL", "Alder Bank Wind")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	if strings.Contains(p.written(), "no shell to go back to") {
		t.Error("the dashboard reports that there is no shell")
	}
	p.restored()
}

func TestCtrlZWithoutShellKeepsDashboard(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"session leader":        `exec "$0" demo`,
		"signal ignored":        `set -m; (trap '' TSTP; exec "$0" demo)`,
		"no shell in its group": `"$0" demo; exit $?`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startAt(t, 120, 36, environment(t.TempDir()), "/bin/sh", "-c", script, os.Args[0]).read()
			p.await("Alder Bank Wind")
			p.press("\x1a")
			p.await("no shell to go back to")
			p.awaitAfter("\x1b[?1049l", "Alder Bank Wind")
			p.press("q")
			if status := p.end(); status != 0 {
				t.Errorf("status %d:\n%q", status, tail(p.written()))
			}
			p.restored()
		})
	}
}

// fullPipe returns a named pipe whose buffer is full.
func fullPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(pipe) })
	for err == nil {
		_, err = syscall.Write(pipe, make([]byte, 4096))
	}
	return path
}

// The program blocks while it exits, because nothing reads its standard error.
func TestResumeWhileExitingKeepsTerminalRestored(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"QUIT": syscall.SIGQUIT, "ABRT": syscall.SIGABRT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startAt(t, 120, 36, environment(t.TempDir(), "TMPDIR="+t.TempDir()), "/bin/sh", "-c", `exec "$0" demo 2>"$1"`, os.Args[0], fullPipe(t)).read()
			p.await("Retirements")
			p.press("\x1a")
			const left = "\x1b[?1049l"
			p.await(left)
			p.signal(signal)
			p.awaitAfter(left, left)
			p.signal(syscall.SIGCONT)
			if status := p.end(); status != 128+int(signal) {
				t.Errorf("status %d:\n%q", status, tail(p.written()))
			}
			p.restored()
		})
	}
}

func TestCtrlZWithoutShellKeepsFirstRun(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.press("\x1a")
	p.awaitAfter("\x1b[?1049l", "Look around in the demo")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	p.restored()
}
