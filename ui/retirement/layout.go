package retirement

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/retirement/importer"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type split struct {
	// left is the width of the ledger, top its height, and input how many of
	// its lines stand above the table. Details are beside the ledger or below
	// it; where they have the whole body, left is 0.
	left, top, input int
	// above is how many lines of the body stand above the details, width how
	// wide it is.
	above, width int
}

// roomy is the width from which the details stand beside the ledger, and the
// status may be long.
const roomy = 100

// draw draws the ledger and the details: side by side where there is room,
// one below the other otherwise. On a narrow terminal the pane that is walked
// gets the room.
func (t *Tab) draw(width, height int) (string, *tea.Cursor) {
	t.split = split{width: width}
	switch {
	case width >= roomy:
		return t.renderBeside(width, height)
	case t.focused:
		return t.renderDetails(width, height)
	}
	return t.renderBelow(width, height)
}

func (t *Tab) renderBeside(width, height int) (string, *tea.Cursor) {
	t.split.left, t.split.top, t.split.input = t.ledgerWidth(width), height, 5
	if height < 20 {
		t.split.input = 2
	}
	left, cursor := t.drawLedger(t.split.left, height)
	rule := style.NewBlock(t.view.Theme, 3, height)
	for range height {
		rule.Put(style.Border, " │ ")
	}
	return style.Beside(left, rule.String(), t.details.Draw(width-t.split.left-3, height, t.focused)), cursor
}

const (
	// widestLedger is the widest that the ledger is beside the details.
	widestLedger = 90
	// detailsFill is the width that the details have text for.
	detailsFill = 96
)

// ledgerWidth returns how wide the ledger is beside the details: where they
// leave room, as wide as its columns need.
func (t *Tab) ledgerWidth(width int) int {
	usual := min(max(width*2/5, 44), 62)
	room := min(width-3-detailsFill, widestLedger)
	if room <= usual {
		return usual
	}
	return max(usual, min(room, t.ledger.Natural()))
}

func (t *Tab) renderBelow(width, height int) (string, *tea.Cursor) {
	t.split.left, t.split.top, t.split.input = width, max(height*2/5, 5), 2
	t.split.above = t.split.top + 1
	upper, cursor := t.drawLedger(width, t.split.top)
	rule := style.NewBlock(t.view.Theme, width, 1)
	rule.Line(style.Plain).Repeat(style.Border, "─", width)
	return style.Stack(upper, rule.String(), t.details.Draw(width, height-t.split.top-1, t.focused)), cursor
}

func (t *Tab) renderDetails(width, height int) (string, *tea.Cursor) {
	t.split.above = 1
	block := style.NewBlock(t.view.Theme, width, 1)
	var cursor *tea.Cursor
	if searching(&t.details.Search) {
		cursor = drawSearch(block, &t.details.Search)
	} else if r, ok := t.ledger.Selected(); ok {
		line := block.Line(style.Plain)
		line.Put(style.Key, " Esc ")
		line.Put(style.Muted, "ledger   ")
		line.Put(style.Name, style.ClipMiddle(r.ID, line.Room()/2))
		line.Gap(2)
		line.Put(style.Muted, r.Called())
	}
	return style.Stack(block.String(), t.details.Draw(width, height-1, t.focused)), cursor
}

func (t *Tab) drawLedger(width, height int) (string, *tea.Cursor) {
	above := min(t.split.input, height)
	// What stands above the table tells of columns that it had no room for.
	below := style.NewBlock(t.view.Theme, width, height-above)
	notice := t.notice(width, height)
	t.ledger.Draw(below, below.Room()-len(notice), !t.focused)
	below.Blank(below.Room() - len(notice))
	for _, line := range notice {
		below.Put(style.Warning, " "+line)
	}
	block := style.NewBlock(t.view.Theme, width, above)
	cursor := t.drawInput(block)
	return style.Stack(block.String(), below.String()), cursor
}

func (t *Tab) notice(width, height int) []string {
	var lines []string
	if t.memory.problem != "" {
		lines = style.Wrap("⚠ "+t.memory.problem, width-2)
	}
	if left := t.left.lines; len(left) > 0 && !t.left.shown {
		lines = append(lines, style.Clip("⚠ "+importer.LeftOut(left)+" W lists it", width-2))
	}
	if len(lines) > height/3 {
		return nil
	}
	return lines
}

func (t *Tab) drawInput(block *style.Block) *tea.Cursor {
	tall := t.split.input > 2
	if tall {
		block.Put(style.Heading, " LOOK UP")
	}
	cursor := t.drawLine(block)
	if tall {
		block.Blank(1)
		line := block.Line(style.Plain)
		line.Put(style.Heading, " LEDGER")
		line.Gap(2)
		if order := t.ledger.Order(); order != "" {
			line.Put(style.Muted, order)
			line.Gap(2)
		}
		line.Put(style.Faint, t.ledger.Counts())
		if cursor != nil {
			cursor.Y++
		}
	}
	return cursor
}

func (t *Tab) drawLine(block *style.Block) *tea.Cursor {
	switch {
	case searching(&t.details.Search):
		cursor := drawSearch(block, &t.details.Search)
		block.Put(style.Faint, "   searches the serial numbers: a text, a number, a range; Esc clears")
		return cursor
	case searching(&t.ledger.Search):
		cursor := drawSearch(block, &t.ledger.Search)
		block.Put(style.Faint, "   searches the ledger: id, name, serial; Esc clears")
		return cursor
	}
	line := block.Line(style.Plain)
	line.Put(style.Accent, " ❯ ")
	if !searching(&t.importer.Line) {
		line.Put(style.Faint, "press + to look up an id, or paste")
		hint := "   one or many; I reads a file"
		if t.view.Shared {
			hint = "   one or many"
		}
		if order := t.ledger.Order(); order != "" && t.split.input <= 2 {
			hint = "   sorted " + order
		}
		block.Put(style.Faint, hint)
		return nil
	}
	cursor := t.importer.Line.Draw(line, 0)
	block.Put(style.Faint, "   an id, or several; ↵ looks up, Esc leaves")
	return cursor
}

func drawSearch(block *style.Block, typed *tab.Entry) *tea.Cursor {
	line := block.Line(style.Plain)
	line.Put(style.Key, " / ")
	return typed.Draw(line, 0)
}
