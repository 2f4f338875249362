package terminal

import (
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A second signal leaves the screen and quits. If the program exited before that is done,
// the terminal would stay in the wrong mode.
func TestStopWaitsForForcedQuit(t *testing.T) {
	_, terminal, stop := WatchSignals(t.Context(), io.Discard, io.Discard)
	began := make(chan struct{})
	var ended atomic.Bool
	terminal.Quit = func(int) {
		close(began)
		time.Sleep(20 * time.Millisecond)
		ended.Store(true)
	}
	terminal.Asked <- syscall.SIGTERM
	terminal.Asked <- syscall.SIGTERM
	<-began
	stop()
	if !ended.Load() {
		t.Error("the program exits before the terminal is restored")
	}
}

func TestLeaveRestoresTerminalModes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"line wrap": "\x1b[?7h", "keyboard mode": "\x1b[>4m"} {
		if before, _, _ := strings.Cut(Leave, "\x1b[?1049l"); !strings.Contains(before, want) {
			t.Errorf("%s: %q does not contain %q", name, Leave, want)
		}
	}
}
