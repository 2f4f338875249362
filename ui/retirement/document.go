package retirement

import (
	"tonne/ui/paint"
)

// document is the details of a request as lines that can be walked and
// copied. Lines are drawn only when they are on the screen: a request may
// have ten thousand serial numbers.
type document struct {
	lines  []docLine
	cursor int
	scroll int
	// height is that of the last frame.
	height int
}

// docLine is one line of the details.
type docLine struct {
	draw func(l *paint.Line)
	// copy is what y puts on the clipboard, what names it; a line without is
	// passed over by the cursor.
	copy, what string
}

func (d *document) add(draw func(l *paint.Line)) { d.lines = append(d.lines, docLine{draw: draw}) }

func (d *document) thing(copy, what string, draw func(l *paint.Line)) {
	d.lines = append(d.lines, docLine{draw, copy, what})
}

func (d *document) blank() { d.add(func(*paint.Line) {}) }

func (d *document) text(role paint.Role, s string) {
	d.add(func(l *paint.Line) { l.Put(role, s) })
}

// heading starts a section with an empty line above it.
func (d *document) heading(title, note string) {
	d.blank()
	d.add(func(l *paint.Line) {
		l.Put(paint.Heading, title)
		l.Gap(2)
		l.Put(paint.Faint, note)
	})
}

// keepPlace moves to where the cursor stood in the document before it.
func (d *document) keepPlace(was *document) {
	d.cursor, d.scroll = was.cursor, was.scroll
	d.cursor = max(min(d.cursor, len(d.lines)-1), 0)
	if len(d.lines) > 0 && d.lines[d.cursor].what == "" {
		d.move(1)
	}
}

// move walks by a number of things.
func (d *document) move(by int) {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for at := d.cursor + step; at >= 0 && at < len(d.lines) && by > 0; at += step {
		if d.lines[at].what != "" {
			d.cursor = at
			by--
		}
	}
}

// current returns the line of the cursor.
func (d *document) current() (docLine, bool) {
	if d.cursor >= len(d.lines) || d.lines[d.cursor].what == "" {
		return docLine{}, false
	}
	return d.lines[d.cursor], true
}

// scrollBy scrolls the lines under the cursor.
func (d *document) scrollBy(lines int) { d.scroll = max(d.scroll+lines, 0) }

// page is how many things a page key passes.
func (d *document) page() int { return max(d.height-1, 1) }

// render draws the lines around the cursor; without the focus, from the top.
func (d *document) render(theme *paint.Theme, width, height int, focused, stale bool) string {
	block := paint.NewBlock(theme, width, height)
	d.height = height
	d.scroll = max(min(d.scroll, len(d.lines)-height), 0)
	if focused {
		d.scroll = max(min(d.scroll, d.cursor), d.cursor-height+1, 0)
	}
	for i := d.scroll; i < min(d.scroll+height, len(d.lines)); i++ {
		look := paint.Plain
		if focused && i == d.cursor {
			look = paint.Selected
		}
		if stale {
			look |= paint.Stale
		}
		d.lines[i].draw(block.Line(look))
	}
	return block.String()
}
