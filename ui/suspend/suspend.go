// Package suspend gives the terminal back to the shell until the person returns.
package suspend

import (
	"errors"
	"io"
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// Back is the message that the program has the terminal again.
type Back struct {
	// Stayed says that the program was not stopped: no shell waits for it.
	Stayed bool
	// Err is why the terminal was not given away or taken back: the program can only end.
	Err error
}

// Screen is an output that may lose its terminal for good. Any other is always taken back.
type Screen interface {
	// Hold keeps the terminal while it is taken back. It does not return if it was given away for good.
	Hold() (release func())
}

var errNoShell = errors.New("nobody stopped the program")

// Suspend stops the program as Ctrl-z does one that reads lines, and sends Back
// when it goes on. A system without such signals does nothing.
//
// It is not Bubble Tea's own, which waits for ever where the signal has no
// effect: the kernel drops it where the program leads its session, as in a new
// window, and whoever started the program may have had it ignore the signal.
func Suspend() tea.Msg {
	if runtime.GOOS == "windows" {
		return nil
	}
	return exec(stop)()
}

func exec(stop func() error) tea.Cmd {
	a := &away{stop: stop, release: func() {}}
	return tea.Exec(a, a.back)
}

// away is the program that has the terminal meanwhile: whatever the shell runs.
type away struct {
	stop    func() error
	screen  Screen
	release func()
	stayed  bool
}

func (a *away) SetStdin(io.Reader) {}

func (a *away) SetStdout(w io.Writer) { a.screen, _ = w.(Screen) }

func (a *away) SetStderr(io.Writer) {}

// Run never fails: that would have Bubble Tea drop the error of taking the terminal back.
func (a *away) Run() error {
	a.stayed = a.stop() != nil
	awaitRenderer()
	if a.screen != nil {
		a.release = a.screen.Hold()
	}
	return nil
}

func (a *away) back(err error) tea.Msg {
	a.release()
	return Back{Stayed: a.stayed, Err: err}
}
