//go:build unix

package terminal

import (
	"io"
	"os"
	"testing"

	"github.com/creack/pty"
)

// onTerminal returns a screen on a pseudo-terminal, and the terminal's other end.
func onTerminal(t *testing.T) (s *Screen, master *os.File) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _, _ = slave.Close(), master.Close() })
	return newScreen(slave), master
}

func TestScreenDropsOutputAfterLeave(t *testing.T) {
	t.Parallel()
	s, master := onTerminal(t)
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
}

func TestUnusedScreenCanBeHeldTwice(t *testing.T) {
	t.Parallel()
	s, _ := onTerminal(t)
	s.Hold()()
	s.Hold()()
}
