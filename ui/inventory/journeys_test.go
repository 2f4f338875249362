package inventory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// requests checks the query of the page that the tab requested last.
func requests(want api.InventoryQuery) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if r.feed.Query != want {
			r.T.Errorf("the tab requested %+v, want %+v", r.feed.Query, want)
		}
	}
}

// asked checks how the last request begins.
func asked(want string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if last := uitest.LastOf(r.feed.Asked); !strings.HasPrefix(last, want) {
			r.T.Errorf("the last request is %q, want %q", last, want)
		}
	}
}

func holds(inv *portfolio.Inventory, change func(e *session.PortfolioEvent)) func(r *robot) {
	return func(r *robot) { r.hold(inv, change) }
}

func answers(inv *portfolio.Inventory) func(r *robot) { return func(r *robot) { r.answer(inv) } }

func hears(news ...session.Event) func(r *robot) { return func(r *robot) { r.Hear(news...) } }

func pastes(text string) func(r *robot) { return func(r *robot) { r.paste(text) } }

// own is an inventory of one project.
func own(id string, vintages ...portfolio.Vintage) *portfolio.Inventory {
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: id, Vintages: vintages}}}
}

func wallet(kind string, g model.Grams, trades ...portfolio.Trade) portfolio.Wallet {
	return portfolio.Wallet{Type: kind, Quantity: g, Trades: trades}
}

func bought(ago time.Duration, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{ExecutionDate: model.At(uitest.Now.Add(-ago)), Quantity: tonnes * model.GramsPerTonne, Price: price, Type: portfolio.Buy}
}

// oneOrder is the first page of a market, with an order of the first vintage.
func oneOrder() session.MarketEvent {
	first := uitest.Market(0)
	var part market.Page
	part.AddProject(first.Key(0).ProjectID)
	part.AddVintage(first.Key(0).VintageID, 2019)
	part.AddOrder("a", 50*model.GramsPerTonne, 620)
	return session.MarketEvent{Status: session.Status{Fetching: true, Done: 1, Total: 12}, Market: market.New(&part), Partial: true}
}

// noPageRequested checks that no page of the API was requested.
func noPageRequested(r *robot) {
	for _, asked := range r.feed.Asked {
		if strings.HasPrefix(asked, "inventory") {
			r.T.Errorf("the tab requested %q", asked)
		}
	}
}

func belowTable(lines int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		r.Frame()
		if r.tab.layout.below != lines {
			r.T.Errorf("the panel has %d lines, want %d", r.tab.layout.below, lines)
		}
	}
}

var bale = uitest.Key("003bale", 0).VintageID

const month = 30 * 24 * time.Hour

