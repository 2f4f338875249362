package style

// Reset starts an empty line of the given width. A Line that is reused does not
// allocate.
func (l *Line) Reset(theme *Theme, width int, state RowState) {
	l.buf = l.buf[:0]
	l.begin(theme, width, state)
}

// String ends the line and returns it, exactly as wide as it was started. The
// line takes no more after it.
func (l *Line) String() string {
	l.finish()
	return string(l.buf)
}
