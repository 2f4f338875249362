package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Info is what stands around the tab. Its badge counts the rules that fired and
// that nobody has looked at.
func (t *Tab) Info() tab.Info {
	return tab.Info{
		Title: "Market", Badge: t.alerts.badge(), Status: t.status(), Health: t.view.Market.Status, Typing: t.filter.Focused(), Close: t.closing(),
	}
}

// Input filters the table, and takes the mouse.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tab.Click:
		return t.click(msg.X, msg.Y)
	case tab.Wheel:
		t.wheel(msg)
		return nil
	}
	return t.filter.Input(msg)
}

// Handle takes news.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case session.Event:
		return effect.Batch(t.receive(msg), t.reckon())
	case tab.Started:
		t.session.Record()
	case tab.Shown:
		t.shown = true
	case tab.Hidden:
		t.shown = false
		t.filter.Blur()
		t.named = nil
	case tab.UnitChanged:
		t.remeasure()
	default:
		return effect.Batch(t.result(msg), t.reckon())
	}
	return nil
}
