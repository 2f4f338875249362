package cli

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"tonne/api/wire"
)

// terminal puts the terminal back to how it was when the program started.
// The zero value has none.
type terminal struct {
	before *term.State
	// drawing says that a program owns the whole screen.
	drawing atomic.Bool
	// patient says that the command ends in its own time: a service that
	// finishes what it was asked.
	patient atomic.Bool
	crash   crashFile
	// asked takes signals as if they had come from outside; it may be nil.
	asked chan<- os.Signal
}

func newTerminal() *terminal {
	before, err := term.GetState(int(os.Stdin.Fd()))
	if err != nil {
		before = nil
	}
	return &terminal{before: before}
}

// draw says that a program owns the whole screen, until the function that it
// returns is called. A terminal that is closed meanwhile ends the program as
// the signal does, which not everybody gets who draws on it: a shell that leads
// the session need not pass it on.
func (t *terminal) draw() (done func()) {
	t.drawing.Store(true)
	stop := watchHangUp(os.Stdout, func() {
		select {
		case t.asked <- syscall.SIGHUP:
		default:
		}
	})
	return func() {
		stop()
		t.drawing.Store(false)
	}
}

// hungUp takes a failure of a terminal that is gone, which may come before the
// news of that, for what it is.
func hungUp(err error) error {
	if errors.Is(err, syscall.EIO) {
		return &signalError{syscall.SIGHUP}
	}
	return err
}

// leave undoes what a full-screen program asks of a terminal: key reports,
// mouse, paste marks, focus, colours, the hidden cursor, the other screen.
const leave = "\x1b[<u\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?2026l\x1b[m\x1b[?25h\x1b[?1049l\r"

// restore puts the terminal back. A terminal that takes no output does not
// hold it up.
func (t *terminal) restore() {
	if t.before != nil {
		_ = term.Restore(int(os.Stdin.Fd()), t.before)
	}
	if t.drawing.Load() && isTerminal(os.Stdout) {
		writeInTime(os.Stdout, leave)
	}
}

// writeInTime writes a text to a stream that may take no output.
func writeInTime(out io.Writer, text string) {
	written := make(chan struct{})
	go func() {
		_, _ = io.WriteString(out, text)
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(200 * time.Millisecond):
	}
}

// exit ends the process as after a signal, with the terminal put back.
func (t *terminal) exit(e *signalError) {
	t.restore()
	t.end(e)
}

func (t *terminal) end(e *signalError) {
	t.crash.remove()
	os.Exit(e.status())
}

// exitWithStacks ends the process as after a signal. It writes the stacks to a
// file and prints the name of the file once the terminal was put back.
func (t *terminal) exitWithStacks(stderr io.Writer, e *signalError) {
	t.restore()
	said := "tonne: " + e.Error()
	if path, err := writeStacks(); err != nil {
		said += "; where it was could not be written: " + err.Error()
	} else {
		said += "; where it was is in " + path
	}
	writeInTime(stderr, wire.Clean(said)+".\n")
	t.end(e)
}

// late returns a channel that fires when a command has had its time to end.
func (t *terminal) late(d time.Duration) <-chan time.Time {
	if t.patient.Load() {
		return nil
	}
	return time.After(d)
}
