package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/paint"
)

// overlay is something that lies over the tab and takes the keys.
type overlay interface {
	// Press takes a key and reports whether the overlay is done.
	Press(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	Paste(msg tea.PasteMsg) tea.Cmd
	// Render draws a box of at most width × height cells and returns its size,
	// and where the text cursor stands in it.
	Render(theme *paint.Theme, width, height int) (box string, w, h int, cursor *tea.Cursor)
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
			whole := paint.WidthOf(lines[at])
			lines[at] = paint.Cut(lines[at], 0, x) + row + paint.Cut(lines[at], x+width, whole)
		}
	}
	return strings.Join(lines, "\n")
}

// frameBox draws a thin frame around the lines of a block.
func frameBox(theme *paint.Theme, title, inner string, width, height int) string {
	block := paint.NewBlock(theme, width+4, 1)
	top := block.Line(paint.Plain)
	top.Put(paint.Rule, "╭─ ")
	top.Put(paint.Heading, paint.Clip(title, width-2))
	top.Gap(1)
	top.Repeat(paint.Rule, "─", top.Room()-1)
	top.Put(paint.Rule, "╮")
	left, right := paint.NewBlock(theme, 2, height), paint.NewBlock(theme, 2, height)
	for range height {
		left.Put(paint.Rule, "│ ")
		right.Put(paint.Rule, " │")
	}
	bottom := paint.NewBlock(theme, width+4, 1)
	line := bottom.Line(paint.Plain)
	line.Put(paint.Rule, "╰")
	line.Repeat(paint.Rule, "─", width+2)
	line.Put(paint.Rule, "╯")
	return paint.Stack(block.String(), paint.Beside(left.String(), inner, right.String()), bottom.String())
}
