package retirement

import "tonne/ui/effect"

// Click selects a request or a line of the details, sorts, or begins to type.
func (t *Tab) Click(x, y int) effect.Effect {
	switch {
	case y >= t.split.top || x >= t.split.left:
		t.focused = true
		t.details.Click(y - t.split.above)
	case y < t.split.input:
		return t.startInput()
	case y == t.split.input:
		return t.ledger.ClickTitle(x)
	case t.ledger.ClickRow(y - t.split.input):
		t.leaveDetails()
		return t.moved()
	}
	return nil
}

// Wheel scrolls what is under the mouse.
func (t *Tab) Wheel(x, y, lines int) effect.Effect {
	if y < t.split.top && x < t.split.left {
		t.ledger.Scroll(lines)
		return t.thenRefresh(nil)
	}
	t.details.Scroll(lines)
	return nil
}
