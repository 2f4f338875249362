package ui

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// sized returns a filter of messages for a program on this machine's terminal, which
// draws it at the size that the terminal has. Bubble Tea loses a change between its
// first look at the size and the start of its signal handler, and may send an old
// size last. The filter drops a size that is known, and sends one that it missed.
// Output is what the program writes to, nil for the process's own.
func sized(output io.Writer, send func(tea.Msg)) func(tea.Model, tea.Msg) tea.Msg {
	if output == nil {
		output = os.Stdout
	}
	terminal, _ := output.(interface{ Fd() uintptr })
	known := tea.WindowSizeMsg{Width: -1}
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		size, resized := msg.(tea.WindowSizeMsg)
		if terminal != nil {
			if width, height, err := term.GetSize(int(terminal.Fd())); err == nil {
				size = tea.WindowSizeMsg{Width: width, Height: height}
			}
		}
		switch {
		case resized && size == known:
			return nil
		case resized:
			known = size
			return size
		case size.Width > 0 && size != known:
			go send(size)
		}
		return msg
	}
}
