package ui

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// sized returns a message filter that keeps a local program at the size of its terminal. Bubble
// Tea misses a resize before its signal handler is installed, and may report an old size last.
// The filter drops repeated sizes and sends missed ones. output is the output of the program.
// The default is standard output.
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
