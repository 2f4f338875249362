// Package suspend gives the terminal back to the shell that started the
// program, until the person returns.
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
	return tea.Exec(stop{}, func(err error) tea.Msg { return Back{Stayed: errors.Is(err, errNoShell)} })()
}

// stop is the program that has the terminal meanwhile: whatever the shell runs.
type stop struct{}

func (stop) SetStdin(io.Reader)  {}
func (stop) SetStdout(io.Writer) {}
func (stop) SetStderr(io.Writer) {}
