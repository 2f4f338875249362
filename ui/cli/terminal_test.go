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
	if err := terminal.HungUp(slave, disk); !errors.Is(err, disk) {
		t.Errorf("HungUp of a disk failure is %v", err)
	}
	check(t, master.Close())
	_, failure := slave.WriteString("x")
	var signal *terminal.SignalError
	if err := terminal.HungUp(slave, failure); !errors.As(err, &signal) || signal.Signal != syscall.SIGHUP {
		t.Errorf("HungUp of %v on a closed terminal is %v", failure, err)
	}
	if err := terminal.HungUp(slave, nil); err != nil {
		t.Errorf("HungUp of nil is %v", err)
	}
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
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	write("frame ")
	restored := false
	s.Leave(func() { restored = true }, "left ")
	write("late ")
	if _, err := s.File.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	seen := make([]byte, 100)
	n, err := io.ReadAtLeast(master, seen, len("frame left end"))
	if got := string(seen[:n]); err != nil || got != "frame left end" || !restored {
		t.Errorf("terminal shows %q, %v; modes restored: %v", got, err, restored)
	}
	for name, want := range map[string]string{"line wrap": "\x1b[?7h", "keyboard mode": "\x1b[>4m"} {
		if before, _, _ := strings.Cut(terminal.Leave, "\x1b[?1049l"); !strings.Contains(before, want) {
			t.Errorf("%s: %q does not contain %q", name, terminal.Leave, want)
		}
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
