package market

import (
	"cmp"
	"slices"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// Past shows recorded markets instead of this tab.
type Past interface {
	// Why returns why no recorded market can be shown, or "".
	Why() string
	// Ask prompts for a time. Hour moves by hours, and Change to the next or previous change of a vintage.
	Ask() effect.Effect
	Hour(by int) effect.Effect
	Change(of model.VintageKey, back bool) effect.Effect
	// Leave returns to the live market.
	Leave() effect.Effect
}

// recorded reports whether the tab shows a recorded market.
func (t *Tab) recorded() bool { return !t.view.Recorded.At.IsZero() }

// replay is the tab with the keys of recorded markets.
type replay struct{ *Tab }

// onlyLive are the bindings that watch the live market or change something.
var onlyLive = []string{"market.watch", "market.only", "market.rule", "market.rules", "market.remove", "market.retire",
	"market.changes"}

const isRecorded = "This is a recorded market. Esc returns to the live one."

// frozen disables the bindings that are only for the live market, if the tab shows a recorded one.
func (t replay) frozen(g keymap.Group) keymap.Group {
	if !t.recorded() {
		return g
	}
	for i := range g.Bindings {
		switch b := &g.Bindings[i]; {
		case slices.Contains(onlyLive, b.Name):
			b.Why = func() string { return isRecorded }
		case b.Name == "market.back":
			b.Help, b.Short, b.Do = "back to the live market", "live", t.Past.Leave
		}
	}
	return g
}

// keys are the keys of recorded markets.
func (t replay) keys() []keymap.Binding {
	change := func(back bool) func() effect.Effect {
		return func() effect.Effect {
			r, _ := t.list.table.Current()
			return t.Past.Change(r.key().Clone(), back)
		}
	}
	hour := func(by int) func() effect.Effect {
		return func() effect.Effect { return t.Past.Hour(by) }
	}
	why := func() string {
		if t.Past == nil {
			return "This session records no markets."
		}
		return t.Past.Why()
	}
	later := func() string {
		if why := why(); why != "" || t.recorded() {
			return why
		}
		return "This is the live market. < goes back an hour."
	}
	selected := func(why func() string) func() string {
		return func() string {
			if t.list.selected() {
				return why()
			}
			return cmp.Or(why(), noVintage)
		}
	}
	return []keymap.Binding{
		{Name: "market.at", Keys: []string{"A"}, Help: "show the recorded market of a time", Why: why,
			Do: func() effect.Effect { return t.Past.Ask() }},
		{Name: "market.earlier", Keys: []string{"<"}, Help: "show the market an hour earlier", Why: why, Do: hour(-1)},
		{Name: "market.later", Keys: []string{">"}, Help: "show the market an hour later", Why: later, Do: hour(1)},
		{Name: "market.lastchange", Keys: []string{"("}, Help: "show the market of the vintage's previous change",
			Why: selected(why), Do: change(true)},
		{Name: "market.nextchange", Keys: []string{")"}, Help: "show the market of the vintage's next change",
			Why: selected(later), Do: change(false)},
	}
}

// Follow arranges the list as another tab has it, and selects the same vintage.
func (t *Tab) Follow(other *Tab) effect.Effect {
	shown := t.RestoreView(other.SaveView())
	if r, ok := other.list.table.Current(); ok {
		t.list.table.Select(r.key())
		t.refresh()
	}
	return shown
}

// Select goes to a vintage, and shows all vintages if the filter hides it.
func (t *Tab) Select(key model.VintageKey) effect.Effect {
	if t.list.table.Select(key) {
		t.panes.close()
		t.refresh()
		return nil
	}
	shown := t.list.filter.Clear()
	t.list.table.Finish()
	return effect.Batch(shown, t.goTo(key))
}
