package inventory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// whole returns a robot that sees all wallets.
func whole(t testing.TB) *robot {
	r := newRobot(t)
	r.know()
	r.Hear(uitest.Opened(), uitest.Book(), uitest.BookValue(), uitest.BookHistory())
	return r
}

// hold sends inv as the whole inventory.
func (r *robot) hold(inv *portfolio.Inventory, change func(e *session.PortfolioEvent)) {
	e := session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(), Positions: portfolio.NewPositions(inv, inv)}
	if change != nil {
		change(&e)
	}
	r.Hear(e)
}

// reading sets the progress of an event to three pages of seven.
func reading(e *session.PortfolioEvent) {
	e.Partial, e.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
}

func brokenOff(e *session.PortfolioEvent) {
	e.Partial, e.Status = true, session.Status{Err: errors.New("connection refused"), Done: 3, Total: 7}
}

func TestAllWalletsAreShownWithoutAPIPage(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Sees("Bale Mountains", "DelAgua Clean Cooking", "4 wallets  ", "1–4 of 4 · 1 empty wallet hidden · 4 projects")
	for _, asked := range r.feed.Asked {
		if strings.HasPrefix(asked, "inventory") {
			t.Errorf("the tab requested %q", asked)
		}
	}
}

func TestBracketsTurnPages(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.hold(traded(make([]int, 90)...), nil)
	r.FrameAt(120, 32)
	_, lines, _ := r.tab.wallets.table.Visible()
	r.Press("[")
	if said := uitest.LastOf(r.Said); said != "This is the first page." {
		t.Errorf("[ reports %q", said)
	}
	r.Press("]")
	if at := r.tab.wallets.table.Position(); at != lines {
		t.Errorf("] leads to row %d of %d lines", at, lines)
	}
	r.Sees(fmt.Sprintf("page 2/%d · %d–%d of 90", (90+lines-1)/lines, lines+1, 2*lines))
	for range 90 {
		r.Press("]")
	}
	r.Sees("–90 of 90")
	if said := uitest.LastOf(r.Said); said != "This is the last page." {
		t.Errorf("] reports %q", said)
	}
	r.Press("[")
	r.SeesNot("–90 of 90")
}

// From any scroll position, ] must show every wallet before it reports the last page,
// and [ must show them all on the way back.
func TestBracketsShowEveryWallet(t *testing.T) {
	t.Parallel()
	for ups := range 20 {
		r := whole(t)
		r.hold(traded(make([]int, 50)...), nil)
		r.FrameAt(120, 18)
		r.Press("G")
		for range ups {
			r.Press("k")
		}
		first, last, total := r.tab.wallets.table.Visible()
		for way, bracket := range [...]string{"]", "[", "]"} {
			for range 10 {
				was, until := first, last
				r.Press(bracket)
				if first, last, _ = r.tab.wallets.table.Visible(); first > until+1 || last < was-1 {
					t.Fatalf("%s leads from %d–%d to %d–%d", bracket, was, until, first, last)
				}
			}
			if way == 1 && first != 1 || way != 1 && last != total {
				t.Errorf("%d above the last: %s ends at %d–%d of %d", ups, bracket, first, last, total)
			}
		}
	}
}

func TestFilteredRowsStartAtAPageBoundary(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.hold(traded(make([]int, 50)...), nil)
	r.FrameAt(120, 18)
	r.Press("] j j j /")
	r.paste("id:003t00|003t01|003t02")
	r.FrameAt(120, 18)
	first, last, total := r.tab.wallets.table.Visible()
	lines := last - first + 1
	if total != 30 || (first-1)%lines != 0 || first == 1 {
		t.Errorf("the screen shows %d–%d of %d", first, last, total)
	}
	r.Sees(fmt.Sprintf("page %d/%d · %d–%d of 30", (first-1)/lines+1, (30+lines-1)/lines, first, last))
}

func TestPartialTotalsAreMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		part func(e *session.PortfolioEvent)
		want string
	}{
		"reading":         {reading, "page 3 of 7 read · "},
		"connection lost": {brokenOff, "only a part was read · "},
	} {
		for _, size := range [...][2]int{{60, 11}, {80, 20}, {120, 32}} {
			r := newRobot(t)
			r.know()
			r.hold(uitest.Inventory(), c.part)
			r.FrameAt(size[0], size[1])
			r.Sees(c.want, "4 wallets so far", "4 projects so far")
			if line := r.Line("4 wallets so far"); size[0] > 60 && !strings.Contains(line, "$112.62") {
				t.Errorf("%s, width %d: the line is %q", name, size[0], line)
			}
		}
	}
}

// While the market is being read, a missing price does not mean that nothing is for sale.
func TestSumsWithoutPricesAreMarked(t *testing.T) {
	t.Parallel()
	first := uitest.Market(0)
	var part market.Page
	part.AddProject(first.Key(0).ProjectID)
	part.AddVintage(first.Key(0).VintageID, 2019)
	part.AddOrder("a", 50*model.GramsPerTonne, 620)
	r := newRobot(t)
	r.know()
	r.Hear(session.MarketEvent{Status: session.Status{Fetching: true, Done: 1, Total: 12}, Market: market.New(&part), Partial: true})
	r.hold(uitest.Inventory(), reading)
	r.FrameAt(200, 56)
	r.SeesNot("without an ask")
	if line := r.Line("4 wallets so far"); !strings.Contains(line, "◌ $") {
		t.Errorf("the sums are %q", line)
	}
	r.hold(uitest.Inventory(), nil)
	if line := r.Line("4 wallets "); !strings.Contains(line, "◌ $") {
		t.Errorf("the sums are %q", line)
	}
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: first})
	r.SeesNot("◌")
}

func TestPartialInventoryCanBeFiltered(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.hold(uitest.Inventory(), reading)
	r.Press("/", "b", "a", "l", "e")
	r.Sees("1 of 4 wallets so far")
	r.Press("z", "z", "z")
	r.Sees("No wallet so far matches balezzz.")
}

// A tenant who retires whole tonnes has empty wallets with all of their trades.
func TestHiddenEmptyWalletsStillCountInTotals(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	wallet := func(kind string, g model.Grams, trades ...portfolio.Trade) portfolio.Wallet {
		return portfolio.Wallet{Type: kind, Quantity: g, Trades: trades}
	}
	older := portfolio.Trade{ExecutionDate: model.At(uitest.Now.AddDate(0, -2, 0)), Quantity: model.GramsPerTonne, Price: 500, Type: portfolio.Buy}
	newer := portfolio.Trade{ExecutionDate: model.At(uitest.Now.AddDate(0, -1, 0)), Quantity: 8 * model.GramsPerTonne, Price: 611, Type: portfolio.Buy}
	r.hold(&portfolio.Inventory{Projects: []portfolio.Project{{ID: "003bale", Vintages: []portfolio.Vintage{
		{ID: uitest.Key("003bale", 0).VintageID, Wallets: []portfolio.Wallet{wallet(portfolio.WalletCAAS, model.GramsPerTonne, older), wallet("ESCROW", 0, newer)}},
	}}}}, nil)
	r.SeesNot("ESCROW")
	r.Sees("★ $6.11", "1 wallet ")
	hidden := *r.tab.wallets.sums()
	r.Press("z")
	r.Sees("ESCROW", "2 wallets ")
	shown := r.tab.wallets.sums()
	if hidden.Held != shown.Held || hidden.Value != shown.Value || hidden.OverCost != shown.OverCost || hidden.Today != shown.Today {
		t.Errorf("the totals are %+v, with the empty wallet %+v", hidden, shown)
	}
}

func TestInventoryValueIsShownOnce(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.SeesNot("at the best ask", "against cost")
	r.Sees("BALANCE", "$112.62")
	r.hold(&portfolio.Inventory{Projects: []portfolio.Project{{ID: "003none", Vintages: []portfolio.Vintage{
		{ID: "004none0", Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: 3 * model.GramsPerTonne}}},
	}}}}, nil)
	r.Sees("3 t without an ask")
}

