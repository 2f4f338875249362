package cli

import (
	"io"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tonne/ui/cli/terminal"
)

// The end that a second signal brings has left the screen: if the program ended
// by itself meanwhile, nobody would put the terminal back.
func TestAProgramThatEndsByItselfWaitsForAnEndThatHasBegun(t *testing.T) {
	_, terminal, stop := terminal.WatchSignals(t.Context(), io.Discard, io.Discard)
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