// journeys start with all wallets.
var journeys = uitest.Journeys[*robot]{
	"all wallets are shown without a page of the API": {
		{Sees: "Bale Mountains|DelAgua Clean Cooking|4 wallets  |1–4 of 4 · 1 empty wallet hidden · 4 projects", Do: noPageRequested},
	},
	"brackets turn pages": {
		{Do: holds(traded(make([]int, 90)...), nil)},
		{Keys: "[", Said: "This is the first page."},
		{Keys: "]", Do: func(r *robot) {
			at, lines := r.tab.wallets.table.Position(), 0
			if first, last, _ := r.tab.wallets.table.Visible(); true {
				lines = last - first + 1
			}
			if at != lines {
				r.T.Errorf("] leads to row %d of %d lines", at, lines)
			}
			r.Sees(fmt.Sprintf("page 2/%d · %d–%d of 90", (90+lines-1)/lines, lines+1, 2*lines))
		}},
		{Keys: strings.Repeat("] ", 90), Sees: "–90 of 90", Said: "This is the last page."},
		{Keys: "[", Lacks: "–90 of 90"},
	},
	// While the market is being read, a missing price does not mean that nothing is for sale.
	"sums without prices are marked": {
		{Size: [2]int{200, 56}, Do: func(r *robot) { r.Hear(oneOrder()); r.hold(uitest.Inventory(), reading) }, Lacks: "without an ask", Line: "4 wallets so far|◌ $"},
		{Do: holds(uitest.Inventory(), nil), Line: "4 wallets |◌ $"},
		{Do: hears(session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: uitest.Market(0)}), Lacks: "◌"},
	},
	"totals of a part are marked at any size": {
		{Size: [2]int{60, 11}, Do: holds(uitest.Inventory(), reading), Sees: "page 3 of 7 read · |4 wallets so far|4 projects so far"},
		{Size: [2]int{80, 20}, Line: "4 wallets so far|$112.62"},
		{Size: [2]int{60, 11}, Do: holds(uitest.Inventory(), brokenOff), Sees: "only a part was read · |4 wallets so far|4 projects so far"},
		{Size: [2]int{80, 20}, Line: "4 wallets so far|$112.62"},
	},
	"the cursor stays on its wallet while others are read": {
		{Do: func(r *robot) {
			inv := uitest.Inventory()
			inv.Projects = inv.Projects[2:]
			r.hold(inv, reading)
		}},
		{Keys: "g g j", Do: atWallet("003dela", 0)},
		{Do: holds(uitest.Inventory(), nil)},
		{Do: atWallet("003dela", 0)},
	},
	"a partial inventory can be filtered": {
		{Do: holds(uitest.Inventory(), reading)},
		{Keys: "/ b a l e", Sees: "1 of 4 wallets so far"},
		{Keys: "z z z", Sees: "No wallet so far matches balezzz."},
	},
	// A tenant who retires whole tonnes has empty wallets with all of their trades.
	"hidden empty wallets count in the last price paid": {
		{
			Do: holds(own("003bale", portfolio.Vintage{ID: bale, Wallets: []portfolio.Wallet{
				wallet(portfolio.WalletCAAS, model.GramsPerTonne, bought(2*month, 1, 500)), wallet("ESCROW", 0, bought(month, 8, 611)),
			}}), nil),
			Lacks: "ESCROW", Sees: "★ $6.11|1 wallet |$6.20|+$1.20",
		},
		{Keys: "z", Sees: "ESCROW|2 wallets |$6.20|+$1.20"},
	},
	"the value is shown once": {
		{Lacks: "at the best ask|against cost", Sees: "BALANCE|$112.62"},
		{Do: holds(own("003none", portfolio.Vintage{ID: "004none0", Wallets: []portfolio.Wallet{wallet(portfolio.WalletCAAS, 3*model.GramsPerTonne)}}), nil), Sees: "3 t without an ask"},
	},
	"filters apply without requests": {
		{Line: "Bale Mountains   |★ $5.95"},
		{Keys: "t t", Sees: "No SELL trades in this wallet. t shows the others.|trades: SELL|4 wallets", Line: "Bale Mountains   |★ $5.95"},
		{Keys: "t n", Reply: "2", Sees: "2 trades, newest first, at most 2 per wallet|18 Oct 2026", Lacks: "1 Oct 2026"},
		{Keys: "z", Sees: "5 wallets|1–5 of 5|★ $7.10", Lacks: "hidden"},
		{Keys: "z", Sees: "4 wallets|1 empty wallet hidden|1–4 of 4", Lacks: "★ $7.10", Do: noPageRequested},
	},
	"P pages through the API": {
		{Keys: "P", Do: requests(api.InventoryQuery{Page: 1, WalletMinQuantity: 1}), Sees: "Reading the inventory …", Lacks: "Bale Mountains"},
		{Do: answers(strange()), Sees: "page 1/7 · without empty wallets · projects 1–4 of 134|7 wallets on this page"},
		{Keys: "]", Do: requests(api.InventoryQuery{Page: 2, WalletMinQuantity: 1})},
		{Do: holds(uitest.Inventory(), nil), Sees: "on this page"},
		{Keys: "esc", Sees: "1–4 of 4|4 wallets ", Do: asked("hide inventory")},
		{Do: answers(strange()), Lacks: "on this page|ESCROW"},
	},
	"a page of the API is polled only while visible": {
		{Keys: "P", Do: func(r *robot) { r.Run(r.tab.Handle(tab.Hidden{})) }},
		{Do: asked("hide inventory")},
		{Do: func(r *robot) { r.Run(r.tab.Handle(tab.Shown{})) }},
		{Do: asked("inventory")},
	},
	"the day starts at the first reading": {
		{Size: [2]int{200, 56}, Do: func(r *robot) {
			late := uitest.Opened()
			late.Since = uitest.Now
			r.Hear(late)
		}, Sees: "OVER 0s", Lacks: "TODAY"},
	},
	// The best ask rose by ten cents before the three tonnes were bought at $5.95, so this rise must not count.
	"a purchase of today counts from its cost": {
		{Size: [2]int{200, 56}, Do: func(r *robot) {
			r.hold(own("003bale", portfolio.Vintage{ID: bale, Wallets: []portfolio.Wallet{wallet(portfolio.WalletCAAS, 3*model.GramsPerTonne, bought(time.Hour, 3, 595))}}), nil)
			ask, _ := uitest.Market(0).Offer(uitest.Key("003bale", 0))
			row, ok := r.tab.wallets.table.Current()
			if got, known := row.today(); !ok || !known || got != 3*model.Cents(ask-595) || r.tab.wallets.sums().Today != got {
				r.T.Errorf("the change is %d (known: %v), in the totals %d", got, known, r.tab.wallets.sums().Today)
			}
		}},
	},
	// If nothing was read since midnight, the changes are still those of the day before.
	"changes of yesterday are not labelled today": {
		{Size: [2]int{200, 56}, Sees: "TODAY"},
		{Do: func(r *robot) {
			paused := session.Status{State: session.Paused, At: uitest.Now}
			r.Hear(session.MarketEvent{Status: paused, Market: uitest.Market(0), Generation: 1}, session.PortfolioEvent{Status: paused, Positions: uitest.Book().Positions})
			r.Now = r.Now.Add(24 * time.Hour)
		}, Sees: "OVER 9h", Lacks: "today|TODAY"},
	},
	"the curve opens, changes its period and closes": {
		{Keys: "c", Sees: "Inventory value at the best ask|24 hours", Do: func(r *robot) {
			if r.tab.Info().Close == nil {
				r.T.Error("no key closes the curve")
			}
			day := r.Frame()
			if r.Press("c", "c"); r.Frame() == day {
				r.T.Error("the curves of all data and of one day are equal")
			}
		}},
		{Keys: "esc", Sees: "trade history"},
		{Keys: "c enter", Sees: "trade history"},
	},
	"an empty curve shows the reason": {
		{Keys: "c", Do: hears(session.PortfolioHistoryEvent{}), Sees: "No data yet"},
		{Do: func(r *robot) {
			full := uitest.BookHistory()
			full.Err = errors.New("the disk is full")
			r.Hear(full)
		}, Sees: "⚠ the disk is full|$112.00 ┤"},
		{Do: hears(session.PortfolioHistoryEvent{Err: errors.New("the disk is full")}), Sees: "⚠ the disk is full"},
	},
	// In its first hour the curve is a single point.
	"a single point is not drawn as a curve": {
		{Do: func(r *robot) { r.tab.curve.began = time.Time{} }},
		{Keys: "c", Do: hears(onePoint(0)), Sees: "Recording since 2 Nov 2026 09:14 UTC: one point per hour.", Lacks: "●"},
		{Do: belowTable(2)},
		{Do: hears(onePoint(time.Minute)), Sees: "Recording since 2 Nov 2026 09:14 UTC: one point per hour.", Lacks: "●"},
		{Do: belowTable(2)},
		{Do: hears(uitest.BookHistory()), Lacks: "Recording"},
	},
	"the curve has gaps without records": {
		{Keys: "c", Lacks: "·····"},
		{Do: func(r *robot) {
			full := uitest.BookHistory()
			full.Points = append(full.Points[:len(full.Points)-12:len(full.Points)-12], full.Points[len(full.Points)-4:]...)
			r.Hear(full)
		}, Sees: "··········"},
	},
	"a filter by attributes": {
		{Keys: "/", Do: pastes("label:ccp")},
		{Sees: " · no attributes are known|No attributes are known, so nothing has a label.|Import them with `tonne attributes import FILE.csv`."},
		{Do: hears(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{{
			Scope: attribute.OfProject, ID: "003cabo", Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.org/a", Checked: uitest.Now,
		}})}), Sees: "Cabo Leones|1 of 4 wallets", Lacks: "No attributes"},
	},
	"filtered totals cover all pages": {
		{Do: holds(traded(make([]int, 400)...), nil)},
		{Keys: "/", Do: pastes("003t00"), Sees: "10 of 400 wallets|10 t"},
	},
}

