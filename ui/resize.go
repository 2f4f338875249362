package ui

import (
	"io"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// sized makes sure that a program on this machine's terminal draws at the size
// that the terminal has. Bubble Tea looks at the size first and listens for its
// changes later, and a change in between is lost for good; and it sends each
// size from a goroutine of its own, so that an old one may arrive last.
// Windows tells sizes among the keys: nothing is lost there.
type sized struct {
	output  interface{ Fd() uintptr }
	last    tea.WindowSizeMsg
	changes chan os.Signal
}

// newSized listens for changes from now on, which is before the program starts.
// Output is what the program writes to, nil for the process's own.
func newSized(output io.Writer) *sized {
	if output == nil {
		output = os.Stdout
	}
	s := &sized{changes: make(chan os.Signal, 1)}
	s.output, _ = output.(interface{ Fd() uintptr })
	notifyResize(s.changes)
	return s
}

func (s *sized) follow(p *tea.Program) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-s.changes:
				p.Send(tea.RequestWindowSize())
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(s.changes)
		close(done)
	}
}

// newest puts in place of a size the one that the terminal has now, and drops
// one that has been told: the screen would be drawn anew for nothing.
func (s *sized) newest(_ tea.Model, msg tea.Msg) tea.Msg {
	size, ok := msg.(tea.WindowSizeMsg)
	if !ok {
		return msg
	}
	if s.output != nil {
		if width, height, err := term.GetSize(int(s.output.Fd())); err == nil {
			size = tea.WindowSizeMsg{Width: width, Height: height}
		}
	}
	if size == s.last {
		return nil
	}
	s.last = size
	return size
}
