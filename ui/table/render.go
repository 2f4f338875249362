package table

import (
	"tonne/ui/style"
)

// Frame has the state for a rendering that is not in the table.
type Frame[K comparable] struct {
	// Focused reports that the table has the focus.
	Focused bool
	// Stale reports that the rows are too old.
	Stale bool
	// Flash, if not nil, reports whether a cell changed recently.
	Flash func(key K, column string) bool
	// Empty, if not nil, draws the area below the heading of a table without rows.
	Empty func(b *style.Block)
}

// Layout places the header, the rows around the cursor and a footer in width × height cells. footer writes the
// cells of the footer. If nil, there is none.
func (t *Table[K, R]) Layout(width, height int, footer func(c *style.Cell, column string)) {
	if t.layout.width != width {
		t.Remeasure()
		t.layout.width = width
	}
	t.layout.height, t.rows = max(height, 0), max(height-1, 0)
	if t.Len() == 0 {
		footer = nil
	}
	if footer != nil {
		t.rows = max(height-2, 0)
	}
	if height <= 0 {
		return
	}
	if t.align {
		t.top, t.align = t.cursor-t.cursor%max(t.rows, 1), false
	}
	t.follow()
	t.layout.shown = max(0, min(t.rows, t.Len()-t.top))
	t.layout.footer = footer != nil
	t.write(t.layout.shown, footer)
	place(&t.layout, t.columns)
}

// Draw adds the lines of the last Layout to the block, until the block is full.
func (t *Table[K, R]) Draw(b *style.Block, f Frame[K]) {
	height := min(t.layout.height, b.Room())
	if height <= 0 {
		return
	}
	end := b.Room() - height
	t.header(b.Line(style.Plain), f)
	shown := min(t.layout.shown, height-1, t.Len()-t.top)
	for i := range shown {
		t.row(b, i, f)
	}
	if t.layout.footer && b.Room() > end {
		t.footer(b.Line(style.Plain), t.cells[t.layout.shown])
	}
	if t.Len() == 0 && f.Empty != nil {
		inside := style.NewBlock(b.Theme(), b.Width(), b.Room()-end)
		f.Empty(inside)
		b.Append(inside.String())
	}
	b.Blank(b.Room() - end)
}

// Render calls Layout and Draw, for a table without a footer.
func (t *Table[K, R]) Render(b *style.Block, height int, f Frame[K]) {
	t.Layout(b.Width(), min(height, b.Room()), nil)
	t.Draw(b, f)
}

func (t *Table[K, R]) write(shown int, footer func(c *style.Cell, column string)) {
	for len(t.cells) <= shown {
		t.cells = append(t.cells, make([]style.Cell, len(t.columns)))
	}
	for c := range t.columns {
		t.measure(c, t.titleWidth(c))
	}
	t.read()
	for i := range shown {
		t.writeRow(t.cells[i], t.top+i, i > 0)
	}
	if footer == nil {
		return
	}
	for c := range t.columns {
		cell := &t.cells[shown][c]
		cell.Reset()
		footer(cell, t.columns[c].Key)
		// A left-aligned label may extend into the next column, so it does not widen its own.
		if t.columns[c].Align == style.Right {
			t.measure(c, cell.Width())
		}
	}
}

// readable is the number of rows that are measured at once, in less than a millisecond.
const readable = 500

// read measures all rows of new data, so that a filter or scrolling does not change the widths. Of more rows it
// leaves those that are not on the screen.
func (t *Table[K, R]) read() {
	if n := t.shown.source.Len(); t.layout.unread && n <= readable {
		units := t.units()
		for row := range n {
			for c := range t.columns {
				if column := &t.columns[c]; !column.Hidden {
					t.spare.Reset()
					column.draw(&t.spare, t.shown.source.At(row), units)
					t.measureCell(c, &t.spare)
				}
			}
		}
	}
	t.layout.unread = false
}

func (t *Table[K, R]) writeRow(cells []style.Cell, position int, below bool) {
	row := t.shown.source.At(t.shown.row(position))
	// The row of the cursor shows its group even if it is not the first row.
	again := below && position != t.cursor && t.group != nil && (t.want.column == nil || t.want.column.Grouped) &&
		t.group(row) == t.group(t.shown.source.At(t.shown.row(position-1)))
	units := t.units()
	for c := range t.columns {
		cell := &cells[c]
		cell.Reset()
		column := &t.columns[c]
		if column.Hidden {
			continue
		}
		column.draw(cell, row, units)
		if column.Marked && !t.want.filter.Empty() {
			for _, s := range t.want.filter.Spans(cell.Text()) {
				cell.Mark(s.From, s.To)
			}
		}
		t.measureCell(c, cell)
		if again && column.Grouped {
			cell.Reset()
		}
	}
}

func (t *grid[R]) measureCell(column int, cell *style.Cell) {
	t.measure(column, cell.Width())
	t.layout.filled[column] = t.layout.filled[column] || cell.Says()
}

func (t *grid[R]) measure(column, width int) {
	t.layout.measured[column] = max(t.layout.measured[column], width)
}

const ascending = " ▲"

func (t *Table[K, R]) arrow(column int) string {
	key, descending := t.Sorting()
	if key == "" || key != t.columns[column].Key {
		return ""
	}
	arrow := ascending
	if descending {
		arrow = " ▼"
	}
	if t.columns[column].Title == "" {
		return arrow[1:]
	}
	return arrow
}

func (t *Table[K, R]) titleWidth(column int) int {
	return style.Width(t.columns[column].Title) + style.Width(t.arrow(column))
}

func (t *Table[K, R]) header(l *style.Line, f Frame[K]) {
	current := t.currentColumn()
	for _, p := range t.layout.columns {
		c := &t.columns[p.column]
		l.GapTo(p.x)
		if c.Align == style.Right {
			l.Gap(p.width - t.titleWidth(p.column))
		}
		arrow := t.arrow(p.column)
		room := p.x + p.width - l.Used()
		l.Flash(f.Focused && p.column == current)
		l.Put(style.Heading, style.Clip(c.Title, room-style.Width(arrow)))
		l.Flash(false)
		l.Put(style.Heading, style.Clip(arrow, p.x+p.width-l.Used()))
	}
}

func (t *Table[K, R]) row(b *style.Block, i int, f Frame[K]) {
	state := style.Plain
	if f.Stale {
		state = style.Stale
	}
	mark, role := " ", style.Text
	if t.top+i == t.cursor {
		mark, role = "▎", style.Muted
		if f.Focused {
			state, role = state|style.Selected, style.Accent
		} else {
			state |= style.Resting
		}
	}
	l := b.Line(state)
	l.Put(role, mark)
	for _, p := range t.layout.columns {
		c, cell := &t.columns[p.column], &t.cells[i][p.column]
		l.GapTo(p.x)
		l.Flash(f.Flash != nil && f.Flash(t.shown.source.Key(t.shown.row(t.top+i)), c.Key))
		if c.Middle {
			cell.ClipMiddle(p.width)
		}
		l.PutCell(cell, p.width, c.Align)
	}
	l.Flash(false)
}

func (t *Table[K, R]) footer(l *style.Line, cells []style.Cell) {
	for at, p := range t.layout.columns {
		cell, column := &cells[p.column], &t.columns[p.column]
		if cell.Empty() {
			continue
		}
		end := p.x + p.width
		for _, next := range t.layout.columns[at+1:] {
			if !cells[next.column].Empty() {
				break
			}
			end = next.x + next.width
		}
		l.GapTo(p.x)
		if column.Align == style.Right {
			end = p.x + p.width
		}
		l.PutCell(cell, end-p.x, column.Align)
	}
}
