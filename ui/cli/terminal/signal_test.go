package terminal

import (
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The end that a second signal brings has left the screen: if the program ended
// by itself meanwhile, nobody would put the terminal back.
func TestAProgramThatEndsByItselfWaitsForAnEndThatHasBegun(t *testing.T) {
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
		t.Error("the program ended while the terminal was being put back")
	}
}

func TestLeavingATerminalBreaksItsLinesAndTakesItsKeysAgain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"lines break": "\x1b[?7h", "keys are told as by themselves": "\x1b[>4m"} {
		if before, _, _ := strings.Cut(Leave, "\x1b[?1049l"); !strings.Contains(before, want) {
			t.Errorf("%s: %q leaves out %q", name, Leave, want)
		}
	}
}
