package retirement

// Remeasure writes the details and lets the columns take their widths anew:
// quantities are written in another unit.
func (t *Tab) Remeasure() {
	t.table.Remeasure()
	t.needed, t.reading = need{}, reading{}
	t.refresh()
}
