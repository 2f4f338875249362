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
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

// actions are those of the scripts.
var actions = uitest.Actions{
	// The whole inventory and its pages.
	"holds":     func(r *robot) { r.hold(uitest.Inventory(), nil) },
	"reading":   func(r *robot) { r.hold(uitest.Inventory(), reading) },
	"brokenOff": func(r *robot) { r.hold(uitest.Inventory(), brokenOff) },
	"readingTail": func(r *robot) {
		inv := uitest.Inventory()
		inv.Projects = inv.Projects[2:]
		r.hold(inv, reading)
	},
	"wallets": func(r *robot, n int) { r.hold(traded(make([]int, n)...), nil) },
	"emptyEscrow": func(r *robot) {
		const month = 30 * 24 * time.Hour
		r.hold(own("003bale", "004bale0",
			wallet(portfolio.WalletCAAS, 1, bought(2*month, 1, 500)), wallet("ESCROW", 0, bought(month, 8, 611)),
		), nil)
	},
	"withoutAsk":    func(r *robot) { r.hold(own("003none", "004none0", wallet(portfolio.WalletCAAS, 3)), nil) },
	"answersTrades": func(r *robot, counts ...int) { r.answer(traded(counts...)) },
	"trades":        func(r *robot, first int) { r.answer(traded(append([]int{first}, make([]int, 49)...)...)) },
	"answersPage": func(r *robot, page int) {
		r.Hear(
			session.InventoryEvent{
				Status:    uitest.Live(),
				Query:     api.InventoryQuery{Page: page, WalletMinQuantity: 1},
				Inventory: &portfolio.Inventory{},
			},
		)
	},
	"onlyPage": func(r *robot) {
		r.Hear(session.InventoryEvent{
			Status: uitest.Live(), Query: r.feed.Query, Inventory: uitest.Inventory(),
			Page: model.Page{PerPage: 20, TotalPages: 1, TotalItems: 4, Current: 1},
		})
	},
	"turnsPages": func(r *robot, pages int) {
		for range pages {
			r.Press("]")
			r.answer(strange())
		}
	},
	"beyondLast": func(r *robot) { r.tab.page.query.Page = 12 },

	// The market, the curve and the rest.
	"polls": func(r *robot, shift model.PriceCents) {
		r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: uitest.Market(shift)})
	},
	"dayStartsNow": func(r *robot) {
		late := uitest.Opened()
		late.Since = uitest.Now
		r.Hear(late)
	},
	"pausedYesterday": func(r *robot) {
		paused := session.Status{State: session.Paused, At: uitest.Now}
		r.Hear(
			session.MarketEvent{Status: paused, Market: uitest.Market(0), Generation: 1},
			session.PortfolioEvent{Status: paused, Positions: uitest.Book().Positions},
		)
		r.Now = r.Now.Add(24 * time.Hour)
	},
	"curveWithoutStart": func(r *robot) { r.tab.curve.began = time.Time{} },
	"column":            func(r *robot, name string) { r.tab.wallets.table.SelectColumn(name) },
	"showColumns": func(r *robot, names ...string) {
		for _, name := range names {
			r.tab.wallets.table.Show(name, true)
		}
	},

	// Checks of what no text on the screen shows.
	"requests": func(r *robot, page int, trades portfolio.TradeType, perWallet int, least model.Grams) {
		r.Equal(
			"request",
			r.feed.Query,
			api.InventoryQuery{Page: page, TradeType: trades, TradesPerWallet: perWallet, WalletMinQuantity: least},
		)
	},
	"filtered": func(r *robot, page int, trades portfolio.TradeType, perWallet int, least model.Grams) {
		r.Equal(
			"request",
			r.feed.Query,
			api.InventoryQuery{Page: page, TradeType: trades, TradesPerWallet: perWallet, WalletMinQuantity: least},
		)
		r.answerWith(without(uitest.Inventory()), uitest.Inventory())
	},
	"valued": func(r *robot, held, valued model.Grams, value model.Cents, costed model.Grams, cost model.Cents,
		compared model.Grams) {
		v := portfolio.BookValue{Held: held, Valued: valued, Value: value, Costed: costed, Cost: cost, Compared: compared}
		r.Hear(session.PortfolioHistoryEvent{Points: []store.ValuePoint{{At: uitest.Now, Value: v}}})
	},
	"filters": func(r *robot, typed, want string) {
		r.Press("esc", "/")
		r.Pastes(typed)
		r.Press("enter")
		var left []string
		for _, x := range r.tab.wallets.table.Rows() {
			left = append(left, strings.TrimPrefix(x.Key.ProjectID, "003"))
		}
		r.Equal("projects of "+typed, strings.Join(left, " "), want)
	},
	"noPageRequested": func(r *robot) {
		r.Equal("a request of a page", strings.Contains("\n"+strings.Join(r.feed.Asked, "\n"), "\ninventory"), false)
	},
	"belowTable": func(r *robot, lines int) {
		r.Frame()
		r.Equal("height of the panel", r.tab.layout.below, lines)
	},
	"lines":    func(r *robot, width, height, want int) { r.Equal("height of the trades", r.lines(width, height), want) },
	"atRow":    func(r *robot, want int) { r.Equal("row", r.tab.wallets.table.Position(), want) },
	"inTrades": func(r *robot, want bool) { r.Equal("focus of the trades", r.tab.trades.focused, want) },
	"closable": func(r *robot) { r.Equal("nothing to close", r.tab.Info().Close == nil, false) },
	"periodsDiffer": func(r *robot) {
		day := r.Frame()
		r.Press("c", "c")
		r.Equal("all data look as one day", r.Frame() == day, false)
	},
	"times": func(r *robot, want int, text string) { r.Equal("count of "+text, strings.Count(r.Text(), text), want) },
}

