package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return "ended by " + e.signal.String() }

// status is the exit status of a process that ended because of the signal.
func (e *signalError) status() int { return 128 + int(e.signal) }

// patience is how long a command may take to end after a signal. One whose
// screen is stuck must not keep the terminal.
const patience = 2 * time.Second

// watchSignals ends the context when the process is asked to stop. A command
// that does not follow, or is asked twice, is ended with the terminal put
// back.
func watchSignals(parent context.Context, stdout io.Writer) (context.Context, *terminal, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	t := newTerminal()
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, heeded(stdout)...)
	done := make(chan struct{})
	go func() {
		var first *signalError
		select {
		case s := <-asked:
			first = &signalError{s.(syscall.Signal)}
			cancel(first)
		case <-done:
			return
		}
		select {
		case <-asked:
		case <-t.late(patience):
		case <-done:
			return
		}
		t.restore()
		os.Exit(first.status())
	}()
	return ctx, t, func() {
		signal.Stop(asked)
		close(done)
		cancel(nil)
	}
}

// heeded are the signals that end the process. Those that whoever started it
// has it ignore stay ignored, as nohup and a shell's background jobs need it:
// to be notified of one is to stop ignoring it. A program that draws on a
// terminal ends with it all the same: nothing is left to draw on.
func heeded(stdout io.Writer) []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) {
		signals = append(signals, os.Interrupt)
	}
	if !signal.Ignored(syscall.SIGHUP) || isTerminal(stdout) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