func TestFiltersApplyWithoutRequests(t *testing.T) {
	t.Parallel()
	r := whole(t)
	paid := r.Line("Bale Mountains   ")
	r.Press("t", "t")
	r.Sees("No SELL trades in this wallet. t shows the others.", "trades: SELL", "4 wallets")
	if now := r.Line("Bale Mountains   "); now != paid {
		t.Errorf("the line is %q, before it was %q", now, paid)
	}
	r.Press("t", "n")
	r.Reply("2")
	r.Sees("2 trades, newest first, at most 2 per wallet", "18 Oct 2026")
	r.SeesNot("1 Oct 2026")
	r.Press("z")
	r.Sees("5 wallets", "1–5 of 5", "★ $7.10")
	r.SeesNot("hidden")
	r.Press("z")
	r.Sees("4 wallets", "1 empty wallet hidden", "1–4 of 4")
	r.SeesNot("★ $7.10")
	for _, asked := range r.feed.Asked {
		if strings.HasPrefix(asked, "inventory") {
			t.Errorf("the tab requested %q", asked)
		}
	}
}

func TestPagingTheAPIStartsAndEnds(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Press("P")
	if want := (api.InventoryQuery{Page: 1, WalletMinQuantity: 1}); r.feed.Query != want {
		t.Errorf("the tab requested %+v", r.feed.Query)
	}
	r.Sees("Reading the inventory …")
	r.SeesNot("Bale Mountains")
	r.answer(strange())
	r.Sees("page 1/7 · without empty wallets · projects 1–4 of 134", "7 wallets on this page")
	r.Press("]")
	if r.feed.Query.Page != 2 {
		t.Errorf("] requests page %d", r.feed.Query.Page)
	}
	r.hold(uitest.Inventory(), nil)
	r.Sees("on this page")
	r.Press("esc")
	r.Sees("1–4 of 4", "4 wallets ")
	if last := uitest.LastOf(r.feed.Asked); last != "hide inventory" {
		t.Errorf("the last request is %q", last)
	}
	r.answer(strange())
	r.SeesNot("on this page", "ESCROW")
}

func TestAPIPageIsPolledOnlyWhileVisible(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Press("P")
	r.Run(r.tab.Handle(tab.Hidden{}))
	if last := uitest.LastOf(r.feed.Asked); last != "hide inventory" {
		t.Errorf("the last request is %q", last)
	}
	r.Run(r.tab.Handle(tab.Shown{}))
	if last := uitest.LastOf(r.feed.Asked); !strings.HasPrefix(last, "inventory") {
		t.Errorf("the last request is %q", last)
	}
}

func TestCursorStaysOnItsWalletDuringRead(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	inv := uitest.Inventory()
	inv.Projects = inv.Projects[2:]
	r.hold(inv, reading)
	r.Press("j")
	on, _ := r.tab.wallets.table.CurrentKey()
	r.hold(uitest.Inventory(), nil)
	if key, _ := r.tab.wallets.table.CurrentKey(); key != on || key.ProjectID != "003dela" {
		t.Errorf("the cursor moved from %v to %v", on, key)
	}
}

func TestDayStartsAtFirstReading(t *testing.T) {
	t.Parallel()
	r := whole(t)
	late := uitest.Opened()
	late.Since = uitest.Now
	r.Hear(late)
	r.FrameAt(200, 56)
	r.Sees("OVER 0s")
	r.SeesNot("TODAY")
}

// The best ask rose by ten cents before the three tonnes were bought at $5.95, so this
// rise must not count for them.
func TestPurchaseOfTodayCountsFromItsCost(t *testing.T) {
	t.Parallel()
	r := whole(t)
	bought := portfolio.Trade{ExecutionDate: model.At(uitest.Now.Add(-time.Hour)), Quantity: 3 * model.GramsPerTonne, Price: 595, Type: portfolio.Buy}
	inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "003bale", Vintages: []portfolio.Vintage{
		{ID: uitest.Key("003bale", 0).VintageID, Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: 3 * model.GramsPerTonne, Trades: []portfolio.Trade{bought}}}},
	}}}}
	r.hold(inv, nil)
	r.FrameAt(200, 56)
	ask, _ := uitest.Market(0).Offer(uitest.Key("003bale", 0))
	moved := 3 * model.Cents(ask-595)
	row, ok := r.tab.wallets.table.Current()
	if got, known := row.today(); !ok || !known || got != moved || r.tab.wallets.sums().Today != moved {
		t.Errorf("the change is %d (known: %v), in the totals %d; want %d", got, known, r.tab.wallets.sums().Today, moved)
	}
}