func TestScripts(t *testing.T) {
	t.Parallel()
	uitest.Play(t, "holdings", actions, whole)
	uitest.Play(t, "pages", actions, settled)
}

// own is an inventory of one vintage.
func own(project, vintage string, wallets ...portfolio.Wallet) *portfolio.Inventory {
	return &portfolio.Inventory{
		Projects: []portfolio.Project{{ID: project, Vintages: []portfolio.Vintage{{ID: vintage, Wallets: wallets}}}},
	}
}

func wallet(kind string, tonnes model.Grams, trades ...portfolio.Trade) portfolio.Wallet {
	return portfolio.Wallet{Type: kind, Quantity: tonnes * model.GramsPerTonne, Trades: trades}
}

func bought(ago time.Duration, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{
		ExecutionDate: model.At(uitest.Now.Add(-ago)),
		Quantity:      tonnes * model.GramsPerTonne,
		Price:         price,
		Type:          portfolio.Buy,
	}
}

// BoughtToday holds three tonnes bought at $5.95 after the best ask rose by ten cents. The rise does not count.
func (r *robot) BoughtToday() {
	r.hold(own("003bale", "004bale0", wallet(portfolio.WalletCAAS, 3, bought(time.Hour, 3, 595))), nil)
	ask, _ := uitest.Market(0).Offer(uitest.Key("003bale", 0))
	row, ok := r.tab.wallets.table.Current()
	cents, known := row.today().Amount()
	got := model.Cents(cents)
	must.Hold(r.T, ok && known && got == 3*model.Cents(ask-595) && r.tab.wallets.sums().Today == got,
		"the change", got, known, r.tab.wallets.sums().Today)
}

// Answers sends an inventory as the requested page.
func (r *robot) Answers(kind string) {
	inv := uitest.Inventory()
	switch kind {
	case "strange":
		inv = strange()
	case "none":
		inv = &portfolio.Inventory{}
	case "twice": // the last trade
		first := &inv.Projects[0].Vintages[0].Wallets[0]
		first.Trades = append(first.Trades[:1:1], first.Trades...)
	case "overflow":
		for n := range 2 {
			inv.Projects[n].Vintages[0].Wallets[0].Quantity = 1<<63 - 1
		}
	}
	r.answer(inv)
}

// OneOrder sends the first page of a market, with an order of the first vintage.
func (r *robot) OneOrder() {
	first := uitest.Market(0)
	var part market.Page
	part.AddProject(first.Key(0).ProjectID)
	part.AddVintage(first.Key(0).VintageID, 2019)
	part.AddOrder("a", 50*model.GramsPerTonne, 620)
	r.Hear(
		session.MarketEvent{
			Status:  session.Status{Fetching: true, Done: 1, Total: 12},
			Market:  market.New(&part),
			Partial: true,
		},
	)
}

// History sends the values of two days, all or with a gap, or none.
func (r *robot) History(kind string, problem ...string) {
	e := uitest.BookHistory()
	switch last := len(e.Points); kind {
	case "none":
		e.Points = nil
	case "one":
		e.Points = e.Points[last-1:]
	case "gap":
		e.Points = append(e.Points[:last-12:last-12], e.Points[last-4:]...)
	}
	if len(problem) > 0 {
		e.Err = errors.New(problem[0])
	}
	r.Hear(e)
}

func (r *robot) OnePoint(after time.Duration) {
	r.Hear(
		session.PortfolioHistoryEvent{
			Points: []store.ValuePoint{{At: uitest.Now.Add(after), Value: uitest.BookValue().Value}},
		},
	)
}

// Asked checks how the last request begins.
func (r *robot) Asked(want string) {
	last := uitest.LastOf(r.feed.Asked)
	must.Hold(r.T, strings.HasPrefix(last, want), "the last request", last, want)
}

func (r *robot) AtWallet(project string, n int) {
	key, _ := r.tab.wallets.table.CurrentKey()
	r.Equal("selected wallet", key.VintageKey, uitest.Key(project, n))
}

func (r *robot) AtTrade(price model.PriceCents) {
	trade, _ := r.tab.trades.table.Current()
	r.Equal("price of the selected trade", trade.Price, price)
}

// OnSecondPage checks that the second of the pages of 90 wallets is shown.
func (r *robot) OnSecondPage() {
	first, last, _ := r.tab.wallets.table.Visible()
	lines := last - first + 1
	r.Equal("row", r.tab.wallets.table.Position(), lines)
	r.Sees(fmt.Sprintf("page 2/%d · %d–%d of 90", (90+lines-1)/lines, lines+1, 2*lines))
}
