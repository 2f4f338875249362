package tab

import "tonne/ui/style"

// Below says how many lines of a pane there was no room for, or is empty for
// none.
func Below(lines int) string {
	if lines <= 0 {
		return ""
	}
	return Number(int64(lines)) + " more below"
}

// DrawBorder returns the line above a pane: what draw puts there, and at its end
// how many lines of the pane there was no room for, which has its place before
// all else.
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
