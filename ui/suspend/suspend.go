// Package suspend returns the terminal to the shell until the user continues the program, like Ctrl-z in other
// programs. Start reading at Suspend.
package suspend

import (
	"errors"
	"io"
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// Back is the message after the program has been continued.
type Back struct {
	// Stayed reports that the program was not stopped, because no shell waits for it.
	Stayed bool
	// Err is set if the terminal could not be released or restored. The program must exit then.
	Err error
}

// Screen is an output that may lose its terminal permanently. Suspend always restores any other output.
type Screen interface {
	// Hold locks the terminal while it is being restored. It blocks forever if the terminal is lost.
	Hold() (release func())
}

var errNoShell = errors.New("the program was not stopped")

// Suspend stops the program and returns Back when it continues. It does nothing on a system
// without job control.
//
// Bubble Tea's own command waits forever if the signal has no effect. The kernel drops the
// signal if the program leads its session, as in a new window, and the parent process may
// have made the program ignore it.
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

// away is a tea.ExecCommand that stops the program while the terminal is released.
type away struct {
	stop    func() error
	screen  Screen
	release func()
	stayed  bool
}

func (a *away) SetStdin(io.Reader) {}

func (a *away) SetStdout(w io.Writer) { a.screen, _ = w.(Screen) }

func (a *away) SetStderr(io.Writer) {}

// Run never fails, because Bubble Tea would then drop the error of restoring the terminal.
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
