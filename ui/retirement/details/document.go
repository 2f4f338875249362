package details

import (
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// document is the details of a request as lines that can be walked and
// copied. Lines are drawn only when they are on the screen: a request may
// have ten thousand serial numbers.
type document struct {
	// width is that of the pane: what is wider is wrapped or cut.
	width  int
	lines  []docLine
	cursor int
	scroll int
	// height is that of the last frame.
	height int
}

type docLine struct {
	draw func(l *style.Line)
	// copy is what y puts on the clipboard, what names it; a line without is
	// passed over by the cursor.
	copy, what string
	// unfolds names the rest that ↵ shows or hides; empty where there is none.
	unfolds string
	// section marks a heading.
	section bool
	// page is the public page that the line is about, serial its serial number,
	// and proposal what it proposes; each is empty for none.
	page, serial string
	proposal     model.BuyerFact
}

func (d *document) add(draw func(l *style.Line)) { d.lines = append(d.lines, docLine{draw: draw}) }

func (d *document) thing(copy, what string, draw func(l *style.Line)) {
	d.lines = append(d.lines, docLine{draw: draw, copy: copy, what: what})
}

func (d *document) last() *docLine { return &d.lines[len(d.lines)-1] }

func (d *document) fold(name string) { d.last().unfolds = name }

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

// heading starts a section with an empty line above it.
func (d *document) heading(title, note string) {
	d.blank()
	d.lines = append(d.lines, docLine{section: true, draw: func(l *style.Line) {
		l.Put(style.Heading, title)
		l.Gap(2)
		l.Put(style.Faint, note)
	}})
}

func (d *document) keepPlace(was *document) {
	d.cursor, d.scroll, d.height = was.cursor, was.scroll, was.height
	d.cursor = max(min(d.cursor, len(d.lines)-1), 0)
	if len(d.lines) > 0 && d.lines[d.cursor].what == "" {
		d.move(1)
	}
	if len(d.lines) > 0 && d.lines[d.cursor].what == "" {
		d.move(-1)
	}
}

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
	if by > 0 && step < 0 {
		// What stands above the first thing is worth reading too.
		d.scroll = 0
	}
}

func (d *document) moveTo(line int) {
	if line >= 0 && line < len(d.lines) && d.lines[line].what != "" {
		d.cursor = line
	}
}

// reveal scrolls so that lines below the cursor are in sight, as far as there
// is room.
func (d *document) reveal(lines int) {
	d.scroll = max(d.scroll, min(d.cursor, d.cursor+lines-d.height+1))
}

func (d *document) jump(step int) {
	at := d.section(d.cursor)
	for at += step; at > 0 && at < len(d.lines) && !d.lines[at].section; {
		at += step
	}
	at = max(at, 0)
	if at >= len(d.lines) {
		return
	}
	d.cursor = at
	if d.lines[d.cursor].what == "" {
		d.move(1)
	}
}

func (d *document) section(at int) int {
	for at > 0 && !d.lines[at].section {
		at--
	}
	return at
}

func (d *document) current() (docLine, bool) {
	if d.cursor >= len(d.lines) || d.lines[d.cursor].what == "" {
		return docLine{}, false
	}
	return d.lines[d.cursor], true
}

func (d *document) scrollBy(lines int) { d.scroll = max(d.scroll+lines, 0) }

func (d *document) page() int { return max(d.height-1, 1) }

func (d *document) render(theme *style.Theme, width, height int, focused, stale bool) string {
	block := style.NewBlock(theme, width, height)
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
