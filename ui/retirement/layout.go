package retirement

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/paint"
)

// inputLines is how many lines the input takes above the ledger.
const inputLines = 2

// split is how the body was divided in the last frame: the details stand
// beside the ledger, or below it where the terminal is narrow.
type split struct {
	beside bool
	// left is the width of the ledger, top its height.
	left, top int
}

// Render draws the ledger and the details.
func (t *Tab) Render(width, height int) (string, *tea.Cursor) {
	if width >= 100 {
		return t.renderBeside(width, height)
	}
	return t.renderBelow(width, height)
}

func (t *Tab) renderBeside(width, height int) (string, *tea.Cursor) {
	t.split = split{beside: true, left: min(max(width*2/5, 44), 62), top: height}
	left, cursor := t.drawLedger(t.split.left, height)
	rule := paint.NewBlock(t.view.Theme, 3, height)
	for range height {
		rule.Put(paint.Rule, " │ ")
	}
	return paint.Beside(left, rule.String(), t.drawDetails(width-t.split.left-3, height)), cursor
}

func (t *Tab) renderBelow(width, height int) (string, *tea.Cursor) {
	top := max(height*2/5, inputLines+3)
	if t.focused {
		top = inputLines + 2
	}
	t.split = split{left: width, top: top}
	upper, cursor := t.drawLedger(width, top)
	rule := paint.NewBlock(t.view.Theme, width, 1)
	rule.Line(paint.Plain).Repeat(paint.Rule, "─", width)
	return paint.Stack(upper, rule.String(), t.drawDetails(width, height-top-1)), cursor
}

// drawInput draws the line that takes ids, or the one that searches.
func (t *Tab) drawInput(block *paint.Block) *tea.Cursor {
	line := block.Line(paint.Plain)
	if t.search.entry.Focused() || t.search.entry.Value() != "" {
		line.Put(paint.Key, " / ")
		cursor := t.search.entry.Draw(line, 0)
		block.Put(paint.Faint, "   searches the ledger and the serial numbers; Esc clears")
		return cursor
	}
	line.Put(paint.Product, " ❯ ")
	if !t.input.Focused() && t.input.Value() == "" {
		line.Put(paint.Faint, "press a to look up an id, or paste some")
		block.Blank(1)
		return nil
	}
	cursor := t.input.Draw(line, 0)
	block.Put(paint.Faint, "   an id, or several; ↵ looks up, Esc leaves")
	return cursor
}

// Click selects a request, or gives the details the keys.
func (t *Tab) Click(x, y int) tea.Cmd {
	inLedger := y < t.split.top && x < t.split.left
	switch {
	case inLedger && y < inputLines:
		return t.startInput()
	case inLedger && y == inputLines:
		if key, ok := t.table.HitColumn(x); ok {
			t.table.ToggleSort(key)
		}
	case inLedger:
		if position, ok := t.table.HitRow(y - inputLines); ok {
			t.focused = false
			t.table.MoveTo(position)
			t.refresh()
		}
	default:
		t.focused = true
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
