package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/keymap"
	"tonne/ui/style"
)

// The lines above and below the body of a tab.
const (
	headerLines = 2
	footerLines = 2
)

func (a *App) bodyHeight() int { return a.height - headerLines - footerLines }

func (a *App) tooSmall() bool { return a.width < minWidth || a.height < minHeight }

// View returns the frame, drawn once after each Update. The runtime compares
// the text, so an unchanged frame costs nothing on the terminal.
func (a *App) View() tea.View {
	if a.stale {
		a.draw()
		a.stale = false
		if a.frame.Content != "" {
			a.o.Drawn()
		}
	}
	return a.frame
}

func (a *App) draw() {
	a.frame.AltScreen = true
	a.frame.ReportFocus = true
	a.frame.WindowTitle = "tonne · " + a.infos[a.active].Title
	a.frame.MouseMode = tea.MouseModeNone
	if a.mouse {
		a.frame.MouseMode = tea.MouseModeCellMotion
	}
	a.frame.Cursor = nil
	switch {
	case a.width <= 0 || a.height <= 0:
		a.frame.Content = ""
	case a.tooSmall():
		a.frame.Content = a.drawTooSmall()
	default:
		a.frame.Content = a.drawTab()
	}
	if a.ascii {
		a.frame.Content, a.frame.WindowTitle = style.ASCII(a.frame.Content), style.ASCII(a.frame.WindowTitle)
	}
}

func (a *App) label(b keymap.Binding) string {
	if a.ascii {
		return strings.ReplaceAll(b.Label(), "↵", "Enter")
	}
	return b.Label()
}

func (a *App) drawTooSmall() string {
	block := style.NewBlock(a.view.Theme, a.width, a.height)
	block.Put(style.Text, a.whyTooSmall())
	return block.String()
}

// whyTooSmall names the size that is needed and the one that there is, in as many
// words as there is room for. The sizes are what matters.
func (a *App) whyTooSmall() string {
	need, has := fmt.Sprintf("%d×%d", minWidth, minHeight), fmt.Sprintf("%d×%d", a.width, a.height)
	texts := [...]string{
		"tonne needs " + need + ", this terminal has " + has,
		"tonne needs " + need + ", has " + has,
		has + " < " + need,
	}
	for _, text := range texts {
		if style.Width(text) <= a.width {
			return text
		}
	}
	return texts[len(texts)-1]
}

func (a *App) drawTab() string {
	body, cursor := a.tabs[a.active].Render()
	if a.dialog.shown() {
		body, cursor = a.dialog.drawOver(body, a.view.Theme, a.width, a.bodyHeight())
	}
	if cursor != nil {
		cursor.Y += headerLines
		a.frame.Cursor = cursor
	}
	return style.Stack(a.header().draw(), body, a.drawFooter())
}
