package details

import (
	"cmp"

	"tonne/ui/style"
	"tonne/ui/tab"
)

// document is lines that can be walked and copied. They are drawn only when they
// are on the screen: a request may have ten thousand serial numbers.
type document struct {
	lines          []Line
	cursor, scroll int
	// width is that of the pane: what is wider is wrapped or cut. height is that of
	// the last frame.
	width, height int
}

// Line is a line of the details.
type Line struct {
	draw func(l *style.Line)
	// Copy is what y puts on the clipboard, What names it; the cursor passes over
	// a line without.
	Copy, What string
	// Unfolds names the rest that ↵ shows or hides; empty where there is none.
	Unfolds string
	section bool
	// Serial is the serial number that the line is about, empty for none.
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

// id cuts the middle of an id that is wider than the room behind its name.
func (d *document) id(id string) string { return style.ClipMiddle(id, d.width-nameWidth-1) }

// Marked returns the line of the cursor, if it can be copied.
func (d *document) Marked() (line Line, ok bool) {
	if d.cursor >= len(d.lines) || d.lines[d.cursor].What == "" {
		return Line{}, false
	}
	return d.lines[d.cursor], true
}

// Move walks by a number of things.
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
		// What stands above the first thing is worth reading too.
		d.scroll = 0
	}
}

// Leap is Move: the lines scroll as they have to.
func (d *document) Leap(by int) { d.Move(by) }

// Screenful is what is on the screen, but for a line.
func (d *document) Screenful() (whole, half int) {
	page := max(d.height-1, 1)
	return page, max(page/2, 1)
}

// Click walks to the thing in a line of the last frame, if there is one.
func (d *document) Click(y int) {
	if line := d.scroll + y; line >= 0 && line < len(d.lines) && d.lines[line].What != "" {
		d.cursor = line
	}
}

// CursorLine returns on which line of the last frame the cursor is.
func (d *document) CursorLine() int { return max(d.cursor-d.scroll, 0) }

// Scroll scrolls the lines under the cursor.
func (d *document) Scroll(lines int) { d.scroll = max(d.scroll+lines, 0) }

func (d *document) reveal(lines int) {
	d.scroll = max(d.scroll, min(d.cursor, d.cursor+lines-d.height+1))
}

// Jump walks to the next section, or for -1 to the one before.
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
		// The last line says how the details go on.
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
