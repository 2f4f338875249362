package table

import (
	"cmp"
	"slices"

	"tonne/ui/style"
)

// The cells between two columns, and before the first.
const (
	narrowGap = 2
	wideGap   = 4
	edge      = 1
)

// layout is where the columns stand. While the user scrolls, columns only
// become wider, so that nothing jumps.
type layout struct {
	width, height int
	// shown is how many rows are there, footer says that totals stand below them.
	shown  int
	footer bool
	// measured is the widest text of each column that was seen, and says whether
	// any of it says something.
	measured []int
	says     []bool
	most     []int
	gap      int
	columns  []columnLayout
	giving   []int
}

type columnLayout struct{ column, x, width int }

func (l *layout) reset(columns int) {
	if len(l.measured) != columns {
		l.measured, l.says, l.most = make([]int, columns), make([]bool, columns), make([]int, columns)
	}
	clear(l.measured)
	clear(l.says)
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

// place lays the columns out in the width. Columns fall away until the others
// fit.
func place[R any](l *layout, columns []Column[R]) {
	l.columns = l.columns[:0]
	for i := range columns {
		if !columns[i].Hidden {
			l.columns = append(l.columns, columnLayout{column: i})
		}
	}
	dropSpare(l, columns)
	var over int
	for {
		over = shrink(l, columns, func(i int) (least, ideal, most int) {
			c := &columns[i]
			if c.Spare && c.Min > 0 {
				return l.most[i], 0, l.most[i]
			}
			return c.Min, c.Ideal, c.Max
		})
		if over <= 0 {
			break
		}
		last := leastImportant(l.columns, columns, func(column int) bool { return l.shown > 0 && !l.says[column] })
		if last < 0 {
			break
		}
		l.columns = slices.Delete(l.columns, last, last+1)
	}
	for i := range l.columns {
		p := &l.columns[i]
		more := l.measured[p.column] - p.width
		if columns[p.column].Whole && more > 0 && more <= -over {
			p.width += more
			over += more
		}
	}
	l.spread(over)
	l.stand()
}

// dropSpare takes away the quiet columns that say nothing, and the spare ones for
// which others would be narrower than they like to be. Those that shrink get what is
// left.
func dropSpare[R any](l *layout, columns []Column[R]) {
	l.columns = slices.DeleteFunc(l.columns, func(p columnLayout) bool {
		c := &columns[p.column]
		return (c.Quiet || c.Spare) && !l.says[p.column]
	})
	liked := func(i int) (least, ideal, most int) {
		if c := &columns[i]; !c.Spare || c.Min == 0 {
			return max(l.measured[i], c.Ideal), c.Ideal, c.Max
		}
		return columns[i].Min, 0, columns[i].Min
	}
	over := shrink(l, columns, liked)
	for ; over > 0; over = shrink(l, columns, liked) {
		last := -1
		for at, p := range l.columns {
			if c := &columns[p.column]; c.Spare && (last < 0 || c.Priority >= columns[l.columns[last].column].Priority) {
				last = at
			}
		}
		if last < 0 {
			return
		}
		l.columns = slices.Delete(l.columns, last, last+1)
	}
	for _, p := range l.columns {
		if c := &columns[p.column]; c.Spare && c.Min > 0 {
			more := max(0, min(l.measured[p.column], cmp.Or(c.Max, l.measured[p.column]))-p.width)
			more = min(more, -over)
			l.most[p.column], over = p.width+more, over+more
		}
	}
}

func (l *layout) spread(over int) {
	l.gap = narrowGap
	if spaces := len(l.columns) - 1; over < 0 && spaces > 0 {
		l.gap = min(wideGap, narrowGap-over/spaces)
	}
}

// Natural returns the width in which nothing in the table is cut, whichever
// column it is sorted by. It looks at every row of the source.
func (t *Table[K, R]) Natural() int {
	all := edge - narrowGap
	for i := range t.columns {
		c := &t.columns[i]
		if c.Hidden {
			continue
		}
		widest := max(style.Width(c.Title+ascending), c.Ideal)
		for row := range t.want.len() {
			t.spare.Reset()
			c.Cell(&t.spare, t.want.source.At(row))
			widest = max(widest, t.spare.Width())
		}
		if c.Max > 0 {
			widest = min(widest, c.Max)
		}
		all += widest + narrowGap
	}
	return all
}

// Missing says why a column that is to be shown was not in the last rendering,
// in a few words, and is empty if it was.
func (t *grid[R]) Missing(key string) string {
	switch i := t.index(key); {
	case i < 0 || t.columns[i].Hidden || t.OnScreen(key):
		return ""
	case t.layout.shown > 0 && !t.layout.says[i]:
		return "nothing in it"
	}
	return "no room"
}

// OnScreen reports whether a column had room in the last rendering.
func (t *grid[R]) OnScreen(key string) bool {
	return slices.ContainsFunc(t.layout.columns, func(p columnLayout) bool { return t.columns[p.column].Key == key })
}

// leastImportant returns which of the columns is the first to fall away, and
// -1 if none may: one with nothing in it comes before all that say something.
func leastImportant[R any](shown []columnLayout, columns []Column[R], empty func(column int) bool) int {
	least, highest := -1, 1
	for at, p := range shown {
		priority := columns[p.column].Priority
		if priority > 0 && empty(p.column) {
			priority += allPriorities
		}
		if priority >= highest {
			least, highest = at, priority
		}
	}
	return least
}

const allPriorities = 1000

// stand puts the placed columns next to each other. Those that would begin
// beyond the edge are not placed.
func (l *layout) stand() {
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

// shrink gives each placed column its width and returns how many cells they are
// too wide, or with a minus, how many they leave: as wide as they like to be, or
// as their text, or down to their least, where those that would fall away first
// give way first.
func shrink[R any](l *layout, columns []Column[R], bounds func(column int) (least, ideal, most int)) (over int) {
	over = edge - l.width
	for i, p := range l.columns {
		_, ideal, most := bounds(p.column)
		width := max(l.measured[p.column], ideal)
		if most > 0 {
			width = min(width, most)
		}
		l.columns[i].width = width
		over += width
	}
	over += max(len(l.columns)-1, 0) * narrowGap
	give := func(p *columnLayout, least int) {
		n := max(0, min(over, p.width-least))
		p.width -= n
		over -= n
	}
	for i := range l.columns {
		p := &l.columns[i]
		least, _, _ := bounds(p.column)
		give(p, max(least, min(l.measured[p.column], p.width)))
	}
	if over <= 0 {
		return over
	}
	l.giving = l.giving[:0]
	for i := range l.columns {
		l.giving = append(l.giving, i)
	}
	slices.SortStableFunc(l.giving, func(a, b int) int {
		return cmp.Compare(columns[l.columns[b].column].Priority, columns[l.columns[a].column].Priority)
	})
	for _, i := range l.giving {
		p := &l.columns[i]
		if least, _, _ := bounds(p.column); least > 0 {
			give(p, least)
		}
	}
	return over
}
