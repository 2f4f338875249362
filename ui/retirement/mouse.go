package retirement

import (
	"tonne/ui/tab"

	"tonne/ui/effect"
)

// Click selects a request or a line of the details, sorts, or begins to type.
func (t *Tab) Click(x, y int) effect.Effect {
	switch {
	case y >= t.split.top || x >= t.split.left:
		t.focused = true
		t.doc.moveTo(t.doc.scroll + y - t.split.above)
	case y < t.split.input:
		return t.startInput()
	case y == t.split.input:
		if key, ok := t.table.HitColumn(x); ok {
			t.table.ToggleSort(key)
			return tab.Work(t.table)
		}
	default:
		if position, ok := t.table.HitRow(y - t.split.input); ok {
			t.focused = false
			t.table.MoveTo(position)
			t.refresh()
		}
	}
	return nil
}

// Wheel scrolls what is under the mouse.
func (t *Tab) Wheel(x, y, lines int) {
	if y < t.split.top && x < t.split.left {
		t.table.Scroll(lines)
		t.refresh()
		return
	}
	t.doc.scrollBy(lines)
}
