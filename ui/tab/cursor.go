package tab

import tea "charm.land/bubbletea/v2"

// RowCursor is the terminal's cursor on the row that is selected: who follows it
// with a screen reader or a magnifier is there. It is a thin bar beside the mark
// of the row.
func RowCursor(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape, c.Blink = tea.CursorBar, false
	return c
}
