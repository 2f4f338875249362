package market

// remeasure lets the columns take their headings and widths anew: quantities are
// written in another unit.
func (t *Tab) remeasure() {
	t.table.Remeasure()
	t.pane.book.retitle()
	t.pane.changes.table.Remeasure()
}