func onePoint(after time.Duration) session.PortfolioHistoryEvent {
	return session.PortfolioHistoryEvent{Points: []store.ValuePoint{{At: uitest.Now.Add(after), Value: uitest.BookValue().Value}}}
}

func TestJourneys(t *testing.T) {
	t.Parallel()
	journeys.Each(t, func(t testing.TB) *robot { return whole(t) })
}

// pageJourneys start with a page of the API.
var pageJourneys = uitest.Journeys[*robot]{
	"filters of the API do not change the last price paid": {
		{Line: "Bale Mountains   |★ $5.95"},
		{Keys: "t", Do: filtered(api.InventoryQuery{Page: 1, TradeType: portfolio.Buy, WalletMinQuantity: 1}), Line: "Bale Mountains   |★ $5.95", Sees: "5 wallets on this page|+$6.05"},
		{Keys: "t", Do: filtered(api.InventoryQuery{Page: 1, TradeType: portfolio.Sell, WalletMinQuantity: 1}), Line: "Bale Mountains   |★ $5.95", Sees: "+$6.05"},
		{Keys: "t n", Reply: "1", Do: filtered(api.InventoryQuery{Page: 1, TradesPerWallet: 1, WalletMinQuantity: 1}), Line: "Bale Mountains   |★ $5.95", Sees: "+$6.05"},
	},
	"old rows stay until the next page arrives": {
		{Keys: "[", Said: "This is the first page."},
		{Keys: "j j ] ]", Do: requests(api.InventoryQuery{Page: 3, WalletMinQuantity: 1}), Sees: "reading page 3 …|Bale Mountains"},
		{
			Do:   hears(session.InventoryEvent{Status: uitest.Live(), Query: api.InventoryQuery{Page: 2, WalletMinQuantity: 1}, Inventory: &portfolio.Inventory{}}),
			Sees: "reading page 3 …|Bale Mountains",
		},
		{Do: atWallet("003cabo", 0)},
		{Do: answers(strange()), Sees: "page 3/7 · without empty wallets · projects 41–44 of 134|ESCROW|1–"},
		{Do: func(r *robot) {
			if at := r.tab.wallets.table.Position(); at != 0 {
				r.T.Errorf("a new page starts at row %d", at)
			}
			for range 9 {
				r.Press("]")
				r.answer(strange())
			}
		}, Said: "This is the last page."},
		{Do: requests(api.InventoryQuery{Page: 7, WalletMinQuantity: 1})},
	},
	"a page beyond the last leads back": {
		{Do: func(r *robot) { r.tab.page.query.Page = 12 }},
		{Keys: "[", Do: requests(api.InventoryQuery{Page: 7, WalletMinQuantity: 1})},
	},
	"the cursor stays on its wallet": {
		{Keys: "j j j", Do: atWallet("003camb", 0), Sees: "Cambodia Improved Cookstove · 2020 · CAAS  trade history"},
		{Do: answers(strange())},
		{Keys: "l l l s", Do: atWallet("003camb", 0)},
		{Keys: "/ c o o k enter", Do: atWallet("003camb", 0)},
		{Keys: "esc", Do: hears(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: uitest.Market(10)})},
		{Do: atWallet("003camb", 0), Sees: "Cambodia Improved Cookstove · 2020 · CAAS  trade history"},
	},
	"wallets that are not empty are requested until z shows all": {
		{Keys: "]", Do: answers(uitest.Inventory()), Sees: "without empty wallets"},
		{Do: requests(api.InventoryQuery{Page: 2, WalletMinQuantity: 1})},
		{Keys: "z", Do: requests(api.InventoryQuery{Page: 1})},
		{Do: answers(uitest.Inventory()), Lacks: "without empty wallets"},
		{Keys: "z", Do: requests(api.InventoryQuery{Page: 1, WalletMinQuantity: 1})},
	},
	"the last paid trade is marked once": {
		{Do: func(r *robot) {
			inv := uitest.Inventory()
			trades := inv.Projects[0].Vintages[0].Wallets[0].Trades
			inv.Projects[0].Vintages[0].Wallets[0].Trades = append(trades[:1:1], trades...)
			r.answer(inv)
			if marked := strings.Count(r.Text(), "★ $5.95"); marked != 2 {
				r.T.Errorf("★ is in %d lines, want the wallet and one trade:\n%s", marked, r.Text())
			}
		}},
	},
	"totals cover the rows on the screen": {
		{Sees: "5 wallets on this page|16.749980 t|$112.62|+$6.05"},
		{Keys: "/ ! b a l e", Sees: "3 of 5 wallets on this page|15.750000 t|$106.42|+$5.47"},
		{Keys: "esc", Sees: "5 wallets on this page|16.749980 t"},
	},
	"totals that overflow are not shown": {
		{Do: func(r *robot) {
			inv := uitest.Inventory()
			for n := range 2 {
				inv.Projects[n].Vintages[0].Wallets[0].Quantity = 1<<63 - 1
			}
			r.answer(inv)
		}, Line: "on this page|?"},
	},
	"esc leaves the trades, then the filter": {
		{Keys: "/ b a l e enter enter j", Sees: "2 of 5 wallets", Do: inTrades(true)},
		{Keys: "esc", Sees: "2 of 5 wallets", Do: inTrades(false)},
		{Keys: "esc", Sees: "5 wallets on this page", Lacks: "2 of 5"},
	},
	"Y copies a trade, and y the id of the vintage": {
		{Sees: "trade history  004bale0  ", Keys: "y", Copied: "004bale0"},
		{Keys: "enter j Y", Copied: "18 Oct 2026 09:14 UTC\tBUY\t1\t5.80\t5.80"},
		{Keys: "y", Copied: "004bale0"},
		{Keys: "esc Y", Do: func(r *robot) {
			if copied := uitest.LastOf(r.Copied); !strings.HasPrefix(copied, "Bale Mountains\tREDD+\tET\t2019\tCAAS\t0.999980\t5.95\t") {
				r.T.Errorf("copied %q", copied)
			}
		}},
	},
	"ids are hidden columns": {
		{Size: [2]int{200, 40}, Lacks: "VINTAGE ID"},
		{Do: func(r *robot) {
			r.tab.wallets.table.Show("vintageid", true)
			r.tab.wallets.table.Show("projectid", true)
		}, Sees: "VINTAGE ID|PROJECT ID|003bale"},
	},
	"sorting reports that it covers one page": {
		{Do: func(r *robot) { r.tab.wallets.table.SelectColumn("over") }},
		{Keys: "s", Said: "Sorted by VS COST on this page, lowest first. ← → mark another column."},
		{Keys: "enter s", Said: "Sorted by DATE, lowest first. ← → mark another column."},
		{Keys: "esc", Do: func(r *robot) {
			r.Hear(session.InventoryEvent{
				Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(),
				Page: model.Page{PerPage: 20, TotalPages: 1, TotalItems: 4, Current: 1},
			})
		}},
		{Keys: "s", Said: "Sorted by VS COST, highest first. ← → mark another column."},
	},
	"the status has the trades per wallet": {
		{Keys: "n", Reply: "1", Do: answers(uitest.Inventory()), Sees: "· 1 trade per wallet"},
		{Keys: "n", Reply: "3", Do: answers(uitest.Inventory()), Sees: "· 3 trades per wallet|at most 3 per wallet"},
	},
	// Nothing can be sold on this market, so a balance has a cost of replacement and no gain.
	"no column claims a gain": {{Lacks: "UNREALISED|VALUE", Sees: "TO REPLACE|VS COST|▲ +$4.13|▼ −$0.01"}},
	// The footer cuts text at the end.
	"the status shows filters before counts": {
		{Keys: "t", Do: answers(uitest.Inventory()), Sees: "\npage 1/7 · trades: BUY · without empty wallets · projects "},
	},
	"an empty inventory is explained at any width": {
		{Keys: "z", Do: answers(&portfolio.Inventory{})},
		{Size: [2]int{60, 15}, Lacks: "…", Sees: "as you buy"},
	},
	"the trades get the lines that the wallets do not need": {
		{Do: answers(traded(17, 3)), Size: [2]int{160, 56}},
		{Do: belowTable(52), Sees: "$5.00|$5.16"},
		// The mouse must use the new position of the trades.
		{Do: func(r *robot) { r.tab.Input(tab.Click{X: 5, Y: 4 + 2 + 10}) }},
		{Do: func(r *robot) {
			if x, _ := r.tab.trades.table.Current(); x.Price != 510 {
				r.T.Errorf("a click selects the trade at %v", x.Price)
			}
			inTrades(true)(r)
		}},
	},
	"the trades keep their height while the cursor moves": {
		{Do: answers(traded(1, 30, 4, 0))},
		{Do: belowTable(26)}, {Keys: "j", Do: belowTable(26)}, {Keys: "j", Do: belowTable(26)}, {Keys: "j", Do: belowTable(26)},
	},
}

// filtered checks the query, and answers it.
func filtered(want api.InventoryQuery) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		requests(want)(r)
		r.answerWith(without(uitest.Inventory()), uitest.Inventory())
	}
}

func atWallet(project string, n int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if key, _ := r.tab.wallets.table.CurrentKey(); key.VintageKey != uitest.Key(project, n) {
			r.T.Errorf("the cursor is on %v", key)
		}
	}
}

func inTrades(want bool) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if r.tab.trades.focused != want {
			r.T.Errorf("the trades have the focus: %v, want %v", r.tab.trades.focused, want)
		}
	}
}

func TestPageJourneys(t *testing.T) {
	t.Parallel()
	pageJourneys.Each(t, func(t testing.TB) *robot { return settled(t) })
}
