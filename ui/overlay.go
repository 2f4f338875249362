package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// overlay is something that lies over the tab and takes the keys.
type overlay interface {
	// Press takes a key and reports whether the overlay is done.
	Press(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	Paste(msg tea.PasteMsg) tea.Cmd
	// Render draws a box of at most width × height cells and returns its size,
	// and where the text cursor stands in it.
	Render(theme *style.Theme, width, height int) (box string, w, h int, cursor *tea.Cursor)
}

// drawOver draws the overlay over the middle of the body.
func (d *Desk) drawOver(body string) (string, *tea.Cursor) {
	box, w, h, cursor := d.overlay.Render(d.view.Theme, d.width-4, d.bodyHeight())
	x, y := (d.width-w)/2, (d.bodyHeight()-h)/2
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+x, cursor.Y+y
	}
	return over(body, box, x, y, w), cursor
}

// over lays a box of a width on top of a body, x cells from the left and y
// lines from the top.
func over(body, box string, x, y, width int) string {
	lines := strings.Split(body, "\n")
	for i, row := range strings.Split(box, "\n") {
		if at := y + i; at < len(lines) {
			whole := style.WidthOf(lines[at])
			lines[at] = style.Cut(lines[at], 0, x) + row + style.Cut(lines[at], x+width, whole)
		}
	}
	return strings.Join(lines, "\n")
}

// frameBox draws a thin frame around the lines of a block.
func frameBox(theme *style.Theme, title, inner string, width, height int) string {
	block := style.NewBlock(theme, width+4, 1)
	top := block.Line(style.Plain)
	top.Put(style.Rule, "╭─ ")
	top.Put(style.Heading, style.Clip(title, width-2))
	top.Gap(1)
	top.Repeat(style.Rule, "─", top.Room()-1)
	top.Put(style.Rule, "╮")
	left, right := style.NewBlock(theme, 2, height), style.NewBlock(theme, 2, height)
	for range height {
		left.Put(style.Rule, "│ ")
		right.Put(style.Rule, " │")
	}
	bottom := style.NewBlock(theme, width+4, 1)
	line := bottom.Line(style.Plain)
	line.Put(style.Rule, "╰")
	line.Repeat(style.Rule, "─", width+2)
	line.Put(style.Rule, "╯")
	return style.Stack(block.String(), style.Beside(left.String(), inner, right.String()), bottom.String())
}
