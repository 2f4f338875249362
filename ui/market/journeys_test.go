package market

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// on checks the selected vintage of the table.
func on(project string, n int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if key, _ := r.tab.list.table.CurrentKey(); key != uitest.Key(project, n) {
			r.T.Errorf("the cursor is on %v", key)
		}
	}
}

// inTable checks that the keys act on the table, on the vintage.
func inTable(project string, n int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if on(project, n)(r); r.tab.panes.focused {
			r.T.Error("the pane has the focus")
		}
	}
}

func atOrder(id string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := r.inBook(); got != id {
			r.T.Errorf("the book is at %q, want %q", got, id)
		}
	}
}

func notified(want ...string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if !slices.Equal(r.Notified, want) {
			r.T.Errorf("notified %q, want %q", r.Notified, want)
		}
	}
}

// rules checks the number of the rules in the store, and on the screen.
func rules(want int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		kept, err := r.session.store.Of(origin).Alerts.Rules(r.T.Context())
		if err != nil || len(kept) != want || len(r.tab.watch.Rules) != want {
			r.T.Errorf("%d rules are stored and %d shown, want %d (%v)", len(kept), len(r.tab.watch.Rules), want, err)
		}
	}
}

func hears(news ...session.Event) func(r *robot) { return func(r *robot) { r.Hear(news...) } }

func polls(shift model.PriceCents) func(r *robot) {
	return func(r *robot) { r.poll(uitest.Market(shift)) }
}

func later(d time.Duration, shift model.PriceCents) func(r *robot) {
	return func(r *robot) {
		r.later(d)
		r.poll(uitest.Market(shift))
	}
}

// stale sends the last market with another status.
func stale(s session.Status) func(r *robot) {
	return func(r *robot) { r.Hear(session.MarketEvent{Status: s, Market: r.market}) }
}

// sells sends a market of one vintage.
func sells(orders ...market.SellOrder) func(r *robot) {
	return func(r *robot) {
		var part market.Page
		part.AddProject("003bale")
		part.AddVintage(bale.VintageID, 2019)
		for _, o := range orders {
			part.AddOrder(o.ID, o.Quantity, o.Price)
		}
		r.later(time.Second)
		r.poll(market.New(&part))
	}
}

func sixtyOrders() (orders []market.SellOrder) {
	for n := range 60 {
		orders = append(orders, market.SellOrder{ID: fmt.Sprintf("o%02d", n), Quantity: model.GramsPerTonne, Price: model.PriceCents(600 + n)})
	}
	return orders
}

func labels(projects ...string) session.AnnotationsEvent {
	var facts []attribute.Fact
	for _, id := range projects {
		facts = append(facts, attribute.Fact{Scope: attribute.OfProject, ID: id, Attribute: attribute.CCP, Value: attribute.Labelled})
	}
	return session.AnnotationsEvent{Facts: attribute.NewFacts(facts)}
}

