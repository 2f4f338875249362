package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/effect"
	"tonne/ui/suspend"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func pasted(text string) func(*robot) {
	return func(r *robot) { r.send(tea.PasteMsg{Content: text}) }
}

func resized(width, height int) func(*robot) {
	return func(r *robot) { r.send(tea.WindowSizeMsg{Width: width, Height: height}) }
}

func clicked(x, y int) func(*robot) {
	return func(r *robot) { r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
}

func waits(d time.Duration) func(*robot) { return func(r *robot) { r.later(d) } }

func hears(events ...session.Event) func(*robot) {
	return func(r *robot) { r.hear(events...) }
}

// status sends the first market with a status.
func status(s session.Status) func(*robot) {
	return hears(session.MarketEvent{Status: s, Generation: 1, Market: uitest.Market(0)})
}

// requested checks that the feed was called.
func requested(wanted ...string) func(*robot) {
	return func(r *robot) {
		r.T.Helper()
		for _, want := range wanted {
			if !slices.Contains(r.feed.Asked, want) {
				r.T.Errorf("%q was not called: %q", want, r.feed.Asked)
			}
		}
	}
}

// oneDeep is a market of one vintage with large orders.
func oneDeep() session.MarketEvent {
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage("004bale2019", 2019)
	for i := range 4 {
		part.AddOrder(fmt.Sprintf("6f1c0b5e-9a7d-4b1e-8f3a-00000000000%d", i), model.Grams(200_000+i*100_000)*model.GramsPerTonne, model.PriceCents(620+i))
	}
	return session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: market.New(&part)}
}

// longName gives the first project a long name.
func longName() session.ProjectsEvent {
	projects := uitest.Projects()
	bale := projects["003bale"]
	bale.Name = strings.Repeat("Bale Mountains ", 10)
	projects["003bale"] = bale
	return session.ProjectsEvent{Projects: projects}
}

