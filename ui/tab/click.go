package tab

import (
	"tonne/ui/effect"
	"tonne/ui/table"
)

// ClickTable takes a click on a cell of a table: on a row it moves the cursor
// there and reports true, on a heading it sorts by its column.
func ClickTable[K comparable, R any](t *table.Table[K, R], x, y int) (selected bool, sorting effect.Effect) {
	if position, ok := t.HitRow(y); ok {
		t.MoveTo(position)
		return true, nil
	}
	if key, ok := t.HitColumn(x); ok && y == 0 {
		t.SelectColumn(key)
		t.ToggleSort(key)
		return false, Work(t)
	}
	return false, nil
}
