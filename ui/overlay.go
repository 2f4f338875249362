package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
)

// overlay is something that lies over the tab and takes the keys.
type overlay interface {
	Press(msg tea.KeyPressMsg) action
	Paste(msg tea.PasteMsg) effect.Effect
	// Layout says how many cells there are, after each message.
	Layout(width, height int)
	// Render draws a box of at most that size and returns its own, and where
	// the text cursor stands in it.
	Render(theme *style.Theme) (box string, w, h int, cursor *tea.Cursor)
}

// room is how many cells an overlay may take.
type room struct{ width, height int }

// Layout notes the room.
func (r *room) Layout(width, height int) { *r = room{width, height} }

// action is what a key led to in an overlay.
type action struct {
	// done says that the overlay goes away.
	done bool
	// answer goes to the tab that opened the overlay; nil for none.
	answer any
	// effect is what a panel of the tab asks for.
	effect effect.Effect
	// perform is a binding that was chosen; nil for none.
	perform *keymap.Binding
}

func (a *App) lay(tab int, o overlay) { a.overlay, a.asked = o, tab }

func (a *App) pressOverlay(msg tea.KeyPressMsg) tea.Cmd {
	did := a.overlay.Press(msg)
	if did.done {
		a.overlay = nil
	}
	return a.follow(did)
}

func (a *App) closeOverlay() tea.Cmd {
	did := a.overlay.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	a.overlay = nil
	return a.follow(did)
}

func (a *App) follow(did action) tea.Cmd {
	if did.perform != nil {
		return a.perform(*did.perform)
	}
	return tea.Batch(a.carryOut(a.asked, did.effect), a.deliver(result{a.asked, did.answer}))
}

func (a *App) drawOver(body string) (string, *tea.Cursor) {
	box, w, h, cursor := a.overlay.Render(a.view.Theme)
	x, y := (a.width-w)/2, (a.bodyHeight()-h)/2
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

func frameBox(theme *style.Theme, title, inner string, width, height int) string {
	block := style.NewBlock(theme, width+4, 1)
	top := block.Line(style.Plain)
	top.Put(style.Border, "╭─ ")
	top.Put(style.Heading, style.Clip(title, width-2))
	top.Gap(1)
	top.Repeat(style.Border, "─", top.Room()-1)
	top.Put(style.Border, "╮")
	left, right := style.NewBlock(theme, 2, height), style.NewBlock(theme, 2, height)
	for range height {
		left.Put(style.Border, "│ ")
		right.Put(style.Border, " │")
	}
	bottom := style.NewBlock(theme, width+4, 1)
	line := bottom.Line(style.Plain)
	line.Put(style.Border, "╰")
	line.Repeat(style.Border, "─", width+2)
	line.Put(style.Border, "╯")
	return style.Stack(block.String(), style.Beside(left.String(), inner, right.String()), bottom.String())
}
