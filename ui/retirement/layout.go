package retirement

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// split is how the body was divided in the last frame.
type split struct {
	// left is the width of the ledger, top its height, and input how many of
	// its lines stand above the table. Details are beside the ledger or below
	// it; where they have the whole body, left is 0.
	left, top, input int
	// details is the width of the details, above how many lines of the body
	// stand above them.
	details, above int
}

// draw draws the ledger and the details: side by side where there is room,
// one below the other otherwise. On a narrow terminal the pane that is walked
// gets the room.
func (t *Tab) draw(width, height int) (string, *tea.Cursor) {
	t.width = width
	switch {
	case width >= roomy:
		return t.renderBeside(width, height)
	case t.focused:
		return t.renderDetails(width, height)
	}
	return t.renderBelow(width, height)
}

func (t *Tab) renderBeside(width, height int) (string, *tea.Cursor) {
	t.split = split{left: t.ledgerWidth(width), top: height, input: 5, details: t.split.details}
	if height < 20 {
		t.split.input = 2
	}
	left, cursor := t.drawLedger(t.split.left, height)
	rule := style.NewBlock(t.view.Theme, 3, height)
	for range height {
		rule.Put(style.Border, " │ ")
	}
	return style.Beside(left, rule.String(), t.drawDetails(width-t.split.left-3, height)), cursor
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
	return max(usual, min(room, t.needs()))
}

// needs returns the width in which nothing in the ledger is cut.
func (t *Tab) needs() int {
	columns := t.table.Columns()
	columns = slices.DeleteFunc(columns, func(c table.Column[*entry]) bool { return c.Hidden })
	if t.needed.columns != len(columns) {
		t.needed = need{columns: len(columns), width: t.table.Natural()}
	}
	return t.needed.width
}

// need is the width that the ledger needs with a number of columns. The zero
// value is for none: it is to be worked out.
type need struct{ columns, width int }

func (t *Tab) renderBelow(width, height int) (string, *tea.Cursor) {
	t.split = split{left: width, top: max(height*2/5, 5), input: 2, details: t.split.details}
	t.split.above = t.split.top + 1
	upper, cursor := t.drawLedger(width, t.split.top)
	rule := style.NewBlock(t.view.Theme, width, 1)
	rule.Line(style.Plain).Repeat(style.Border, "─", width)
	return style.Stack(upper, rule.String(), t.drawDetails(width, height-t.split.top-1)), cursor
}

// renderDetails gives the details the whole body.
func (t *Tab) renderDetails(width, height int) (string, *tea.Cursor) {
	t.split = split{details: t.split.details, above: 1}
	block := style.NewBlock(t.view.Theme, width, 1)
	var cursor *tea.Cursor
	if t.search.details && t.search.shown() {
		cursor = t.drawSearch(block)
	} else if e, ok := t.selected(); ok {
		line := block.Line(style.Plain)
		line.Put(style.Key, " Esc ")
		line.Put(style.Muted, "ledger   ")
		line.Put(style.Name, e.id)
		line.Gap(2)
		line.Put(style.Muted, e.label)
	}
	return style.Stack(block.String(), t.drawDetails(width, height-1)), cursor
}

// drawDetails draws the details, made for the width.
func (t *Tab) drawDetails(width, height int) string {
	if id, _ := t.table.CurrentKey(); width != t.split.details || id != t.shown {
		t.split.details = width
		t.refresh()
	}
	t.detail.Layout(t.view, t.focused, width, height, func(width, height int) string {
		e, _ := t.selected()
		return t.doc.render(t.view.Theme, width, height, t.focused, stale(e))
	})
	return t.detail.Text()
}

// stale reports whether the details are older than they should be.
func stale(e *entry) bool { return e != nil && e.answer != nil && e.err != nil }

// drawLedger draws the input line, the requests, and why nothing is kept.
func (t *Tab) drawLedger(width, height int) (string, *tea.Cursor) {
	above := min(t.split.input, height)
	// What stands above the table tells of columns that it had no room for.
	below := style.NewBlock(t.view.Theme, width, height-above)
	notice := t.notice(width, height)
	if t.ledger.len() == 0 {
		below.Put(style.Muted, " The ledger is empty.")
	} else {
		t.table.Render(below, below.Room()-len(notice), table.Frame[string]{Focused: !t.focused})
	}
	below.Blank(below.Room() - len(notice))
	for _, line := range notice {
		below.Put(style.Warning, " "+line)
	}
	block := style.NewBlock(t.view.Theme, width, above)
	cursor := t.drawInput(block)
	return style.Stack(block.String(), below.String()), cursor
}

// order says what the ledger is sorted by where that column is not on the
// screen, which would have an arrow.
func (t *Tab) order() string {
	key, descending := t.table.Sorting()
	if t.table.OnScreen(key) {
		return ""
	}
	for _, c := range t.table.Columns() {
		switch {
		case c.Key != key:
		case descending:
			return "by " + c.Title + " ▼"
		default:
			return "by " + c.Title + " ▲"
		}
	}
	return ""
}

// notice says why nothing is kept, where there is room for it.
func (t *Tab) notice(width, height int) []string {
	if t.problem == "" {
		return nil
	}
	lines := style.Wrap("⚠ "+t.problem, width-2)
	if len(lines) > height/3 {
		return nil
	}
	return lines
}

// drawInput draws the line that takes ids, or the one that searches.
func (t *Tab) drawInput(block *style.Block) *tea.Cursor {
	tall := t.split.input > 2
	if tall {
		block.Put(style.Heading, " LOOK UP")
	}
	cursor := t.drawEntry(block)
	if tall {
		block.Blank(1)
		line := block.Line(style.Plain)
		line.Put(style.Heading, " LEDGER")
		line.Gap(2)
		if order := t.order(); order != "" {
			line.Put(style.Muted, order)
			line.Gap(2)
		}
		line.Put(style.Faint, t.counts())
		if cursor != nil {
			cursor.Y++
		}
	}
	return cursor
}

func (t *Tab) drawEntry(block *style.Block) *tea.Cursor {
	if t.search.shown() {
		what := "the ledger: id, label, state, project"
		if t.search.details {
			what = "the serial numbers"
		}
		cursor := t.drawSearch(block)
		block.Put(style.Faint, "   searches "+what+"; Esc clears")
		return cursor
	}
	line := block.Line(style.Plain)
	line.Put(style.Accent, " ❯ ")
	if !t.input.Focused() && t.input.Value() == "" {
		line.Put(style.Faint, "press a to look up an id, or paste")
		hint := "   one or many; I reads a file"
		if order := t.order(); order != "" && t.split.input <= 2 {
			hint = "   sorted " + order
		}
		block.Put(style.Faint, hint)
		return nil
	}
	cursor := t.input.Draw(line, 0)
	block.Put(style.Faint, "   an id, or several; ↵ looks up, Esc leaves")
	return cursor
}

func (t *Tab) drawSearch(block *style.Block) *tea.Cursor {
	line := block.Line(style.Plain)
	line.Put(style.Key, " / ")
	return t.search.entry.Draw(line, 0)
}

// counts says how many requests there are and how many are followed.
func (t *Tab) counts() string {
	n, _ := t.followed()
	text := tab.Count(t.ledger.len(), "request", "requests")
	if shown := t.table.Len(); shown != t.ledger.len() {
		text = fmt.Sprintf("%s of %s", tab.Number(int64(shown)), text)
	}
	if n > 0 {
		text += fmt.Sprintf(", %s followed", tab.Number(int64(n)))
	}
	return text
}