var journeys = uitest.Journeys[*robot]{
	// The table and its filter.
	"↵ keeps the filter and esc clears it": {
		{Keys: "/ w i n d", Sees: "3 of 15 vintages|Cabo Leones|Genneia Wind"},
		{Keys: "down", Do: on("003cabo", 1)},
		{Keys: "enter j", Sees: "3 of 15 vintages|Genneia Wind · 2019  order book"},
		{Keys: "/ esc", Lacks: "of 15 vintages", Do: on("003gene", 0)},
	},
	"a filter matches imported labels": {
		{Keys: "/", Typed: "label:ccp", Sees: "0 of 15 vintages · no attributes are known|No attributes are known, so nothing has a label.|Import them with `tonne attributes import FILE.csv`."},
		{Do: hears(labels("003cabo")), Sees: "2 of 15 vintages|Cabo Leones", Lacks: "attributes"},
		{Typed: " ask<1.2", Sees: "1 of 15 vintages"},
		{Keys: "enter B", Typed: "10"},
		{Keys: "enter", Sees: "10 t of 1 vintage (label:ccp ask<1.2)"},
	},
	"a filter without matches keeps the cursor": {
		{Keys: "j j j j j j /", Typed: "wzzz", Sees: "0 of 15 vintages"},
		{Do: polls(5)},
		{Keys: "enter esc", Do: on("003camb", 0), Sees: "Cambodia Improved Cookstove · 2020  order book"},
	},
	"the selected row names its project": {{Keys: "j", Line: "▎Bale Mountains|2020"}},
	"ids are hidden columns": {
		{Size: [2]int{200, 40}, Lacks: "VINTAGE ID|PROJECT ID"},
		{Do: func(r *robot) {
			r.tab.list.table.Show("vintageid", true)
			r.tab.list.table.Show("projectid", true)
		}, Sees: "VINTAGE ID|PROJECT ID|003bale|004bale0"},
	},
	"available counts whole tonnes only": {{Line: "▎Bale Mountains| 4,650 t ", Sees: "4,650.500000 t offered"}},

	// The panes.
	"keys act on the focused pane": {
		{Keys: "enter j j", Do: atOrder("006bale02")},
		{Keys: "y", Copied: "006bale02", Do: on("003bale", 0)},
		{Keys: "enter j", Do: inTable("003bale", 1)},
		{Keys: "enter l", Do: func(r *robot) {
			if text, column := r.tab.panes.cursorList().CopyCell(), r.tab.list.table.Column(); text != "400 t" || column != "project" {
				r.T.Errorf("the marked cell is %q, the marked column of the table %q", text, column)
			}
		}},
		{Keys: "s", Said: "Only the table of vintages can be sorted. Esc returns to it."},
	},
	"↵ on a change goes to its vintage": {
		{Do: polls(-5)},
		{Keys: "v enter j j", Do: on("003bale", 0)},
		{Keys: "enter", Do: inTable("003camb", 0), Sees: "Cambodia Improved Cookstove · 2020  order book"},
	},
	"↵ on a change of a hidden vintage gives the reason": {
		{Do: polls(-5)},
		{Keys: "/ h u m b enter v enter enter", Sees: "All vintages  changes", Said: "Bale Mountains 2019 is not in the table: it has no sell orders, is not loaded yet, or does not match the filter."},
	},
	"↵ leaves an empty list": {{Keys: "v enter enter", Do: inTable("003bale", 0)}, {Keys: "w enter enter", Do: inTable("003bale", 0)}},
	"moves before the start are changes": {
		{Do: hears(session.MissedMovesEvent{Since: uitest.Now.Add(-10 * time.Hour), At: uitest.Now, Moves: []session.MissedMove{
			{Was: best(0, 600, 5e6), Now: best(0, 620, 4_650e6)},
			{Was: best(1, model.UnknownPrice, 0), Now: best(1, 680, 4_650e6)},
			{Was: best(2, 700, 5e6), Now: best(2, model.UnknownPrice, 0)},
		}})},
		{
			Keys: "v", Lacks: "Nothing has changed",
			Sees: "1 Nov 2026 23:14 – 2 Nov 2026 09:14 UTC  ▲ dearer|5 t from $6.00|4,650 t from $6.20|best ask|+ new|− gone",
		},
	},
	"moves while the program was suspended have a period": {
		{Keys: "a", Reply: "price < 6"},
		{
			Do:   func(r *robot) { r.away(3 * time.Minute); r.poll(uitest.Market(-30)) },
			Sees: "moved 2 Nov 2026 09:14–09:17 UTC: $6.20 → $5.90",
		},
		{Do: notified("best ask < $6.00 fired: Bale Mountains 2019 · now $5.90 · some time 2 Nov 2026 09:14–09:17 UTC")},
		{Keys: "v", Sees: "TIME                        WHAT|2 Nov 2026 09:14–09:17 UTC  ▼ cheaper"},
		{Keys: "w", Sees: "●    2 Nov 2026 09:14–09:17 UTC    Bale Mountains"},
		{Keys: "esc v", Do: later(5*time.Second, -20), Sees: "2 Nov 2026 09:17 UTC        ▲ dearer|2 Nov 2026 09:14–09:17 UTC  ▼ cheaper"},
	},
	"a pane gets the lines that the table does not need": {
		{Do: func(r *robot) { r.poll(deep(9, 9)) }},
		{Keys: "/ d 0 0 1 enter", Size: [2]int{80, 20}, Sees: "$5.00|4 more asks up to $5.08|BEST ASK, 24 HOURS"},
		{Do: func(r *robot) {
			if got := r.lines(80, 20); got != 17 {
				r.T.Errorf("with a table of one row, the pane has %d of 20 lines", got)
			}
			// The mouse uses the new positions.
			r.tab.Input(tab.Click{X: 5, Y: 1 + 2 + 2 + 3})
			if atOrder("006d0013")(r); !r.tab.panes.focused {
				r.T.Error("the click does not focus the book")
			}
		}},
	},

	// The chart and the last move.
	"the last move follows the cursor": {
		{Do: later(time.Minute, 10), Sees: "moved 0s ago: $6.20 → $6.30"},
		{Keys: "j", Sees: "ask unchanged since 2 Nov 2026 09:14"},
		{Keys: "j j", Sees: "moved 0s ago: $19.80 → $19.90"},
	},
	"a move has its time instead of its age while polling is paused": {
		{Do: later(time.Minute, 10)},
		{Do: func(r *robot) { r.later(3 * time.Minute) }, Sees: "moved 3m ago"},
		{Do: func(r *robot) { r.View.Market.State = session.Paused }, Sees: "moved 2 Nov 2026 09:15 UTC: $6.20 → $6.30"},
	},
	"the chart has three periods": {
		{Do: func(r *robot) {
			for n := range 50 {
				later(26*time.Hour, model.PriceCents(-n))(r)
			}
		}},
		{Keys: "c", Sees: "best ask  24 hours|low $5.71 · high $5.72"},
		{Keys: "c", Sees: "low $5.71 · high $5.99"},
		{Keys: "c", Sees: "low $5.71 · high $6.20|Dec"},
		{Keys: "c esc", Sees: "order book"},
	},
	"the chart has gaps while not watching": {
		{Do: later(time.Hour, 10)},
		{Keys: "c", Lacks: "not watched|·····"},
		{
			Do:   func(r *robot) { r.away(time.Hour); r.poll(uitest.Market(20)) },
			Sees: "· not watched|··········|moved 2 Nov 2026 10:14–11:14 UTC: $6.30 → $6.40",
		},
	},
	"unreadable prices are not shown": {
		{Keys: "c", Lacks: "Loading the price history"},
		{Do: hears(session.PricesEvent{Err: errors.New("the disk is full")}), Sees: "Loading the price history"},
	},
	"trends are drawn from the event": {
		{Lacks: "▁▁▁▁▁▁▁▇"},
		{Do: hears(trend(620, 620, 620, 620, 620, 620, 620, 630)), Sees: "▁▁▁▁▁▁▁▇"},
		{Do: hears(trend(620, 620, 620, 620, 620, 620, 630)), Sees: "▁▁▁▁▁▁▇", Lacks: "▁▁▁▁▁▁▁▇"},
		{Do: hears(session.TrendsEvent{At: uitest.Now}), Lacks: "▇"},
	},
	// Without earlier observations, the first poll shows no trend and no move.
	"the moves of the day start at midnight": {
		{Sees: "Δ 0s", Lacks: "▄▄"},
		{Do: later(5*time.Minute, 20)},
		{Do: later(5*time.Minute, 20), Line: "▎Bale Mountains|▲ 0.20"},
		{Do: later(24*time.Hour, 15), Sees: "Δ 24h", Line: "▎Bale Mountains|▼ 0.05"},
	},
	"the moves of the day start from the last price before midnight": {
		{Do: later(14*time.Hour+30*time.Minute, 20)},
		{Do: later(time.Hour, 15), Sees: "Δ TODAY", Line: "▎Bale Mountains|▼ 0.05"},
	},

	// Quotes and plans. Users buy from the quote, so it names the vintage and our last paid price, and warns as
	// soon as its prices are old.
	"a quote follows the market and the cursor": {
		{Keys: "b", Reply: "500", Sees: "Bale Mountains · 2019  quote|costs         $3,131.00|average       $6.26 per tonne|▲ +5.2%|left in book  4,150 t"},
		{Do: polls(-20), Sees: "costs         $3,051.00|$6.00"},
		// From $6.868, not from the rounded average.
		{Keys: "j", Sees: "Bale Mountains · 2020  quote|costs         $3,434.00|▼ −3.3%"},
		{Keys: "b", Do: func(r *robot) {
			if r.Prompt.Value(0) != "500" {
				r.T.Errorf("the next prompt starts with %q", r.Prompt.Value(0))
			}
		}},
	},
	"a plan to retire uses the inventory first": {
		{
			Keys: "b", Reply: "retire 0.5", Lacks: "costs",
			Sees: "inventory     0.500000 t of the 0.999980 t we hold|buy           0 t|wallet after  0.499980 t",
		},
		{
			Keys: "b", Reply: "retire 2.5",
			Sees: "inventory     0.999980 t of the 0.999980 t we hold|buy           2 t|costs         $12.40|" +
				"remainder     0.499980 t of the purchase stays|wallet after  0.499980 t",
		},
	},
	"a quote beyond the depth shows the shortfall": {
		{Keys: "b", Reply: "5000", Sees: "✗ Short by 350 t: the order book has 4,650 t.|costs         $32,085.00|1 order under one tonne not shown"},
	},
	"a quote of an empty book": {
		{Do: sells(market.SellOrder{ID: "small", Quantity: 999_999, Price: 600})},
		{Keys: "b", Reply: "5", Sees: "✗ Short by 5 t: the order book has 0 t.|1 order under one tonne not shown", Lacks: "costs"},
	},
	"a quote of too large an amount": {
		{Do: sells(market.SellOrder{ID: "huge", Quantity: 1<<63 - 1, Price: 1<<63 - 1})},
		{Keys: "b", Reply: "9000000000000", Sees: "✗ The amount is too large to price."},
	},
	"a long quote scrolls": {
		{Do: sells(sixtyOrders()...)},
		{Keys: "b", Reply: "60", Sees: "o00"},
		{Keys: "enter G", Sees: "o59|costs"},
		{Keys: "g g", Sees: "o00"},
	},
	"a quote names the vintage and warns of old prices": {
		{
			Keys: "b", Reply: "500", Lacks: "These prices",
			Sees: "Buy 500 t of Bale Mountains · 2019, cheapest first|last paid     ★ $5.95 per tonne, 3 t on 1 Nov 2026 UTC",
		},
		{Do: func(r *robot) {
			r.Now = r.Now.Add(45 * time.Second)
			stale(session.Status{State: session.Stale, At: uitest.Now, Err: errors.New("connection refused")})(r)
		}, Sees: "⚠ These prices are 45s old: connection refused."},
		{Do: stale(session.Status{State: session.Paused, At: uitest.Now}), Sees: "⚠ Polling is paused: these prices are from 2 Nov 2026 09:14 UTC."},
		{Do: stale(uitest.Live()), Lacks: "⚠"},
		{Keys: "j j", Sees: "last paid     never bought by us"},
	},
	"a plan to retire needs prices of this run": {
		{Keys: "b", Reply: "retire 2.5", Sees: "remainder"},
		{Do: stale(earlier), Sees: "A plan to retire needs current prices|16h old", Lacks: "remainder|buy             2 t"},
		{Keys: "b", Reply: "2", Sees: "average|16h old"},
		{Do: func(r *robot) {
			stale(uitest.Live())(r)
			r.Hear(session.PortfolioEvent{Status: earlier, Balances: portfolio.Balances{bale: 5_000_000}})
		}},
		{Keys: "b", Reply: "retire 2.5", Sees: "⚠ Our inventory is not loaded yet: the plan counts none of it."},
		{
			Do:    hears(session.PortfolioEvent{Status: uitest.Live(), Balances: uitest.Inventory().Balances()}),
			Lacks: "Our inventory is not loaded yet", Sees: "inventory     0.999980 t",
		},
	},
	"Y copies the whole quote": {
		{Keys: "b", Reply: "500"},
		{Keys: "Y", Do: func(r *robot) {
			copied := uitest.LastOf(r.Copied)
			for _, want := range []string{
				"Bale Mountains · 2019 · 004bale0 · 2 Nov 2026 09:14 UTC\n", "Buy 500 t of Bale Mountains · 2019, cheapest first\n", "costs         $3,131.00\n", "006bale01\n",
			} {
				if !strings.Contains(copied, want) {
					r.T.Errorf("%q is not in %q", want, copied)
				}
			}
		}},
		{Keys: "esc Y", Do: func(r *robot) {
			if copied := uitest.LastOf(r.Copied); !strings.HasPrefix(copied, "Bale Mountains\tREDD+\tET\t2019") {
				r.T.Errorf("copied %q", copied)
			}
		}},
	},

	// The watch list and its rules.
	"watched vintages are marked": {{Lacks: "◆"}, {Keys: "f", Sees: "2019  ◆"}, {Keys: "f", Lacks: "◆"}},
	"watching again restores the rules": {
		{Keys: "a", Reply: "price < 5"},
		{Keys: "a", Reply: "drops 10% from 6.20", Do: rules(2)},
		{Keys: "f", Said: "Unwatched, 2 rules removed; f restores Bale Mountains 2019.", Do: rules(0)},
		{Keys: "j f k f", Said: "Watching Bale Mountains 2019 again, with 2 rules. w lists them.", Do: rules(2)},
		{Keys: "j f f", Said: "Watching Bale Mountains 2020. a adds a rule."},
	},
	"F hides other vintages": {
		{Keys: "F", Said: "You watch nothing yet. f watches the selected vintage."},
		{Keys: "j j f F", Sees: "Bale Mountains|watched only · 1 of 15 vintages", Lacks: "Cabo Leones"},
		{Do: polls(10), Lacks: "Cabo Leones"},
		{Keys: "esc", Sees: "Cabo Leones", Do: on("003bale", 2)},
	},
	"rules are listed and removed": {
		{Keys: "x", Said: "w opens the watch list; x removes a rule there."},
		{Keys: "w", Sees: "You watch nothing yet.|f watches the selected vintage"},
		{Keys: "j j j a", Reply: "5% under last paid", Sees: "≥ 5.0% under last paid|never bought"},
		{Keys: "g g enter enter", Sees: "BaumInvest Reforestation · 2018  order book", Do: inTable("003baum", 0)},
		{Keys: "w x", Sees: "no rule yet"},
		{Keys: "x", Sees: "You watch nothing yet.", Do: rules(0)},
	},
	"a rule that is already met notifies": {
		{Keys: "a", Reply: "available > 1000 t", Do: notified("Already met: available > 1,000 t · now 4,650.500000 t · Bale Mountains 2019 · rule added")},
	},
	"a rule is added once": {
		{Keys: "a", Reply: "price < 5", Said: "Rule added on Bale Mountains 2019: best ask < $5.00. w lists the rules."},
		{Keys: "a", Reply: "price < 5", Said: "The rule on Bale Mountains 2019 already exists: best ask < $5.00. w lists the rules."},
		{Keys: "a", Reply: "drops 10%"},
		{Keys: "a", Reply: "drops 10%", Said: "The rule on Bale Mountains 2019 already exists: drops 10.0%. w lists the rules.", Do: rules(2)},
	},
	"a rule that can never fire is rejected": {
		{Keys: "a", Reply: "price < 0", Problem: `"best ask < $0.00" never holds: no price is below $0.00`, Do: rules(0)},
	},
	"the cursor stays on a new rule after it starts": {
		{Keys: "a", Reply: "price < 1"},
		{Keys: "a", Reply: "drops 10%"},
		{Keys: "j a", Reply: "price < 1"},
		{Keys: "k a", Reply: "rises 20%"},
		{Do: func(r *robot) {
			list := r.tab.watch.Watchlist
			rise := list.Rules[len(list.Rules)-1]
			r.Hear(session.WatchlistEvent{Edits: r.tab.watch.edits, Watchlist: list.WithoutRule(rise).WithRule(rise.From(620))})
			if on, _ := r.tab.watch.list.table.Current(); on.Rule.String() != "rises 20.0% from $6.20" {
				r.T.Errorf("the cursor is on %q", on.Rule.Words())
			}
		}},
	},
	"a fired rule has a badge and a mark until it is seen": {
		{Keys: "a", Reply: "price < 6"},
		{Keys: "j", Do: badge("", 0)},
		{Do: later(3*time.Minute, -30), Line: "$5.90|●"},
		{Do: badge("•1", 0)},
		{Keys: "w", Sees: "Fired rules  history", Line: "best ask < $6.00|●|09:17 UTC|$5.90|$6.20", Do: badge("", 1)},
		{Keys: "w", Sees: "Watch list", Lacks: "●"},
		{Keys: "w w", Sees: "Fired rules", Lacks: "●"},
	},
	"a rule that fires while the history is open is seen": {
		{Do: (*robot).alert},
		{Keys: "esc esc k k a", Reply: "price > 6.50"},
		{Keys: "w", Do: later(time.Minute, 70), Sees: "best ask > $6.50"},
		{Do: badge("", 2)},
		{Do: func(r *robot) { r.tab.Handle(tab.Hidden{}) }},
		{Do: later(time.Minute, 0)},
		{Do: polls(70)},
		{Do: badge("•1", 2)},
	},
	"a lost store is reported": {
		{Do: hears(session.StoreEvent{Lost: errors.New("the local store was empty")}), Said: "The local store was empty."},
	},
	"an unwritable store is reported and explained": {
		{
			Do:   hears(session.StoreEvent{Problem: errors.New("nothing is saved: move it away")}),
			Said: "Prices and watched vintages are lost when you quit. Press c for the reason.",
		},
		{Do: later(time.Minute, 5), Sees: "moved 0s ago: $6.20 → $6.25|▁▁▁▁▁▁▁▇"},
		{Keys: "c", Sees: "⚠ nothing is saved: move it away"},
	},
	"a failed write of the watch list is reported, that of another tab is not": {
		{Do: hears(failed(session.WatchlistWrites)), Said: "Could not save the watch list: locked by another program."},
		{Do: hears(failed(session.LedgerWrites)), Said: "Could not save the watch list: locked by another program."},
	},
	"a watch list that was edited elsewhere is shown": {
		{Keys: "w", Lacks: "◆"},
		{Do: hears(session.WatchlistEvent{Watchlist: session.Watchlist{}.With(bale)}), Sees: "2019  ◆|no rule yet"},
	},
	"a watch list older than an edit is ignored": {
		{Keys: "f", Do: hears(session.WatchlistEvent{}), Sees: "◆"},
		{Do: hears(session.WatchlistEvent{Edits: 1}), Lacks: "◆"},
	},
	"an edit shows before the session confirms it": {
		{Do: func(r *robot) { r.Robot.Press("f") }, Sees: "2019  ◆"},
		{Do: func(r *robot) {
			r.Robot.Press("j", "a")
			r.Robot.Reply("best ask <= 1.00")
			r.Robot.Press("w")
		}, Sees: "Bale Mountains|no rule yet|best ask ≤ $1.00"},
		{Do: func(r *robot) { r.Robot.Press("k", "f") }, Lacks: "no rule yet"},
	},
	"rules on requests are listed and removed": {
		{Do: func(r *robot) {
			closed := alert.Rule{Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour}
			for _, a := range []alert.Rule{closed.OnRequest("00m1"), {Measure: alert.State}} {
				r.session.edit(r.session.list.WithRule(a), r.session.store.Of(origin).Alerts.AddRule(r.T.Context(), a))
			}
			r.listen()
		}},
		{Keys: "f w", Sees: "00m1|CLOSED for 14 days|all retirements|changes state"},
		{Keys: "enter G x", Lacks: "all retirements"},
		{Keys: "x", Lacks: "CLOSED for 14 days", Sees: "no rule yet", Do: rules(0)},
	},
	"the watch list shows when a rule on a request last fired": {
		{Do: func(r *robot) {
			closed := alert.Rule{Measure: alert.State, Status: retirement.Closed}
			for _, a := range []alert.Rule{closed.OnRequest("00m1"), closed.OnRequest("00m2"), closed} {
				r.session.edit(r.session.list.WithRule(a), nil)
			}
			r.session.put(nil, session.AlertsEvent{Alerts: []store.Alert{
				{Rule: closed.OnRequest("00m3"), ID: 2, At: r.Now, Seen: true},
				{Rule: closed.OnRequest("00m1"), ID: 1, At: r.Now.Add(-time.Hour), Since: r.Now.Add(-3 * time.Hour), Facts: alert.FactsOf(retirement.Closed), Seen: true},
			}})
			r.listen()
		}},
		{Keys: "w", Line: "00m1|2 Nov 2026 08:14 UTC|CLOSED, seen for 2h"},
		{Keys: "w", Line: "00m1|fired 1h ago"},
		{Line: "00m2|not yet"},
		{Line: "all retirements|fired 0s ago"},
	},

	// The desk view.
	"the desk view shows list, book and chart": {
		{Do: deskView, Sees: "Watch list  rules|best ask < $6.00  not yet|best ask < $7.00  ✓ fired 0s ago|Bale Mountains · 2020  order book|best ask  24 hours|All vintages  changes"},
		{Keys: "j", Sees: "Bale Mountains · 2021  order book"},
		{Keys: "c", Sees: "order book", Do: func(r *robot) {
			if r.tab.panes.chart.period != 1 {
				r.T.Error("c does not switch the period of the side chart")
			}
		}},
		{Keys: "D", Lacks: "Watch list", Do: func(r *robot) {
			if want := []string{"market.desk on", "market.desk off"}; !slices.Equal(r.session.chosen, want) {
				r.T.Errorf("stored choices %q, want %q", r.session.chosen, want)
			}
		}},
	},
	"the desk view opens the history even if it is empty": {{Size: [2]int{160, 41}, Keys: "D w", Sees: "No rule has fired yet."}},
	"the desk view is remembered and needs room": {
		{Size: [2]int{160, 41}, Do: hears(session.ChoicesEvent{Choices: map[string]string{"market.desk": "on"}}), Sees: "You watch nothing yet."},
		{Size: [2]int{159, 41}, Keys: "D", Lacks: "You watch nothing yet.", Said: "The desk view needs 160 columns; the terminal has 159."},
		{Size: [2]int{160, 17}, Keys: "D", Lacks: "You watch nothing yet.", Said: "The desk view needs 1 more lines."},
		{Size: [2]int{160, 41}, Sees: "You watch nothing yet."},
		{Keys: "D", Do: hears(session.ChoicesEvent{Choices: map[string]string{"market.desk": "on"}}), Lacks: "You watch nothing yet."},
	},
	"the desk view shows other panes below the table": {
		{Do: deskView},
		{Keys: "i", Sees: "A project for tests.|Watch list|best ask  24 hours"},
		{Do: later(time.Minute, -30)},
		{Keys: "w", Sees: "Fired rules  history|Watch list"},
		{Keys: "esc esc", Lacks: "Fired rules"},
	},
	"keys move in the side panes of the desk view": {
		{Do: deskView},
		{Do: cursorAt(0, -1)},
		{Keys: "enter j", Do: atOrder("006bale11")},
		{Do: cursorAt(102, 4+1+2)},
		{Keys: "esc w w g g", Do: cursorAt(102, 2)},
		{Keys: "enter", Do: inTable("003bale", 0)},
	},
	"the side watch list shows how many lines are hidden": {
		{Do: func(r *robot) {
			deskView(r)
			for cents := range 30 {
				r.Press("a")
				r.Reply(fmt.Sprintf("price < 1.%02d", 69-cents))
			}
		}, Sees: "more below", Line: "< $1.40|Bale Mountains 2020"},
		{Keys: "w w G", Lacks: "more below"},
	},
}

