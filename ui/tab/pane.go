package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

// Below returns a text with the number of lines below the visible part, or "".
func Below(lines int) string {
	if lines <= 0 {
		return ""
	}
	return Number(int64(lines)) + " more below"
}

// DrawBorder returns the line above a pane: the text of draw and the number of lines below the visible part,
// which has priority.
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

// Detail is the pane for the selected row. While a key that moves the cursor repeats, it is not redrawn. The
// zero value is ready to use.
type Detail struct {
	text          string
	width, height int
}

// Layout calls draw for the cells, unless a key that moves the cursor repeats.
func (d *Detail) Layout(v *View, focused bool, width, height int, draw func(width, height int) string) {
	if height <= 0 {
		*d = Detail{}
		return
	}
	if !v.KeyHeld || focused || d.width != width || d.height != height {
		*d = Detail{draw(width, height), width, height}
	}
}

// Text returns the last drawing.
func (d *Detail) Text() string { return d.text }

// Prose is the number of lines to request for a detail without rows.
const Prose = 1 << 20

// Split returns the lines of the detail below a table. table and detail are the lines that both would need.
// detail counts only while it has the focus, since the height would otherwise change with every row.
func Split(body, table, detail int, focused bool) int {
	switch {
	case body < 9 && focused:
		return body
	case body < 9:
		return 0
	}
	least := max(min(body*2/5, 16), 6)
	// The detail also gets lines that the table does not need.
	least = max(least, body-table)
	if !focused {
		return least
	}
	return max(least, min(detail, body*3/5))
}

// RowCursor returns the terminal's cursor for the selected row, a thin bar, for screen readers and magnifiers.
func RowCursor(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape, c.Blink = tea.CursorBar, false
	return c
}

// Scroll is the scroll position of a panel.
type Scroll struct{ first, page, lines int }

// Draw calls draw for up to room lines, and returns the number of lines below.
func (s *Scroll) Draw(b *style.Block, room, lines int, draw func(line *style.Line, n int)) (below int) {
	s.page, s.lines = max(room, 0), lines
	s.first = max(min(s.first, lines-s.page), 0)
	last := min(s.first+s.page, lines)
	for n := s.first; n < last; n++ {
		draw(b.Line(style.Plain), n)
	}
	return lines - last
}

// Press scrolls with the keys of a list.
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
