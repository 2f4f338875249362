package table

import (
	"cmp"
	"slices"

	"tonne/ui/style"
)

// The cells between two columns and before the first.
const (
	narrowGap = 2
	wideGap   = 4
	edge      = 1
)

// layout has the positions of the columns. During scrolling, columns only become wider, so that they do not jump.
type layout struct {
	width, height int
	// shown is the number of rows on the screen. footer reports that totals follow.
	shown  int
	footer bool
	// measured is the widest text of each column so far. filled reports whether a column has a text that is not empty.
	measured []int
	filled   []bool
	// unread reports that the rows that are not on the screen are not measured yet.
	unread  bool
	gap     int
	columns []columnLayout
}

type columnLayout struct{ column, x, width int }

func (l *layout) reset(columns int) {
	if len(l.measured) != columns {
		l.measured, l.filled = make([]int, columns), make([]bool, columns)
	}
	clear(l.measured)
	clear(l.filled)
	l.unread = true
}

func (l *layout) nearest(column int) int {
	at := min(0, len(l.columns)-1)
	for i, p := range l.columns {
		if p.column <= column {
			at = i
		}
	}
	return at
}

// place computes the columns for the width. It drops spare columns until the others have
// their ideal width, then shrinks columns and drops others.
func place[R any](l *layout, columns []Column[R]) {
	l.columns = l.columns[:0]
	for i := range columns {
		c := &columns[i]
		if !c.Hidden && (!c.Quiet && !c.Spare || l.filled[i]) {
			l.columns = append(l.columns, columnLayout{column: i})
		}
	}
	over := widen(l, columns)
	for over > 0 {
		last := leastImportant(l, columns, func(_ columnLayout, c *Column[R]) bool { return c.Spare })
		if last < 0 {
			break
		}
		l.columns = slices.Delete(l.columns, last, last+1)
		over = widen(l, columns)
	}
	for over = shrink(l, columns, over); over > 0; over = shrink(l, columns, widen(l, columns)) {
		last := leastImportant(l, columns, func(_ columnLayout, c *Column[R]) bool { return c.Priority > 0 })
		if last < 0 {
			break
		}
		l.columns = slices.Delete(l.columns, last, last+1)
	}
	l.position(fill(l, columns, over))
}

const allPriorities = 1000

// leastImportant returns the column to drop first, preferably an empty one, or -1.
func leastImportant[R any](l *layout, columns []Column[R], eligible func(p columnLayout, c *Column[R]) bool) int {
	least, highest := -1, -1
	for at, p := range l.columns {
		c := &columns[p.column]
		priority := c.Priority + c.demoted
		if priority > 0 && l.shown > 0 && !l.filled[p.column] {
			priority += allPriorities
		}
		if priority > highest && eligible(p, c) {
			least, highest = at, priority
		}
	}
	return least
}

func widen[R any](l *layout, columns []Column[R]) (over int) {
	over = edge - l.width + max(len(l.columns)-1, 0)*narrowGap
	for i := range l.columns {
		p := &l.columns[i]
		c := &columns[p.column]
		_, ideal, most := c.limits()
		if p.width = max(l.measured[p.column], ideal); most > 0 {
			p.width = min(p.width, most)
		}
		if c.Spare && c.Min > 0 && c.width == 0 {
			p.width = c.Min
		}
		over += p.width
	}
	return over
}

func shrink[R any](l *layout, columns []Column[R], over int) int {
	reduce := func(p *columnLayout, least int) {
		n := max(0, min(over, p.width-least))
		p.width -= n
		over -= n
	}
	for i := range l.columns {
		p := &l.columns[i]
		least, _, _ := columns[p.column].limits()
		reduce(p, max(least, min(l.measured[p.column], p.width)))
	}
	for over > 0 {
		last := leastImportant(l, columns, func(p columnLayout, c *Column[R]) bool {
			least, _, _ := c.limits()
			return least > 0 && p.width > least
		})
		if last < 0 {
			break
		}
		least, _, _ := columns[l.columns[last].column].limits()
		reduce(&l.columns[last], least)
	}
	return over
}

func fill[R any](l *layout, columns []Column[R], over int) int {
	for i := range l.columns {
		p := &l.columns[i]
		c, text := &columns[p.column], l.measured[p.column]
		more := 0
		if c.width > 0 {
			continue
		}
		if c.Spare && c.Min > 0 {
			more = max(0, min(text-p.width, cmp.Or(c.Max, text)-p.width, -over))
		}
		if c.Whole {
			more = max(more, min(text-p.width, -over))
		}
		p.width += more
		over += more
	}
	return over
}

func (l *layout) position(over int) {
	l.gap = narrowGap
	if spaces := len(l.columns) - 1; over < 0 && spaces > 0 {
		l.gap = min(wideGap, narrowGap-over/spaces)
	}
	x := edge
	for i := range l.columns {
		if i > 0 && x >= l.width {
			l.columns = l.columns[:i]
			return
		}
		l.columns[i].x = x
		x += l.columns[i].width + l.gap
	}
}

// Natural returns the width at which no text is cut. It reads every row.
func (t *Table[K, R]) Natural() int {
	all := edge - narrowGap
	for i := range t.columns {
		c := &t.columns[i]
		if c.Hidden {
			continue
		}
		widest := max(style.Width(c.Title+ascending), c.Ideal)
		for row := range t.want.source.Len() {
			t.spare.Reset()
			c.draw(&t.spare, t.want.source.At(row), t.units())
			widest = max(widest, t.spare.Width())
		}
		if c.Max > 0 {
			widest = min(widest, c.Max)
		}
		all += widest + narrowGap
	}
	return all
}

// Missing returns the reason why an enabled column was not in the last rendering, or "".
func (t *grid[R]) Missing(key string) string {
	switch i := t.index(key); {
	case i < 0 || t.columns[i].Hidden || t.OnScreen(key):
		return ""
	case t.layout.shown > 0 && !t.layout.filled[i]:
		return "empty"
	}
	return "no room"
}

// OnScreen reports whether a column had room in the last rendering.
func (t *grid[R]) OnScreen(key string) bool {
	return slices.ContainsFunc(t.layout.columns, func(p columnLayout) bool { return t.columns[p.column].Key == key })
}
