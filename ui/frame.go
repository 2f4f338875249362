package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/keymap"
	"tonne/ui/style"
)

const (
	headerLines = 2
	footerLines = 2
)

func (a *App) bodyHeight() int { return a.height - headerLines - footerLines }

func (a *App) tooSmall() bool { return a.width < minWidth || a.height < minHeight }

// View returns the frame. It draws at most once per Update.
func (a *App) View() tea.View {
	if a.stale {
		a.draw()
		a.stale = false
		a.drawn(a.frame)
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
		a.frame.Content = drawTooSmall(a.view.Theme, a.width, a.height)
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

func drawTooSmall(theme *style.Theme, width, height int) string {
	need, has := fmt.Sprintf("%d×%d", minWidth, minHeight), fmt.Sprintf("%d×%d", width, height)
	text := has + " < " + need
	for _, longer := range [...]string{"too small: " + has + ", need " + need,
		"Terminal too small: " + has + ", need at least " + need} {
		if style.Width(longer) <= width {
			text = longer
		}
	}
	block := style.NewBlock(theme, width, height)
	block.Put(style.Text, text)
	return block.String()
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

// drawFooter sets the cursor of the frame while the user types a search.
func (a *App) drawFooter() string {
	block := style.NewBlock(a.view.Theme, a.width, footerLines)
	block.Line(style.Plain).Repeat(style.Border, "─", a.width)
	line := block.Line(style.Plain)
	line.Gap(1)
	status := a.infos[a.active].Status
	left := style.Span{Role: style.Muted, Text: status.String()}
	switch {
	case a.toast.text != "" && a.toast.bad:
		left = style.Span{Role: style.Warning, Text: "✗ " + a.toast.text}
	case a.toast.text != "":
		left = style.Span{Role: style.Text, Text: a.toast.text}
	case a.matcher.Begun() != "":
		left = style.Span{Role: style.Text, Text: keymap.Label(a.matcher.Begun()) + "…"}
	}
	room := line.Room() - style.Width(left.Text) - 2
	if left.Role == style.Muted {
		// Counts except the first may be dropped, so that some keys are visible at any width.
		// Messages are not cut for keys.
		room = max(room, min(a.width*11/20, line.Room()-style.Width(status.Fit(0))-2))
	}
	hints := footerKeys(a.keys, room, a.label)
	width := hints.Width()
	if left.Role == style.Muted {
		left.Text = status.Fit(line.Room() - width - 1)
	}
	if a.search.entry.Focused() && a.toast.text == "" && !a.dialog.shown() {
		if cursor := (searching{a}).draw(line, line.Room()-width-1); cursor != nil {
			cursor.Y = a.height - 1
			a.frame.Cursor = cursor
		}
	} else {
		line.PutLeft(left.Role, left.Text, line.Room()-width-1)
	}
	line.PutSpans(hints)
	return block.String()
}

// footerKeys returns as many keys as fit. Help and quit are dropped last.
func footerKeys(groups []keymap.Group, room int, label func(keymap.Binding) string) style.Spans {
	var shown []keymap.Binding
	for _, g := range groups {
		for _, b := range g.Bindings {
			if b.Short != "" && b.Disabled() == "" {
				shown = append(shown, b)
			}
		}
	}
	width := func(b keymap.Binding) int { return style.Width(label(b)+" "+b.Short) + 2 }
	total := 0
	for _, b := range shown {
		total += width(b)
	}
	for len(shown) > 0 && total > room {
		drop := max(len(shown)-3, 0)
		total -= width(shown[drop])
		shown = append(shown[:drop:drop], shown[drop+1:]...)
	}
	var spans style.Spans
	for _, b := range shown {
		spans = spans.Put(style.Key, "  "+label(b)).Put(style.Muted, " "+b.Short)
	}
	return spans
}
