package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Below says how many lines of a pane there was no room for, if any.
func Below(lines int) string {
	if lines <= 0 {
		return ""
	}
	return Number(int64(lines)) + " more below"
}

// DrawBorder returns the line above a pane: what draw puts there, and first of all how many lines of the
// pane there was no room for.
func DrawBorder(theme *style.Theme, width, below int, draw func(line *style.Line)) string {
	text, reserved := Below(below), 0
	if text != "" {
		text = " " + text + " ─"
		reserved = min(style.Width(text), width)
	}
	left := style.NewBlock(theme, width-reserved, 1)
	line := left.Line(style.Plain)
	draw(line)
	line.Repeat(style.Border, "─", line.Room())
	if reserved == 0 {
		return left.String()
	}
	right := style.NewBlock(theme, reserved, 1)
	right.Put(style.Muted, text)
	return style.Beside(left.String(), right.String())
}

// Detail is the part of a tab that belongs to the thing of the cursor. While the cursor runs, it stays as
// it was and costs the terminal nothing. The zero value is ready.
type Detail struct {
	text          string
	width, height int
}

// Layout lets draw make the cells, unless the cursor runs over things that the detail is of.
func (d *Detail) Layout(v *View, focused bool, width, height int, draw func(width, height int) string) {
	if height <= 0 {
		*d = Detail{}
		return
	}
	if !v.KeyHeld || focused || d.width != width || d.height != height {
		*d = Detail{draw(width, height), width, height}
	}
}

// Text returns what was drawn last.
func (d *Detail) Text() string { return d.text }

// Prose is what a detail needs that is read rather than walked by rows.
const Prose = 1 << 20

// Split returns how many lines of a body the detail below a table takes. The
// table would like to have as many lines as table says, and the detail as many
// as detail says, which counts only while it has the focus: otherwise it would
// jump from one row of the table to the next.
func Split(body, table, detail int, focused bool) int {
	switch {
	case body < 9 && focused:
		return body
	case body < 9:
		return 0
	}
	least := max(min(body*2/5, 16), 6)
	// What the table leaves empty is of no use to anybody there.
	least = max(least, body-table)
	if !focused {
		return least
	}
	return max(least, min(detail, body*3/5))
}

// RowCursor is the terminal's cursor on the selected row, for screen readers and magnifiers: a thin bar.
func RowCursor(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape, c.Blink = tea.CursorBar, false
	return c
}

// Scroll is how far the lines of a panel are scrolled.
type Scroll struct{ first, page, lines int }

// Draw has draw fill as many lines as room says, and returns how many more there are below.
func (s *Scroll) Draw(b *style.Block, room, lines int, draw func(line *style.Line, n int)) (below int) {
	s.page, s.lines = max(room, 0), lines
	s.first = max(min(s.first, lines-s.page), 0)
	last := min(s.first+s.page, lines)
	for n := s.first; n < last; n++ {
		draw(b.Line(style.Plain), n)
	}
	return lines - last
}

// Press scrolls by the keys that walk a list.
func (s *Scroll) Press(key tea.KeyPressMsg) {
	switch key.Keystroke() {
	case "down", "j":
		s.first++
	case "up", "k":
		s.first--
	case "pgdown", "space", "ctrl+d":
		s.first += s.page
	case "pgup", "ctrl+u":
		s.first -= s.page
	case "home", "g":
		s.first = 0
	case "end", "G", "shift+g":
		s.first = s.lines
	}
}