var earlier = session.Status{State: session.Stale, Earlier: true, At: uitest.Now.Add(-16 * time.Hour)}

func best(n int, ask model.PriceCents, g model.Grams) store.Observation {
	return store.Observation{Vintage: uitest.Key("003bale", n), BestAsk: ask, Available: g}
}

func trend(prices ...model.PriceCents) session.TrendsEvent {
	return session.TrendsEvent{At: uitest.Now, Prices: map[model.VintageKey][]model.PriceCents{bale: prices}}
}

func failed(subject session.Subject) session.StoreEvent {
	return session.StoreEvent{Failed: []session.WriteError{{Subject: subject, Err: errors.New("locked by another program")}}}
}

// badge checks the badge of the tab, and how often alerts were seen.
func badge(want string, seen int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := r.tab.Info().Badge; got != want || len(r.session.seen) != seen {
			r.T.Errorf("the badge is %q, seen %v; want %q, seen %d times", got, r.session.seen, want, seen)
		}
	}
}

// cursorAt checks the position of the terminal's cursor; -1 is any line.
func cursorAt(x, y int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		r.Frame()
		if _, at := r.tab.Render(); at == nil || at.X != x || y >= 0 && at.Y != y {
			r.T.Errorf("the cursor is at %v, want %d, %d", at, x, y)
		}
	}
}

// deskView opens the desk view with rules on the first two vintages.
func deskView(r *robot) {
	r.FrameAt(160, 41)
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j", "a")
	r.Reply("price < 7")
	r.Press("D")
	r.Frame()
}

func TestJourneys(t *testing.T) {
	t.Parallel()
	journeys.Each(t, settled)
}
