package details

import (
	"cmp"

	"tonne/ui/style"
	"tonne/ui/tab"
)

// document is a list of lines with a cursor. Only visible lines are drawn, because a request
// can have ten thousand serial numbers.
type document struct {
	lines          []Line
	cursor, scroll int
	// width is the width of the pane; longer lines are wrapped or cut. height is the height of
	// the last frame.
	width, height int
}

// Line is a line of the details.
type Line struct {
	draw func(l *style.Line)
	// Copy is the text that y copies, What its name. The cursor skips lines without What.
	Copy, What string
	// Unfolds is the key of the text that ↵ expands or collapses, "" if there is none.
	Unfolds string
	section bool
	// Serial is the serial number of the line, or "".
	Serial string
}

func (d *document) add(draw func(l *style.Line)) { d.lines = append(d.lines, Line{draw: draw}) }

func (d *document) thing(copy, what string, draw func(l *style.Line)) *Line {
	d.lines = append(d.lines, Line{draw: draw, Copy: copy, What: what})
	return &d.lines[len(d.lines)-1]
}

func (d *document) blank() { d.add(func(*style.Line) {}) }

func (d *document) text(role style.Role, s string) { d.paragraph(role, 0, s) }

func (d *document) paragraph(role style.Role, indent int, s string) {
	for _, line := range style.Wrap(s, d.width-indent) {
		d.add(func(l *style.Line) {
			l.Gap(indent)
			l.Put(role, line)
		})
	}
}

func (d *document) heading(title, note string) {
	d.blank()
	d.lines = append(d.lines, Line{section: true, draw: func(l *style.Line) {
		l.Put(style.Heading, title)
		l.Gap(2)
		l.Put(style.Faint, note)
	}})
}

// nameWidth is the least width of a name before its value.
const nameWidth = 17

func (d *document) value(indent int, name string, shown style.Span, copied string) *Line {
	return d.thing(copied, name, func(l *style.Line) {
		l.Gap(indent)
		l.PutLeft(style.Muted, name, max(nameWidth-indent, min(style.Width(name), l.Room()/2)))
		l.Gap(1)
		l.Put(shown.Role, shown.Text)
	})
}

func (d *document) field(name, shown, copied string) {
	d.value(0, name, style.Span{Text: cmp.Or(shown, "—")}, cmp.Or(copied, shown))
}

// id shortens an id in its middle to the width of a field's value.
func (d *document) id(id string) string { return style.ClipMiddle(id, d.width-nameWidth-1) }

// Marked returns the line of the cursor, if it can be copied.
func (d *document) Marked() (line Line, ok bool) {
	if d.cursor >= len(d.lines) || d.lines[d.cursor].What == "" {
		return Line{}, false
	}
	return d.lines[d.cursor], true
}

// Move moves the cursor by a number of selectable lines.
func (d *document) Move(by int) {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for at := d.cursor + step; at >= 0 && at < len(d.lines) && by > 0; at += step {
		if d.lines[at].What != "" {
			d.cursor = at
			by--
		}
	}
	if by > 0 && step < 0 {
		// Show the lines above the first selectable line, too.
		d.scroll = 0
	}
}

// Leap is the same as Move.
func (d *document) Leap(by int) { d.Move(by) }

// Screenful returns the steps of a page and of half a page.
func (d *document) Screenful() (whole, half int) {
	page := max(d.height-1, 1)
	return page, max(page/2, 1)
}

// Click moves the cursor to line y of the last frame if that line is selectable.
func (d *document) Click(y int) {
	if line := d.scroll + y; line >= 0 && line < len(d.lines) && d.lines[line].What != "" {
		d.cursor = line
	}
}

// CursorLine returns the line of the cursor in the last frame.
func (d *document) CursorLine() int { return max(d.cursor-d.scroll, 0) }

// Scroll scrolls without moving the cursor.
func (d *document) Scroll(lines int) { d.scroll = max(d.scroll+lines, 0) }

func (d *document) reveal(lines int) {
	d.scroll = max(d.scroll, min(d.cursor, d.cursor+lines-d.height+1))
}

// Jump moves to the next section, or for -1 to the previous one.
func (d *document) Jump(step int) {
	at := d.cursor
	for at > 0 && !d.lines[at].section {
		at--
	}
	for at += step; at > 0 && at < len(d.lines) && !d.lines[at].section; {
		at += step
	}
	if at >= len(d.lines) {
		return
	}
	d.cursor = max(at, 0)
	if _, ok := d.Marked(); !ok {
		d.Move(1)
	}
}

func (d *document) render(theme *style.Theme, height int, focused, stale bool) string {
	block := style.NewBlock(theme, d.width, height)
	if height > 1 && len(d.lines) > height {
		// The last line shows how many lines are hidden.
		height--
	}
	d.height = height
	d.scroll = max(min(d.scroll, len(d.lines)-height), 0)
	if focused {
		d.scroll = max(min(d.scroll, d.cursor), d.cursor-height+1, 0)
	}
	for i := d.scroll; i < min(d.scroll+height, len(d.lines)); i++ {
		state := style.Plain
		if focused && i == d.cursor {
			state = style.Selected
		}
		if stale {
			state |= style.Stale
		}
		d.lines[i].draw(block.Line(state))
	}
	block.Put(style.Muted, tab.Below(len(d.lines)-d.scroll-height))
	return block.String()
}
