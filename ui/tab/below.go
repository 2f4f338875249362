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

// DrawBelow ends the border above a pane with how many lines of it there was no
// room for.
func DrawBelow(line *style.Line, lines int) {
	text := Below(lines)
	if text == "" || line.Room() < style.Width(text)+4 {
		return
	}
	line.Repeat(style.Border, "─", line.Room()-style.Width(text)-3)
	line.Gap(1)
	line.Put(style.Muted, text)
	line.Gap(1)
}
