package table

type viewport[K comparable] struct {
	// cursor is the position of the current row, and top the position of the first row on the screen.
	cursor, top int
	// total is the number of rows, and rows the number that fits on the screen.
	total, rows int
	// align reports that the next screen starts at a page boundary.
	align, moved bool
	// home is the position of the cursor before a filter hid its row, until the cursor moves.
	home *anchor[K]
}

// Move moves the cursor down by n rows, or up if n is negative.
func (t *viewport[K]) Move(n int) { t.MoveTo(t.cursor + n) }

// MoveTo moves the cursor to a position, from 0, or to the nearest row.
func (t *viewport[K]) MoveTo(position int) { t.moveTo(position, t.top) }

func (t *viewport[K]) moveTo(position, top int) {
	t.moved = true
	if t.total > 0 {
		t.home = nil
	}
	position = max(0, min(position, t.total-1))
	t.goTo(position, position-top)
}

func (t *viewport[K]) goTo(position, offset int) {
	t.cursor, t.top = position, position-offset
	t.follow()
}

func (t *viewport[K]) follow() {
	t.top = max(t.top, t.cursor-max(t.rows, 1)+1)
	t.top = max(0, min(t.top, t.cursor, t.total-max(t.rows, 1)))
}

// Top moves to the first row.
func (t *viewport[K]) Top() { t.MoveTo(0) }

// Screenful returns the rows of a page and of half a page, at least 1.
func (t *viewport[K]) Screenful() (whole, half int) {
	return max(t.rows, 1), max(t.rows/2, 1)
}

// Leap moves the cursor and the screen down by n rows.
func (t *viewport[K]) Leap(n int) {
	offset := t.cursor - t.top
	t.MoveTo(t.cursor + n)
	t.goTo(t.cursor, offset)
}

// Turn shows the next page with 1, and the previous page with -1. Pages start at multiples of the rows on the
// screen; the last page is full. The cursor keeps its line.
func (t *viewport[K]) Turn(by int) {
	rows := max(t.rows, 1)
	whole := t.top / rows
	if by < 0 {
		whole = (t.top + rows - 1) / rows
	}
	top := (whole + by) * rows
	t.moveTo(top+t.cursor-t.top, top)
}

// Align makes the next Layout start the screen at the page of the cursor.
func (t *viewport[K]) Align() { t.align = true }

// Scroll moves the screen by n rows, like a mouse wheel. The cursor stays on the screen.
func (t *viewport[K]) Scroll(n int) {
	top := max(0, min(t.top+n, t.total-t.rows))
	t.moveTo(max(top, min(t.cursor, top+max(t.rows, 1)-1)), top)
}

// Select moves the cursor to the row with the key, if it is shown.
func (t *Table[K, R]) Select(key K) bool {
	t.Finish()
	position, ok := t.shown.find(key, t.cursor)
	if ok {
		t.MoveTo(position)
	}
	return ok
}

// Sideways marks the column step columns to the right. The first column follows the last.
func (t *grid[R]) Sideways(step int) {
	if n := len(t.layout.columns); n > 0 {
		t.column = t.layout.columns[((t.layout.nearest(t.column)+step)%n+n)%n].column
	}
}

// Column returns the key of the current column.
func (t *grid[R]) Column() string {
	if len(t.columns) == 0 {
		return ""
	}
	return t.columns[t.currentColumn()].Key
}

// SelectColumn makes a column the current one.
func (t *grid[R]) SelectColumn(key string) {
	if i := t.index(key); i >= 0 {
		t.column = i
	}
}

func (t *grid[R]) currentColumn() int {
	if at := t.layout.nearest(t.column); at >= 0 {
		return t.layout.columns[at].column
	}
	return t.column
}

// CursorLine returns the line of the cursor in the last Layout, if it is visible.
func (t *Table[K, R]) CursorLine() (y int, ok bool) {
	y = 1 + t.cursor - t.top
	return y, t.Len() > 0 && y >= 1 && y <= t.layout.shown
}

// HitRow returns the position of the row that is y lines below the header.
func (t *viewport[K]) HitRow(y int) (position int, ok bool) {
	position = t.top + y - 1
	return position, y >= 1 && y <= t.rows && position < t.total
}

// HitColumn returns the key of the column at cell x.
func (t *grid[R]) HitColumn(x int) (key string, ok bool) {
	for _, p := range t.layout.columns {
		if x >= p.x-1 && x <= p.x+p.width {
			return t.columns[p.column].Key, true
		}
	}
	return "", false
}
