package terminal

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal syscall.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "ended by " + e.Signal.String() }

// Status returns the exit status of a process that the signal ended.
func (e *SignalError) Status() int { return 128 + int(e.Signal) }

// Patience is how long a command may take to end after a signal. One whose
// screen is stuck must not keep the terminal.
const Patience = 2 * time.Second

// WatchSignals ends the context when the process is asked to stop. A command
// that does not follow, or is asked twice, is ended with the terminal put
// back. One that is asked where it is, is ended at once.
func WatchSignals(parent context.Context, stdout, stderr io.Writer) (context.Context, *Terminal, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	t := newTerminal()
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, handledSignals(stdout)...)
	t.Asked = asked
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var first *SignalError
		var late <-chan time.Time
		for {
			select {
			case s := <-asked:
				next := &SignalError{s.(syscall.Signal)}
				if next.wantsStacks() {
					t.exitWithStacks(stderr, next)
					return
				}
				if first != nil {
					if next.hangsUp() && first.hangsUp() {
						continue
					}
					t.exit(first)
					return
				}
				first = next
				if !t.Patient.Load() {
					late = time.After(Patience)
				}
				cancel(first)
			case <-late:
				t.exit(first)
				return
			case <-done:
				return
			}
		}
	}()
	return ctx, t, func() {
		signal.Stop(asked)
		close(done)
		// An end that began meanwhile has left the screen, which drops what the
		// program writes when it ends by itself: only it puts the terminal back.
		<-ended
		cancel(nil)
	}
}

// hangsUp reports whether the terminal is gone. The kernel, a shell and a look
// at the terminal may each tell of it: that is no impatience.
func (e *SignalError) hangsUp() bool { return e.Signal == syscall.SIGHUP }

func (e *SignalError) wantsStacks() bool {
	return e.Signal == syscall.SIGQUIT || e.Signal == syscall.SIGABRT
}

// handledSignals are the signals that end the process. Signals that
// the parent process ignores stay ignored, as nohup and the background jobs of a
// shell need it: to be notified of one is to stop ignoring it. A program that draws on a
// terminal ends with it all the same: nothing is left to draw on.
func handledSignals(stdout io.Writer) []os.Signal {
	signals := []os.Signal{syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT}
	if !signal.Ignored(os.Interrupt) {
		signals = append(signals, os.Interrupt)
	}
	if !signal.Ignored(syscall.SIGHUP) || IsTerminal(stdout) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
