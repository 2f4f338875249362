package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Info is what stands around the tab. It has no badge: the market always moves.
func (t *Tab) Info() tab.Info {
	return tab.Info{Title: "Market", Status: t.status(), Health: t.view.Market.Status, Typing: t.filter.Focused(), Close: t.closing()}
}

// Layout draws the tab anew.
func (t *Tab) Layout(width, height int) {
	t.frame, t.cursor = t.draw(width, height)
	t.askNames()
}

// Render returns what was drawn.
func (t *Tab) Render() (string, *tea.Cursor) { return t.frame, t.cursor }

// Input filters the table, and takes the mouse.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tab.Click:
		return t.click(msg.X, msg.Y)
	case tab.Wheel:
		t.wheel(msg.Y, msg.Lines)
		return nil
	}
	return t.filter.Input(msg)
}

// Handle takes news.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case feed.Event:
		return t.receive(msg)
	case tab.Started:
		t.session.Record()
	case tab.Hidden:
		t.filter.Blur()
		t.named = nil
	case tab.UnitChanged:
		t.remeasure()
	default:
		return t.result(msg)
	}
	return nil
}
