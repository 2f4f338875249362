//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
)

// It runs alone: on a machine with forty of it at once, one in some hundred
// showed nothing for half a minute after the shell had let it go on.
func TestCtrlZGivesTheTerminalToTheShellAndBack(t *testing.T) {
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
		t.Error("it says that there is no shell")
	}
	p.restored()
}

func TestCtrlZDoesNotHangTheDashboardThatNobodyCanStop(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"it leads its session":   `exec "$0" demo`,
		"the signal is ignored":  `set -m; (trap '' TSTP; exec "$0" demo)`,
		"its group has no shell": `"$0" demo; exit $?`,
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

func TestCtrlZDoesNotHangTheFirstRunThatNobodyCanStop(t *testing.T) {
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