// If nothing was read since midnight, the changes are still those of the day before.
func TestChangesOfYesterdayAreNotLabelledToday(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.FrameAt(200, 56)
	r.Sees("TODAY")
	paused := session.Status{State: session.Paused, At: uitest.Now}
	r.Hear(session.MarketEvent{Status: paused, Market: uitest.Market(0), Generation: 1}, session.PortfolioEvent{Status: paused, Positions: uitest.Book().Positions})
	r.Now = r.Now.Add(24 * time.Hour)
	r.FrameAt(200, 56)
	r.Sees("OVER 9h")
	r.SeesNot("today", "TODAY")
}

func TestCurveOpensChangesPeriodAndCloses(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Press("c")
	r.Sees("Inventory value at the best ask", "24 hours")
	if r.tab.Info().Close == nil {
		t.Error("no key closes the curve")
	}
	day := r.Frame()
	r.Press("c", "c")
	if r.Frame() == day {
		t.Error("the curves of all data and of one day are equal")
	}
	r.Press("esc")
	r.Sees("trade history")
	r.Press("c", "enter")
	r.Sees("trade history")
}

// A cost is comparable only if it covers the same tonnes as the value.
func TestCurveShowsCostOfTheSameTonnesOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value portfolio.BookValue
		shown bool
	}{
		"all of it":          {portfolio.BookValue{Held: 9, Valued: 9, Value: 70, Costed: 9, Cost: 50, Compared: 9}, true},
		"some without cost":  {portfolio.BookValue{Held: 9, Valued: 9, Value: 70, Costed: 5, Cost: 50, Compared: 5}, false},
		"some without price": {portfolio.BookValue{Held: 9, Valued: 5, Value: 70, Costed: 9, Cost: 50, Compared: 5}, false},
		"others":             {portfolio.BookValue{Held: 9, Valued: 5, Value: 70, Costed: 5, Cost: 50, Compared: 1}, false},
		"none":               {portfolio.BookValue{}, false},
	} {
		r := whole(t)
		r.Hear(session.PortfolioHistoryEvent{Points: []store.ValuePoint{{At: uitest.Now, Value: c.value}}})
		r.Press("c")
		if shown := strings.Contains(r.Text(), "┄ cost"); shown != c.shown {
			t.Errorf("%s: cost on the screen: %v, want %v", name, shown, c.shown)
		}
	}
}

func TestEmptyCurveShowsReason(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Hear(session.PortfolioHistoryEvent{})
	r.Press("c")
	r.Sees("No data yet")
	full := uitest.BookHistory()
	full.Err = errors.New("the disk is full")
	r.Hear(full)
	r.Sees("⚠ the disk is full", "$112.00 ┤")
	r.Hear(session.PortfolioHistoryEvent{Err: errors.New("the disk is full")})
	r.Sees("⚠ the disk is full")
}

// In its first hour the curve is a single point.
func TestSinglePointIsNotDrawnAsCurve(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.Press("c")
	for minute := range 3 {
		at := uitest.Now.Add(time.Duration(minute) * time.Minute)
		r.Hear(session.PortfolioHistoryEvent{Points: []store.ValuePoint{{At: at, Value: uitest.BookValue().Value}}})
		r.Sees("Recording since 2 Nov 2026 09:14 UTC: one point per hour.")
		if r.tab.layout.below != 2 {
			t.Errorf("the panel has %d lines for one sentence", r.tab.layout.below)
		}
		r.SeesNot("●")
	}
	r.Hear(uitest.BookHistory())
	r.SeesNot("Recording")
}

func TestCurveHasGapsWithoutRecords(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Press("c")
	r.SeesNot("·····")
	full := uitest.BookHistory()
	full.Points = append(full.Points[:len(full.Points)-12:len(full.Points)-12], full.Points[len(full.Points)-4:]...)
	r.Hear(full)
	r.Sees("··········")
}