// journeys begin on the Market tab at 120×36.
var journeys = uitest.Journeys[*robot]{
	"tabs are reached by number, Tab and mouse": {
		{Keys: "2", Sees: "Reading the inventory"},
		{Keys: "3", Sees: "REQUEST"},
		{Keys: "1", Sees: "BEST ASK"},
		{Keys: "tab", Sees: "Reading the inventory"},
		{Do: func(r *robot) {
			clicked(strings.Index(strings.ReplaceAll(r.Text(), "◆", "x"), "Retirements"), 0)(r)
		}, Sees: "REQUEST"},
	},
	"a message disappears with its tab": {
		{Keys: "s", Sees: "Sorted by PROJECT"},
		{Keys: "2", Lacks: "Sorted by PROJECT"},
	},
	"messages disappear when they are no longer true": {
		{Keys: "s", Sees: "Sorted by PROJECT, Z to A"},
		{Do: clicked(56, 2), Lacks: "Z to A"},
		{Keys: "F", Sees: "You watch nothing yet."},
		{Do: func(r *robot) {
			r.hear(session.WatchlistEvent{Watchlist: session.Watchlist{Watched: map[model.VintageKey]bool{uitest.Key("003bale", 0): true}}})
		}, Lacks: "You watch nothing yet."},
	},
	"help and palette find keys": {
		{Keys: "?", Sees: "Keys|filter the vintages|Market"},
		{Keys: "q u o t e", Sees: "quote the cost of N tonnes", Lacks: "filter the vintages"},
		{Keys: "esc", Sees: "Keys ·|filter the vintages"},
		{Keys: "esc", Lacks: "Keys ·"},
		{Keys: "? ?", Lacks: "Keys ·"},
		{Keys: ": g r a m s enter", Sees: "4,650,500,000 g"},
	},
	"help shows what Enter does now":        {{Keys: "enter ?", Sees: "back to the table", Lacks: "order book of the vintage"}},
	"the palette shows what Enter does now": {{Keys: "enter :", Sees: "back to the table", Lacks: "order book of the vintage"}},
	"headings name the unit": {
		{Sees: " TONNES|CUM. TONNES"},
		{Keys: "u", Sees: " GRAMS|CUM. GRAMS|400,000,000 g", Lacks: "TONNES"},
		{Do: (*robot).showInventory, Sees: " GRAMS", Lacks: "TONNES"},
		{Keys: "u", Sees: " TONNES"},
		{Keys: "1", Sees: " TONNES|CUM. TONNES", Lacks: "GRAMS"},
	},
	"the last value of a prompt is kept":                 {{Keys: "b 5 0 0 enter b enter", Sees: "Buy 500 t"}},
	"the last value of a prompt is typed over":           {{Keys: "b 5 0 0 enter b 2 0 enter", Sees: "Buy 20 t"}},
	"the last value of a prompt is typed over once":      {{Keys: "b 5 0 0 enter b 2 backspace 7 5 enter", Sees: "Buy 75 t"}},
	"the last value of a prompt is edited at its end":    {{Keys: "b 5 0 0 enter b backspace enter", Sees: "Buy 50 t"}},
	"the last value of a prompt is edited in the middle": {{Keys: "b 5 0 0 enter b left 1 enter", Sees: "Buy 5,010 t"}},
	"a paste replaces the last value of a prompt": {
		{Keys: "b 5 0 0 enter b"}, {Do: pasted("40")}, {Keys: "enter", Sees: "Buy 40 t"},
	},
	"a rejected prompt changes nothing": {
		{Keys: "b a b c enter", Sees: "Enter a quantity in tonnes|SELL ORDER|unchanged since", Lacks: "Buy 0 t"},
		{Keys: "esc b 7 enter b x enter esc", Sees: "Buy 7 t"},
	},
	"the error of a prompt is not cut": {
		{Do: resized(80, 24)},
		{Keys: "a c h e a p enter", Sees: `"cheap" is no rule|"price < 5"|"500 tonnes"`},
	},
	"keys that retire explain how to enable retiring": {
		{Keys: "R", Sees: tab.RetiringIsOff},
		{Do: (*robot).showInventory},
		{Keys: "R", Sees: tab.RetiringIsOff},
		{Keys: "U", Sees: tab.RetiringIsOff},
		{Keys: "1 b 5 enter enter b", Sees: "Quote · Bale Mountains · 2019|to buy: 500"},
	},
	"a cut pane shows how much is hidden": {
		{Keys: "i", Lacks: "more below"},
		{Do: resized(80, 15), Sees: "more below"},
		{Keys: "enter G", Lacks: "more below"},
		{Keys: "q", Do: func(r *robot) { r.showRetirements(); resized(120, 24)(r) }, Sees: "more below"},
		{Keys: "enter G", Lacks: "more below"},
		{Keys: "?", Do: resized(60, 15), Sees: "more below"},
	},
	"a long name leaves room for the number of hidden lines": {
		{Size: [2]int{60, 15}, Do: hears(longName())},
		{Keys: "i", Sees: "more below ─"},
	},
	// On wide terminals the depth bars are longer, but never at the cost of this column.
	"long depth bars keep the sell orders": {
		{Size: [2]int{200, 60}, Do: hears(oneDeep()), Sees: "DEPTH|SELL ORDER"},
		{Size: [2]int{240, 60}, Sees: "DEPTH|SELL ORDER"},
	},
	"a refresh ends the wait that the service asked for": {
		{Do: status(session.Status{State: session.Stale, At: uitest.Now, Err: errors.New("too many requests"), RetryAt: uitest.Now.Add(42 * time.Minute), Asked: true})},
		{Sees: "too many requests · retry in 42m|Bale Mountains"},
		{Keys: "r", Do: requested("refresh"), Lacks: "asked to wait"},
	},
	"keys and the focus of the terminal control the feed": {
		{Keys: "r space space 2 1", Do: requested("refresh", "pause true", "pause false", "hide inventory")},
		{Do: func(r *robot) { r.send(tea.BlurMsg{}); r.send(tea.FocusMsg{}) }},
		{Do: requested("focus false", "focus true")},
	},
	"ids are typed or pasted": {
		{Keys: "3 + 0 0 m x enter", Do: pasted("00mpasted1\n00mpasted2\n")},
		{Do: requested("add 00mx", "add 00mpasted1", "add 00mpasted2")},
	},
	"an idle dashboard has no timer": {
		{Do: status(session.Status{State: session.Paused, At: uitest.Now})},
		{Do: waits(time.Hour)},
		{Do: func(r *robot) {
			if !r.app.clock.IsZero() {
				r.T.Errorf("a tick is due at %v", r.app.clock)
			}
		}},
	},
	"a failed feed ends the dashboard": {
		{Do: func(r *robot) {
			broken := errors.New("a fault in the feed")
			r.send(feedEvents{err: broken})
			if !r.quit || !errors.Is(r.app.quit, broken) {
				r.T.Errorf("quit %v, %v", r.quit, r.app.quit)
			}
		}},
	},
	"a failure to restore the terminal ends the dashboard": {
		{Do: func(r *robot) {
			r.send(suspend.Back{})
			gone := errors.New("no terminal")
			if r.send(suspend.Back{Stayed: true, Err: gone}); !r.quit || !errors.Is(r.app.quit, gone) {
				r.T.Errorf("quit %v, %v", r.quit, r.app.quit)
			}
		}},
	},
	// The command of a key has not run yet when the next key arrives.
	"keys after a key that opens a dialog go to the dialog": {
		{Do: func(r *robot) {
			for _, stroke := range strings.Split("b|r|e|t|i|r|e|space|0|.|5|enter", "|") {
				_, _ = r.app.Update(uitest.Stroke(stroke))
			}
			if slices.Contains(r.feed.Asked, "refresh") {
				r.T.Error("a letter typed into the prompt refreshed the feed")
			}
		}, Sees: "Retire 0.500000 t"},
	},
	"an address is shown if no browser opens it": {
		{Do: func(r *robot) {
			r.app.o.Safe = func(string) (string, error) { return "registry.example", nil }
			r.app.o.Browse = func(context.Context, string) error { return errors.New("exit status 3") }
			r.send(result{value: effect.Open{URL: "https://registry.example/p/1340"}})
		}, Sees: "No browser opened https://registry.example/p/1340", Lacks: "exit status"},
	},
	// Copying twice in a row copies the whole table.
	"the message quotes the copied text": {
		{Keys: "y", Sees: "Copied the vintage's id: 004bale0.", Copied: "004bale0"},
		{Keys: ": c e l l enter", Sees: "Copied the cell: Bale Mountains."},
		{Keys: "? c e l l", Lacks: "copy the marked cell"},
		{Keys: "esc esc Y", Sees: "Copied the row: Bale Mountains REDD+"},
		{Keys: "Y", Sees: "Copied the whole table, 15 vintages.", Do: func(r *robot) {
			_, text := r.Last()
			if !strings.HasPrefix(text, "PROJECT\tTYPE\tCC\tVINTAGE\tBEST ASK\t") || strings.Count(text, "\n") != 16 || !strings.Contains(text, "\nHumboldt Sawmill\tBiochar\tUS\t2024\t148.00\t") {
				r.T.Errorf("copied table: %q", text)
			}
		}},
		{Keys: "Y", Sees: "Copied the row"},
		{Keys: "j Y", Sees: "Copied the row: Bale Mountains REDD+"},
		{Keys: "/ w i n d enter Y Y", Sees: "Copied the whole table, 3 vintages."},
		{Keys: "3 Y Y", Sees: "Copied the whole table, 2 requests."},
	},
	"a local dashboard has no participants": {
		{Keys: "@", Lacks: "at the desk", Do: func(r *robot) {
			if r.app.dialog.shown() {
				r.T.Error("the list of participants opens")
			}
		}},
	},
	"a refused key names its source": {
		{Do: func(r *robot) { r.app.o.KeyFrom = "TONNE_API_KEY" }},
		{Do: status(session.Status{State: session.Refused, Err: errors.New("key not accepted")}), Sees: "✗ key not accepted · r retries · key from TONNE_API_KEY"},
		{Size: [2]int{80, 24}, Sees: "✗ key not accepted · r retries · key from TONNE_API_KEY"},
	},
	"the name of the service does not move": {
		{Size: [2]int{80, 24}, Do: func(r *robot) {
			r.app.o.Host, r.app.o.Label = "demo", "synthetic data"
			status(uitest.Live())(r)
			before := r.Line("synthetic data · demo")
			status(session.Status{State: session.Paused, At: r.now})(r)
			if now := r.Line("synthetic data · demo"); !strings.HasPrefix(now, before[:30]) {
				r.T.Errorf("before %q, now %q", before, now)
			}
		}},
	},
	"a view is named in a dialog": {
		{Do: commands("view save")},
		{Keys: "d e l e t e enter", Sees: "The name of a view cannot begin with save or delete"},
		{Keys: "d enter", Sees: "Saved the view deleted."},
		{Do: commands("view delete deleted")},
		{Do: commands("view deleted"), Sees: "No view is saved at this address."},
	},
	"a failure to save a view is shown": {
		{Do: commands("view save mine")},
		{
			Do:   hears(session.StoreEvent{Failed: []session.WriteError{{Subject: session.ChoiceWrites, Err: errors.New("the disk is full")}}}),
			Sees: "Could not save your choice: the disk is full.",
		},
		// The session then sends what is stored.
		{Do: hears(session.ChoicesEvent{Choices: map[string]string{}})},
		{Do: commands("view mine"), Sees: "No view is saved at this address."},
	},
	// Another version may have columns and filters that this one lacks.
	"a view of another version is restored in part": {
		{Keys: "/ w i n d enter"},
		{Do: hears(session.ChoicesEvent{Choices: map[string]string{"view.market.next": `{"columns":"best_bid,vintage_year,asks","sort":"best_bid","filter":"bid<7"}`}})},
		{Do: commands("view next"), Sees: " VINTAGE    ASKS|/ bid<7|⚠ |did you mean| 2025 |Restored the view next.", Lacks: "PROJECT|LAST PAID"},
	},
	"the column chooser marks columns without room": {
		{Do: func(r *robot) { resized(80, 24)(r); r.showInventory() }},
		{Keys: "C", Do: func(r *robot) {
			for title, want := range map[string]string{"✓ PROJECT ": "The project", "✓ TODAY ": "The change", "✓ BEST ASK ": "no room · The cheapest", "✓ WALLET ": "no room · The type"} {
				if line := r.Line(title); !strings.Contains(line, want) {
					r.T.Errorf("%s: line %q, want %q", title, line, want)
				}
			}
		}},
		{Keys: strings.Repeat("down ", 12) + "x", Lacks: "✓ TO REPLACE", Do: func(r *robot) {
			if line := r.Line("✓ BEST ASK "); strings.Contains(line, "no room") {
				r.T.Errorf("without TO REPLACE: %q", line)
			}
		}},
	},
}

func TestJourneys(t *testing.T) {
	t.Parallel()
	journeys.Each(t, ready)
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
