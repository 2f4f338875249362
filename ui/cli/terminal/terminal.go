// Package terminal handles the terminal and the signals of the process. A signal ends the
// program, and the terminal is restored in every case. Start reading at WatchSignals.
package terminal

import (
	"errors"
	"io"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"tonne/api/wire"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := Stream(stream).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Stream returns the stream below a writer that converts text.
func Stream(stream any) any {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		return w.Unwrap()
	}
	return stream
}

// Width returns the columns of a terminal, or 0 if the stream is not a terminal.
func Width(stream any) int {
	f, ok := Stream(stream).(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Terminal restores the terminal. The zero value has no terminal.
type Terminal struct {
	before *term.State
	// Screen is the screen of a full-screen program, or nil.
	Screen atomic.Pointer[Screen]
	// Patient reports that the command finishes its requests first, like a service.
	Patient atomic.Bool
	// Asked, if not nil, receives signals as if another process had sent them.
	Asked chan<- os.Signal
	// Quit ends the process with a status.
	Quit func(status int)
}

func newTerminal() *Terminal {
	before, err := term.GetState(int(os.Stdin.Fd()))
	if err != nil {
		before = nil
	}
	return &Terminal{before: before, Quit: os.Exit}
}

// Draw returns the screen of a program that draws on out. The caller calls done when it ends.
func (t *Terminal) Draw(out *os.File) (s *Screen, done func()) {
	s = newScreen(out)
	t.Screen.Store(s)
	stop := watchHangUp(s.File, func() {
		select {
		case t.Asked <- syscall.SIGHUP:
		default:
		}
	})
	return s, func() {
		stop()
		t.Screen.Store(nil)
	}
}

// HungUp converts the error of a closed terminal to a SignalError. The error may occur
// before the signal. A disk may fail with the same error.
func HungUp(terminal *os.File, err error) error {
	if errors.Is(err, syscall.EIO) && isGone(terminal) {
		return &SignalError{syscall.SIGHUP}
	}
	return err
}

// Leave resets the modes of a full-screen program: key reports,
// mouse, bracketed paste, focus, line wrapping, colours, the hidden cursor,
// the alternate screen.
const Leave = "\x1b[<u\x1b[>4m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" +
	"\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[?2026l\x1b[m\x1b[?25h\x1b[?1049l\r"

// Restore restores the terminal, and leaves the screen if there is one.
func (t *Terminal) Restore() {
	if s := t.Screen.Load(); s != nil && IsTerminal(s.File) {
		s.Leave(t.restoreModes, Leave)
		return
	}
	t.restoreModes()
}

func (t *Terminal) restoreModes() {
	if t.before != nil {
		_ = term.Restore(int(os.Stdin.Fd()), t.before)
	}
}

func (t *Terminal) exit(e *SignalError) {
	t.Restore()
	t.Quit(e.Status())
}

func (t *Terminal) exitWithStacks(stderr io.Writer, e *SignalError) {
	t.Restore()
	said := "tonne: " + e.Error()
	if path, err := writeStacks(); err != nil {
		said += "; the stack traces could not be written: " + err.Error()
	} else {
		said += "; the stack traces are in " + path
	}
	inTime(func() { _, _ = io.WriteString(stderr, wire.Clean(said)+".\n") })
	t.Quit(e.Status())
}

func writeStacks() (path string, err error) {
	file, err := os.CreateTemp("", "tonne-stacks-*.txt")
	if err != nil {
		return "", err
	}
	err = pprof.Lookup("goroutine").WriteTo(file, 1)
	return file.Name(), errors.Join(err, file.Close())
}
