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
	// screen is nil unless a program owns the whole of it.
	screen atomic.Pointer[screen]
	// patient says that the command ends in its own time: a service that
	// finishes what it was asked.
	patient atomic.Bool
	crash   crashFile
	// asked takes signals as if they had come from outside; it may be nil.
	asked chan<- os.Signal
	// quit ends the process with a status.
	quit func(status int)
}

func newTerminal() *terminal {
	before, err := term.GetState(int(os.Stdin.Fd()))
	if err != nil {
		before = nil
	}
	return &terminal{before: before, quit: os.Exit}
}

func (t *terminal) draw() (s *screen, done func()) {
	s = newScreen(os.Stdout)
	t.screen.Store(s)
	stop := watchHangUp(s.file, func() {
		select {
		case t.asked <- syscall.SIGHUP:
		default:
		}
	})
	return s, func() {
		stop()
		t.screen.Store(nil)
	}
}

// hungUp takes a failure of a terminal that is gone, which may come before the
// news of that, for what it is. A disk fails in the same words.
func hungUp(terminal *os.File, err error) error {
	if errors.Is(err, syscall.EIO) && isGone(terminal) {
		return &signalError{syscall.SIGHUP}
	}
	return err
}

// leave undoes what a full-screen program asks of a terminal: key reports,
// mouse, paste marks, focus, lines that do not break, colours, the hidden cursor,
// the other screen.
const leave = "\x1b[<u\x1b[>4m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[?2026l\x1b[m\x1b[?25h\x1b[?1049l\r"

func (t *terminal) restore() {
	if s := t.screen.Load(); s != nil && isTerminal(s.file) {
		s.leave(t.restoreModes, leave)
		return
	}
	t.restoreModes()
}

func (t *terminal) restoreModes() {
	if t.before != nil {
		_ = term.Restore(int(os.Stdin.Fd()), t.before)
	}
}

func (t *terminal) exit(e *signalError) {
	t.restore()
	t.end(e)
}

func (t *terminal) end(e *signalError) {
	t.crash.remove()
	t.quit(e.status())
}

func (t *terminal) exitWithStacks(stderr io.Writer, e *signalError) {
	t.restore()
	said := "tonne: " + e.Error()
	if path, err := writeStacks(); err != nil {
		said += "; where it was could not be written: " + err.Error()
	} else {
		said += "; where it was is in " + path
	}
	inTime(func() { _, _ = io.WriteString(stderr, wire.Clean(said)+".\n") })
	t.end(e)
}

func (t *terminal) late(d time.Duration) <-chan time.Time {
	if t.patient.Load() {
		return nil
	}
	return time.After(d)
}
