package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// step is an action of the user and its effect on the screen.
type step struct {
	// keys are names separated by blanks, or any other action is done.
	keys string
	do   func(r *robot)
	// sees and lacks are texts separated by "|".
	sees, lacks string
}

func pasted(text string) func(*robot) {
	return func(r *robot) { r.send(tea.PasteMsg{Content: text}) }
}

func resized(width, height int) func(*robot) {
	return func(r *robot) { r.send(tea.WindowSizeMsg{Width: width, Height: height}) }
}

func clicked(x, y int) func(*robot) {
	return func(r *robot) { r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
}

// journeys begin on the Market tab at 120×36.
var journeys = map[string][]step{
	"tabs are reached by number, Tab and mouse": {
		{keys: "2", sees: "Reading the inventory"},
		{keys: "3", sees: "REQUEST"},
		{keys: "1", sees: "BEST ASK"},
		{keys: "tab", sees: "Reading the inventory"},
		{do: func(r *robot) {
			clicked(strings.Index(strings.ReplaceAll(r.Text(), "◆", "x"), "Retirements"), 0)(r)
		}, sees: "REQUEST"},
	},
	"a message disappears with its tab": {
		{keys: "s", sees: "Sorted by PROJECT"},
		{keys: "2", lacks: "Sorted by PROJECT"},
	},
	"messages disappear when they are no longer true": {
		{keys: "s", sees: "Sorted by PROJECT, Z to A"},
		{do: clicked(56, 2), lacks: "Z to A"},
		{keys: "F", sees: "You watch nothing yet."},
		{do: func(r *robot) {
			r.hear(session.WatchlistEvent{Watchlist: session.Watchlist{Watched: map[model.VintageKey]bool{uitest.Key("003bale", 0): true}}})
		}, lacks: "You watch nothing yet."},
	},
	"help and palette find keys": {
		{keys: "?", sees: "Keys|filter the vintages|Market"},
		{keys: "q u o t e", sees: "quote the cost of N tonnes", lacks: "filter the vintages"},
		{keys: "esc", sees: "Keys ·|filter the vintages"},
		{keys: "esc", lacks: "Keys ·"},
		{keys: "? ?", lacks: "Keys ·"},
		{keys: ": g r a m s enter", sees: "4,650,500,000 g"},
	},
	"help shows what Enter does now":        {{keys: "enter ?", sees: "back to the table", lacks: "order book of the vintage"}},
	"the palette shows what Enter does now": {{keys: "enter :", sees: "back to the table", lacks: "order book of the vintage"}},
	"headings name the unit": {
		{sees: " TONNES|CUM. TONNES"},
		{keys: "u", sees: " GRAMS|CUM. GRAMS|400,000,000 g", lacks: "TONNES"},
		{do: (*robot).showInventory, sees: " GRAMS", lacks: "TONNES"},
		{keys: "u", sees: " TONNES"},
		{keys: "1", sees: " TONNES|CUM. TONNES", lacks: "GRAMS"},
	},
	"the last value of a prompt is kept":                 {{keys: "b 5 0 0 enter b enter", sees: "Buy 500 t"}},
	"the last value of a prompt is typed over":           {{keys: "b 5 0 0 enter b 2 0 enter", sees: "Buy 20 t"}},
	"the last value of a prompt is typed over once":      {{keys: "b 5 0 0 enter b 2 backspace 7 5 enter", sees: "Buy 75 t"}},
	"the last value of a prompt is edited at its end":    {{keys: "b 5 0 0 enter b backspace enter", sees: "Buy 50 t"}},
	"the last value of a prompt is edited in the middle": {{keys: "b 5 0 0 enter b left 1 enter", sees: "Buy 5,010 t"}},
	"a paste replaces the last value of a prompt": {
		{keys: "b 5 0 0 enter b"}, {do: pasted("40")}, {keys: "enter", sees: "Buy 40 t"},
	},
	"a rejected prompt changes nothing": {
		{keys: "b a b c enter", sees: "Enter a quantity in tonnes|SELL ORDER|unchanged since", lacks: "Buy 0 t"},
		{keys: "esc b 7 enter b x enter esc", sees: "Buy 7 t"},
	},
	"the error of a prompt is not cut": {
		{do: resized(80, 24)},
		{keys: "a c h e a p enter", sees: `"cheap" is no rule|"price < 5"|"500 tonnes"`},
	},
	"keys that retire explain how to enable retiring": {
		{keys: "R", sees: tab.RetiringIsOff},
		{do: (*robot).showInventory},
		{keys: "R", sees: tab.RetiringIsOff},
		{keys: "U", sees: tab.RetiringIsOff},
		{keys: "1 b 5 enter enter b", sees: "to buy: 500"},
	},
	"a cut pane shows how much is hidden": {
		{keys: "i", lacks: "more below"},
		{do: resized(80, 15), sees: "more below"},
		{keys: "enter G", lacks: "more below"},
		{keys: "q", do: func(r *robot) { r.showRetirements(); resized(120, 24)(r) }, sees: "more below"},
		{keys: "enter G", lacks: "more below"},
		{keys: "?", do: resized(60, 15), sees: "more below"},
	},
	"the column chooser marks columns without room": {
		{do: func(r *robot) { resized(80, 24)(r); r.showInventory() }},
		{keys: "C", do: func(r *robot) {
			for title, want := range map[string]string{"✓ PROJECT ": "The project", "✓ TODAY ": "The change", "✓ BEST ASK ": "no room · The cheapest", "✓ WALLET ": "no room · The type"} {
				if line := r.Line(title); !strings.Contains(line, want) {
					r.T.Errorf("%s: line %q, want %q", title, line, want)
				}
			}
		}},
		{keys: strings.Repeat("down ", 12) + "x", lacks: "✓ TO REPLACE", do: func(r *robot) {
			if line := r.Line("✓ BEST ASK "); strings.Contains(line, "no room") {
				r.T.Errorf("without TO REPLACE: %q", line)
			}
		}},
	},
}

func TestJourneys(t *testing.T) {
	t.Parallel()
	for name, steps := range journeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ready(t)
			for _, s := range steps {
				r.press(strings.Fields(s.keys)...)
				if s.do != nil {
					s.do(r)
				}
				if s.sees != "" {
					r.Sees(strings.Split(s.sees, "|")...)
				}
				if s.lacks != "" {
					r.SeesNot(strings.Split(s.lacks, "|")...)
				}
				if t.Failed() {
					t.Fatalf("after %q", s.keys)
				}
			}
		})
	}
}

func TestTooSmallTerminalShowsBothSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{59, 40, "Terminal too small: 59×40, need at least 60×15"},
		{100, 14, "Terminal too small: 100×14, need at least 60×15"},
		{50, 100, "Terminal too small: 50×100, need at least 60×15"},
		{42, 20, "too small: 42×20, need 60×15"},
		{28, 20, "too small: 28×20, need 60×15"},
		{27, 20, "27×20 < 60×15"},
		{13, 20, "13×20 < 60×15"},
		{20, 3, "20×3 < 60×15"},
		{1, 1, ""},
	} {
		r := settled(t, c.width, c.height)
		uitest.Exact(t, r.frame(), c.width, c.height)
		r.Sees(c.want)
	}
}
