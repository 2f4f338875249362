package retirement

import (
	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Info is what stands around the tab.
func (t *Tab) Info() tab.Info {
	info := tab.Info{Title: "Retirements", Badge: t.Badge(), Status: t.Status(), Health: t.Health(), Typing: t.Typing(), Close: t.closing()}
	if _, ok := t.ledger.Selected(); ok {
		info.Of = "request"
	}
	return info
}

// Layout draws the tab anew.
func (t *Tab) Layout(width, height int) {
	if t.frame, t.cursor = t.draw(width, height); t.cursor == nil {
		t.cursor = t.rowCursor()
	}
}

func (t *Tab) rowCursor() *tea.Cursor {
	s := t.split
	if !t.focused {
		if y, ok := t.ledger.CursorLine(); ok && s.input+y < s.top {
			return tab.RowCursor(0, s.input+y)
		}
		return nil
	}
	x := 0
	if s.left > 0 && s.above == 0 {
		x = s.left + 3
	}
	return tab.RowCursor(x, s.above+t.details.CursorLine())
}

// Render returns what was drawn.
func (t *Tab) Render() (string, *tea.Cursor) { return t.frame, t.cursor }

// Input takes ids and searches, and the mouse.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tab.Click:
		return t.Click(msg.X, msg.Y)
	case tab.Wheel:
		return t.Wheel(msg.X, msg.Y, msg.Lines)
	case tea.PasteMsg:
		if !t.Typing() {
			return t.Paste(msg.Content)
		}
	}
	return t.Type(msg)
}

// Handle takes news.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case session.Event:
		return t.Receive(msg)
	case tab.Started:
		return t.Start()
	case tab.Shown:
		return t.Enter()
	case tab.Hidden:
		t.Leave()
	case tab.UnitChanged:
		t.Remeasure()
	default:
		return t.result(msg)
	}
	return nil
}
