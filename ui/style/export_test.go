package style

// Reset starts an empty line of the given width. A reused Line does not allocate.
func (l *Line) Reset(theme *Theme, width int, state RowState) {
	l.buf = l.buf[:0]
	l.begin(theme, width, state)
}

// String returns the line, padded to its width. The line must not be used afterwards.
func (l *Line) String() string {
	l.finish()
	return string(l.buf)
}
