package retire

// pages is how far the lines of a dialog are scrolled.
type pages struct {
	// width and height are the room that there was last.
	width, height int
	first         int
	// read says that the end was on the screen.
	read bool
}

func (p *pages) page(bottom int) int { return max(p.height-bottom, 1) }

func (p *pages) top(lines []line, bottom int) int {
	return max(min(p.first, len(lines)-p.page(bottom)), 0)
}

func (p *pages) left(lines []line, bottom int) int {
	return max(len(lines)-p.top(lines, bottom)-p.page(bottom), 0)
}

func (p *pages) scroll(stroke string, lines []line, bottom int) bool {
	steps := map[string]int{"up": -1, "down": 1, "pgup": -p.page(bottom), "pgdown": p.page(bottom)}
	by, ok := steps[stroke]
	if ok {
		p.first = max(p.top(lines, bottom)+by, 0)
		p.read = p.read || p.left(lines, bottom) == 0
	}
	return ok
}
