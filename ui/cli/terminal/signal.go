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

// Patience is how long a command may take to end after a signal. A command with a
// blocked screen must not keep the terminal.
const Patience = 2 * time.Second

// WatchSignals ends the context when the process receives a signal. If the command
// does not end in time, or after a second signal, the process restores the terminal
// and exits. QUIT and ABRT print the stacks and exit immediately.
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
				if next.Signal == syscall.SIGQUIT || next.Signal == syscall.SIGABRT {
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
		// If the program has left the screen meanwhile, the screen drops further
		// output, and only this restores the terminal.
		<-ended
		cancel(nil)
	}
}

// hangsUp reports whether the terminal was closed. The kernel, a shell and a poll of
// the terminal may each report that, so it does not count as a second signal.
func (e *SignalError) hangsUp() bool { return e.Signal == syscall.SIGHUP }

// handledSignals returns the signals that end the process. Signals that the parent
// process ignores must stay ignored for nohup and for background jobs of a shell, and
// signal.Notify would change that. A program that draws on a terminal still ends when
// the terminal is closed.
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
