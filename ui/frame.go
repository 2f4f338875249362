package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// The lines above and below the body of a tab.
const (
	headerLines = 2
	footerLines = 2
)

func (d *Desk) bodyHeight() int { return d.height - headerLines - footerLines }

func (d *Desk) tooSmall() bool { return d.width < minWidth || d.height < minHeight }

// View returns the frame, drawn once after each Update. The runtime compares
// the text, so an unchanged frame costs nothing on the terminal.
func (d *Desk) View() tea.View {
	if d.stale {
		d.draw()
		d.stale = false
	}
	return d.frame
}

func (d *Desk) draw() {
	d.frame.AltScreen = true
	d.frame.ReportFocus = true
	d.frame.WindowTitle = "tonne · " + d.tabs[d.active].Title()
	d.frame.MouseMode = tea.MouseModeNone
	if d.mouse {
		d.frame.MouseMode = tea.MouseModeCellMotion
	}
	d.frame.Cursor = nil
	switch {
	case d.width <= 0 || d.height <= 0:
		d.frame.Content = ""
	case d.tooSmall():
		d.frame.Content = d.drawTooSmall()
	default:
		d.frame.Content = d.drawTab()
	}
}

func (d *Desk) drawTooSmall() string {
	block := style.NewBlock(d.view.Theme, d.width, d.height)
	block.Put(style.Text, d.whyTooSmall())
	return block.String()
}

// whyTooSmall names the size that is needed and the one that there is, in as many
// words as there is room for. The sizes are what matters.
func (d *Desk) whyTooSmall() string {
	need, has := fmt.Sprintf("%d×%d", minWidth, minHeight), fmt.Sprintf("%d×%d", d.width, d.height)
	texts := [...]string{
		"tonne needs " + need + ", this terminal has " + has,
		"tonne needs " + need + ", has " + has,
		has + " < " + need,
	}
	for _, text := range texts {
		if style.Width(text) <= d.width {
			return text
		}
	}
	return texts[len(texts)-1]
}

func (d *Desk) drawTab() string {
	body, cursor := d.tabs[d.active].Render(d.width, d.bodyHeight())
	if d.overlay != nil {
		body, cursor = d.drawOver(body)
	}
	if cursor != nil {
		cursor.Y += headerLines
		d.frame.Cursor = cursor
	}
	return style.Stack(d.drawHeader(), body, d.drawFooter())
}
