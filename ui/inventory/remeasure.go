package inventory

// Remeasure lets the columns take their headings and widths anew: quantities are
// written in another unit.
func (t *Tab) Remeasure() {
	t.table.Remeasure()
	t.trades.table.Retitle("tonnes", t.view.Unit())
}
