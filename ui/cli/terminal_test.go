//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	must "tonne/model/musttest"
	"tonne/ui/cli/terminal"
)

// openTerminal returns the two ends of a pseudo-terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _, _ = slave.Close(), master.Close() })
	return master, slave
}

func TestHungUpDetectsOnlyClosedTerminal(t *testing.T) {
	t.Parallel()
	master, slave := openTerminal(t)
	disk := fmt.Errorf("write ledger: %w", syscall.EIO)
	must.Fail(t, terminal.HungUp(slave, disk), disk, "HungUp of a disk failure is")
	must.Succeed(t, master.Close())
	_, failure := slave.WriteString("x")
	var signal *terminal.SignalError
	err := terminal.HungUp(slave, failure)
	must.Hold(t, errors.As(err, &signal) && signal.Signal == syscall.SIGHUP,
		"HungUp of", failure, "on a closed terminal is", err)
	err = terminal.HungUp(slave, nil)
	must.Hold(t, err == nil, "HungUp of nil is", err)
}

func TestScreenDropsOutputAfterLeave(t *testing.T) {
	t.Parallel()
	master, slave := openTerminal(t)
	s, done := new(terminal.Terminal).Draw(slave)
	defer done()
	// An unused screen can be held twice.
	s.Hold()()
	s.Hold()()
	write := func(text string) {
		n, err := s.Write([]byte(text))
		must.Hold(t, n == len(text) && err == nil, text, n, err)
	}
	write("frame ")
	restored := false
	s.Leave(func() { restored = true }, "left ")
	write("late ")
	must.Succeed(t, must.Err(s.File.WriteString("end")))
	seen := make([]byte, 100)
	n, err := io.ReadAtLeast(master, seen, len("frame left end"))
	got := string(seen[:n])
	must.Hold(t, err == nil && got == "frame left end" && restored,
		"terminal shows", got, err, "modes restored", restored)
	for name, want := range map[string]string{"line wrap": "\x1b[?7h", "keyboard mode": "\x1b[>4m"} {
		before, _, _ := strings.Cut(terminal.Leave, "\x1b[?1049l")
		must.Hold(t, strings.Contains(before, want), name, terminal.Leave, "does not contain", want)
	}
}

// A second signal leaves the screen and quits. If the program exited before that is done,
// the terminal would stay in the wrong mode.
func TestStopWaitsForForcedQuit(t *testing.T) {
	t.Parallel()
	_, watched, stop := terminal.WatchSignals(t.Context(), io.Discard, io.Discard)
	began, stopped := make(chan struct{}), make(chan struct{})
	watched.Quit = func(int) {
		close(began)
		select {
		case <-stopped:
			t.Error("the program exits before the terminal is restored")
		case <-time.After(20 * time.Millisecond):
		}
	}
	watched.Asked <- syscall.SIGTERM
	watched.Asked <- syscall.SIGTERM
	<-began
	stop()
	close(stopped)
}