// holdingScenes are states of the tab with all wallets.
var holdingScenes = uitest.Scenes[*robot]{
	"holdings":            func(*robot) {},
	"holdings-reading":    func(r *robot) { r.hold(uitest.Inventory(), reading) },
	"holdings-broken-off": func(r *robot) { r.hold(uitest.Inventory(), brokenOff) },
	"holdings-curve":      func(r *robot) { r.Press("c") },
	"holdings-filtered":   func(r *robot) { r.Press("/", "c", "o", "o", "k", "enter") },
	"holdings-empty":      func(r *robot) { r.hold(&portfolio.Inventory{}, nil) },
	"holdings-strange":    func(r *robot) { r.hold(strange(), nil) },
}

func TestHoldingsScreens(t *testing.T) {
	t.Parallel()
	holdingScenes.Each(t, whole, func(name string, r *robot) {
		for _, size := range [...][2]int{{80, 20}, {120, 32}, {160, 41}, {200, 56}} {
			if name == "book" || name == "holdings-curve" || size[0] == 120 {
				uitest.Golden(r.T, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), r.FrameAt(size[0], size[1])+"\n"+r.tab.status())
			}
		}
	})
}

func TestHoldingsFitEverySize(t *testing.T) {
	t.Parallel()
	holdingScenes.Each(t, whole, func(_ string, r *robot) { r.FitsEverySize() })
}

// A jump to the end needs the sorted rows at once, and the totals must match them.
func TestJumpToTheEndUpdatesTotals(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.hold(traded(make([]int, 100)...), nil)
	inv := traded(make([]int, 2*inline)...)
	e := session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(), Positions: portfolio.NewPositions(inv, inv)}
	r.View.Receive(e)
	left := r.CarryOut(r.tab.Handle(e))
	r.Sees("100 wallets", "100 t")
	r.tab.wallets.table.Finish()
	r.Sees("2,048 wallets ", "2,048 t")
	r.Run(left)
	r.Sees("2,048 wallets ", "2,048 t")
}

func TestCursorReturnsAfterPagingTheAPI(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	inv := traded(make([]int, 2*inline)...)
	r.hold(inv, nil)
	r.tab.wallets.table.MoveTo(1500)
	on, _ := r.tab.wallets.table.CurrentKey()
	for range 2 {
		r.Press("P")
		r.answer(uitest.Inventory())
		if at := r.tab.wallets.table.Position(); at != 0 {
			t.Errorf("the page begins at row %d", at)
		}
		r.Press("j", "P")
		if key, _ := r.tab.wallets.table.CurrentKey(); key != on {
			t.Errorf("the cursor moved from %v to %v", on, key)
		}
		if r.tab.wallets.table.Position() != 1500 {
			t.Errorf("the cursor is at %d", r.tab.wallets.table.Position())
		}
		r.Sees("2,048 t")
	}
}

func TestManyWalletsAreSortedAndTotalledInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.hold(traded(make([]int, 100)...), reading)
	e := session.PortfolioEvent{Status: uitest.Live(), Positions: uitest.Book().Positions}
	inv := traded(make([]int, 2*inline)...)
	e.Positions = portfolio.NewPositions(inv, inv)
	r.View.Receive(e)
	left := r.CarryOut(r.tab.Handle(e))
	if r.Sees("100 wallets so far", "100 t"); left == nil {
		t.Fatal("there is no background task")
	}
	r.Run(left)
	r.Sees("2,048 wallets ", "2,048 t")
	r.SeesNot("so far")
}

// Users follow these columns all day, so every terminal size must show them.
func TestValueAndChangeColumnsStayVisible(t *testing.T) {
	t.Parallel()
	r := whole(t)
	for _, width := range []int{80, 100, 120, 160, 200} {
		lines := strings.Split(ansi.Strip(r.FrameAt(width, 30)), "\n")
		for _, title := range []string{"PROJECT", "VINTAGE", "BALANCE", "LAST PAID", "TO REPLACE", "TODAY"} {
			if !strings.Contains(lines[0], title) {
				t.Errorf("width %d: no column %s: %q", width, title, lines[0])
			}
		}
	}
}
