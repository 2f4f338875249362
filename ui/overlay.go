package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
			left, right := cutOut(lines[at], x, width)
			lines[at] = left + "\x1b[m" + row + right
		}
	}
	return strings.Join(lines, "\n")
}

// cutOut returns what stands left and right of a gap in a line. A character
// that is two cells wide and half in the gap becomes a blank.
func cutOut(line string, x, width int) (left, right string) {
	left = ansi.Truncate(line, x, "")
	left += strings.Repeat(" ", x-ansi.StringWidth(left))
	rest := ansi.StringWidth(line) - x - width
	right = ansi.TruncateLeft(line, x+width, "")
	if ansi.StringWidth(right) > rest {
		right = ansi.TruncateLeft(line, x+width+1, "")
	}
	return left, strings.Repeat(" ", max(rest-ansi.StringWidth(right), 0)) + right
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
