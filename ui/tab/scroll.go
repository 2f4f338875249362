package tab

// Scrolled returns the first line to show of a text after a key: of so many
// lines, a page of which is shown. Other keys leave it. Whoever draws keeps it
// within the text.
func Scrolled(first int, key string, page, lines int) int {
	switch key {
	case "down", "j":
		return first + 1
	case "up", "k":
		return first - 1
	case "pgdown", "space", "ctrl+d":
		return first + page
	case "pgup", "ctrl+u":
		return first - page
	case "home", "g":
		return 0
	case "end", "G", "shift+g":
		return lines
	}
	return first
}
