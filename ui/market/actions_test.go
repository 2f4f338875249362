package market

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// actions are those of the scripts.
var actions = uitest.Actions{
	// The market and the clock.
	"polls":  func(r *robot, shift model.PriceCents) { r.poll(uitest.Market(shift)) },
	"stoves": func(r *robot, shift model.PriceCents) { r.poll(stoves(shift)) },
	"partOfStoves": hears(session.MarketEvent{Status: session.Status{Fetching: true, Done: 1, Total: 12},
		Market: stoves(0), Partial: true}),
	"emptyMarket": func(r *robot) { r.poll(market.New()) },
	"offer":       func(r *robot, asks ...model.PriceCents) { r.poll(offer(asks...)) },
	"deep":        func(r *robot, depths ...int) { r.poll(deep(depths...)) },
	"many":        func(r *robot, depths ...int) { r.poll(many(depths...)) },
	"unchanged":   (*robot).later,
	"bought":      hears(uitest.Book()),
	"stale": func(d time.Duration) func(*robot) {
		return status(session.Stale, d, errors.New("connection refused"))
	},
	"pausedSince":      func(d time.Duration) func(*robot) { return status(session.Paused, d, nil) },
	"paused":           func(r *robot) { r.View.Market.State = session.Paused },
	"live":             func(r *robot) { r.Hear(session.MarketEvent{Status: uitest.Live(), Market: r.market}) },
	"earlierRun":       func(r *robot) { r.Hear(session.MarketEvent{Status: earlier, Market: r.market}) },
	"missedMoves":      hears(missedMoves),
	"trend":            func(r *robot, prices ...model.PriceCents) { r.Hear(trend(prices...)) },
	"noTrends":         hears(session.TrendsEvent{At: uitest.Now}),
	"storeLost":        func(r *robot, why string) { r.Hear(session.StoreEvent{Lost: errors.New(why)}) },
	"pricesUnreadable": hears(session.PricesEvent{Err: errors.New("the disk is full")}),
	"earlierInventory": hears(session.PortfolioEvent{Status: earlier, Balances: portfolio.Balances{bale: 5_000_000}}),
	"liveInventory":    hears(session.PortfolioEvent{Status: uitest.Live(), Balances: uitest.Inventory().Balances()}),
	"labelledVintage":  hears(uitest.Labels(attribute.OfVintage, "004camb0")),
	"chosenDesk":       hears(session.ChoicesEvent{Choices: map[string]string{"market.desk": "on"}}),
	"unconfirmed":      func(r *robot, keys ...string) { r.Robot.Press(keys...) },
	"unconfirmedReply": func(r *robot, line string) { r.Robot.Reply(line) },
	"wheel":            func(r *robot, x, y, lines int) { r.Run(r.tab.Input(tab.Wheel{X: x, Y: y, Lines: lines})) },
	"readOnly":         func(r *robot) { r.tab.view.Retire = nil },
	"sharedDesk":       func(r *robot) { r.tab.view.Retire, r.tab.view.Shared = nil, true },

	"column": func(r *robot, name string) { r.tab.list.table.SelectColumn(name) },
	"safe": func(r *robot) {
		r.tab.panes.project.safe = func(string) (string, error) { return "registry.example", nil }
	},
	"unsafe": func(r *robot, why string) {
		r.tab.panes.project.safe = func(string) (string, error) { return "", errors.New(why) }
	},

	// Checks of what no text on the screen shows.
	"links": func(r *robot, want int, to string) {
		r.Equal("links to "+to, strings.Count(r.Frame(), "\x1b]8;;"+to+"\x1b\\"), want)
	},
	"changesFrame": func(r *robot, key string) {
		before := r.Frame()
		r.Press(key)
		r.Equal("the frame stays", r.Frame() == before, false)
	},
	"inTable": func(r *robot, project string, n int) { r.On(project, n); r.Equal("focus", r.tab.panes.focused, false) },
	"focused": func(r *robot, want bool) { r.Equal("focus", r.tab.panes.focused, want) },
	"atOrder": func(r *robot, id string) { r.Equal("order", r.inBook(), id) },
	"rowsIn": func(r *robot, path string, want int) {
		content, _ := os.ReadFile(path)
		r.Equal("number of lines below the header", strings.Count(string(content), "\n")-1, want)
	},
	"notified":  func(r *robot, want ...string) { r.Equal("notifications", r.Notified, want) },
	"chose":     func(r *robot, want ...string) { r.Equal("choices", r.session.chosen, want) },
	"lines":     func(r *robot, width, height, want int) { r.Equal("height of the pane", r.lines(width, height), want) },
	"mayRetire": func(r *robot) { r.tab.view.Retire = func(tab.RetireFrom) effect.Effect { return nil } },
}

func hears(news ...session.Event) func(r *robot) { return func(r *robot) { r.Hear(news...) } }

// On checks the selected vintage of the table.
func (r *robot) On(project string, n int) {
	r.T.Helper()
	key, _ := r.tab.list.table.CurrentKey()
	r.Equal("selected vintage", key, uitest.Key(project, n))
}

// Rules checks the number of the rules in the store, and on the screen.
func (r *robot) Rules(want int) {
	r.T.Helper()
	kept, err := r.session.store.Of(origin).Alerts.Rules(r.T.Context())
	must.Hold(r.T, err == nil && len(kept) == want && len(r.tab.watch.Rules) == want,
		len(kept), len(r.tab.watch.Rules), want, err)
}

// Underlined checks the underlined texts of the first rows that are not selected.
func (r *robot) Underlined(want ...string) {
	var got []string
	r.FrameAt(120, 12)
	for piece := range strings.SplitSeq(r.Frame(), "\x1b[") {
		if text, ok := strings.CutPrefix(piece, "0;4m"); ok {
			got = append(got, text)
		}
	}
	must.Equal(r.T, got, want, "underlined texts")
}

func (r *robot) Later(d time.Duration, shift model.PriceCents) {
	r.later(d)
	r.poll(uitest.Market(shift))
}

// Falls lets the prices fall by a cent several times.
func (r *robot) Falls(times int, d time.Duration) {
	for n := range times {
		r.Later(d, model.PriceCents(-n))
	}
}

// Fires polls the market with other prices, and counts the notifications.
func (r *robot) Fires(shift model.PriceCents, want int) {
	r.Later(5*time.Second, shift)
	r.Equal("number of notifications", len(r.Notified), want)
}

// status sends the last market with another status.
func status(state session.State, ago time.Duration, err error) func(r *robot) {
	return func(r *robot) {
		r.Hear(session.MarketEvent{Status: session.Status{State: state, At: r.Now.Add(-ago), Err: err}, Market: r.market})
	}
}

// Sells sends a market of one vintage with some orders.
func (r *robot) Sells(orders int, g model.Grams, price model.PriceCents) {
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage(bale.VintageID, 2019)
	for n := range orders {
		part.AddOrder(fmt.Sprintf("o%02d", n), g, price+model.PriceCents(n))
	}
	r.later(time.Second)
	r.poll(market.New(&part))
}

func (r *robot) Watchlist(edits int, watched bool) {
	e := session.WatchlistEvent{Edits: edits}
	if watched {
		e.Watchlist = e.Watchlist.With(bale)
	}
	r.Hear(e)
}

func (r *robot) ShowColumns(names ...string) {
	for _, name := range names {
		r.tab.list.table.Show(name, true)
	}
}

// RuleStarts sends the start of the last rule.
func (r *robot) RuleStarts() {
	list := r.tab.watch.Watchlist
	rise := list.Rules[len(list.Rules)-1]
	r.Hear(session.WatchlistEvent{Edits: r.tab.watch.edits, Watchlist: list.WithoutRule(rise).WithRule(rise.From(620))})
}

func (r *robot) RulesOnRequests() {
	closed := alert.Rule{Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour}
	for _, a := range []alert.Rule{closed.OnRequest("00m1"), {Measure: alert.State}} {
		r.session.edit(r.session.list.WithRule(a), r.session.store.Of(origin).Alerts.AddRule(r.T.Context(), a))
	}
	r.listen()
}

// FiredRules adds rules on requests, of which some have fired.
func (r *robot) FiredRules() {
	closed := alert.Rule{Measure: alert.State, Status: retirement.Closed}
	for _, a := range []alert.Rule{closed.OnRequest("00m1"), closed.OnRequest("00m2"), closed} {
		r.session.edit(r.session.list.WithRule(a), nil)
	}
	r.session.put(nil, session.AlertsEvent{Alerts: []store.Alert{
		{Rule: closed.OnRequest("00m3"), ID: 2, At: r.Now, Seen: true},
		{Rule: closed.OnRequest("00m1"), ID: 1, At: r.Now.Add(-time.Hour), Since: r.Now.Add(-3 * time.Hour),
			Facts: alert.FactsOf(retirement.Closed), Seen: true},
	}})
	r.listen()
}

var earlier = session.Status{State: session.Stale, Earlier: true, At: uitest.Now.Add(-16 * time.Hour)}

var missedMoves = session.MissedMovesEvent{Since: uitest.Now.Add(-10 * time.Hour), At: uitest.Now,
	Moves: []session.MissedMove{
		{Was: best(0, 600, 5e6), Now: best(0, 620, 4_650e6)},
		{Was: best(1, model.UnknownPrice, 0), Now: best(1, 680, 4_650e6)},
		{Was: best(2, 700, 5e6), Now: best(2, model.UnknownPrice, 0)},
	}}

func best(n int, ask model.PriceCents, g model.Grams) store.Observation {
	return store.Observation{Vintage: uitest.Key("003bale", n), BestAsk: ask, Available: g}
}

func trend(prices ...model.PriceCents) session.TrendsEvent {
	return session.TrendsEvent{At: uitest.Now, Prices: map[model.VintageKey][]model.PriceCents{bale: prices}}
}

// Badge checks the badge of the tab, and how often alerts were seen.
func (r *robot) Badge(want string, seen int) {
	got := r.tab.Info().Badge
	must.Hold(r.T, got == want && len(r.session.seen) == seen, "the badge", got, r.session.seen, want, seen)
}

// CursorAt checks the position of the terminal's cursor; -1 is any line.
func (r *robot) CursorAt(x, y int) {
	r.Frame()
	_, at := r.tab.Render()
	must.Hold(r.T, at != nil && at.X == x && (y < 0 || at.Y == y), "the cursor is at", at, x, y)
}

// AtCell checks the marked cell of the focused pane, and the marked column of the table.
func (r *robot) AtCell(text, column string) {
	r.Equal("marked cell", r.tab.panes.cursorList().CopyCell(), text)
	r.Equal("marked column of the table", r.tab.list.table.Column(), column)
}

func (r *robot) AtRule(want string) {
	row, _ := r.tab.watch.list.table.Current()
	r.Equal("selected rule", row.Rule.String(), want)
}

func (r *robot) IsNoNews() {
	row := r.Line("$6.20")
	must.Hold(r.T, !strings.Contains(row, newMark), "the row", row)
	r.Equal("messages at the next start", restarted(r).Said, []string(nil))
}

// fields are the names of the fields of the basket form in scripts.
var fields = map[string]int{
	"tonnes": fieldTonnes, "budget": fieldBudget, "price": fieldPrice, "project": fieldProject, "type": fieldType,
	"country": fieldCountry, "floors": fieldFloors,
}

// Fill types texts into the basket form, as field=text.
func (r *robot) Fill(texts ...string) {
	r.T.Helper()
	for _, text := range texts {
		name, value, _ := strings.Cut(text, "=")
		for range basketFields {
			if r.Panel.(*tab.Form).At() != fields[name] {
				r.Press("tab")
			}
		}
		r.Type(value)
	}
	r.Press("enter")
}

func (r *robot) InField(name string) {
	form, open := r.Panel.(*tab.Form)
	must.Hold(r.T, open && form.At() == fields[name], "the form is not open at field", name, r.Panel)
}

// Rejects checks the problem of the basket form, which shows all of it.
func (r *robot) Rejects(field, problem string) {
	r.InField(field)
	form := r.Panel.(*tab.Form)
	width, height := form.Size(100, 30)
	block := style.NewBlock(style.NewTheme(style.Mono), width, height)
	form.Draw(block)
	drawn := strings.Join(strings.Fields(block.String()), " ")
	must.Hold(r.T, strings.Contains(form.Problem, problem) && strings.Contains(drawn, form.Problem) &&
		strings.Contains(drawn, basketLabels[fieldTonnes]) && strings.Contains(drawn, "Esc cancels"),
		"the problem", form.Problem, block.String())
}

// Proposes checks whether R proposes to retire the basket.
func (r *robot) Proposes(basket bool) {
	var asked tab.RetireFrom
	if r.tab.view.Retire != nil {
		r.tab.view.Retire = func(from tab.RetireFrom) effect.Effect {
			asked = from
			return nil
		}
	}
	var want []tab.BasketLine
	if basket {
		camb := model.VintageKey{ProjectID: "003camb", VintageID: "004camb0"}
		want = []tab.BasketLine{
			{Vintage: camb, SellOrderID: "006camb1", Quantity: 2_000_000_000, MaxPrice: 412},
			{Vintage: camb, SellOrderID: "006camb2", Quantity: 1_000_000_000, MaxPrice: 459},
		}
	}
	r.Press("R")
	r.Equal("proposed basket", asked.Basket, want)
}

// DeskView opens the desk view with rules on the first two vintages.
func (r *robot) DeskView() {
	r.FrameAt(160, 41)
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j", "a")
	r.Reply("price < 7")
	r.Press("D")
	r.Frame()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(testing.TB) *robot{
		"journeys": settled,
		"alerts":   settled,
		"filters":  settled,
		"baskets": func(t testing.TB) *robot {
			r := newRobot(t, store.Open(""))
			r.Know()
			r.poll(stoves(0))
			return r
		},
		// These read words, not their places.
		"comparison": func(t testing.TB) *robot {
			r := settled(t)
			r.Text = func() string {
				return strings.Join(strings.Fields(ansi.Strip(r.Frame())+r.tab.list.status().String()), " ")
			}
			return r
		},
		// A basket of 5,000 t of the cookstoves below seven dollars.
		"stoves":    func(t testing.TB) *robot { return asking(t, "5000") },
		"purchases": func(t testing.TB) *robot { return newRobot(t, store.Open("")) },
		// Before the first poll, and without a store.
		"start": func(t testing.TB) *robot { return newRobot(t, nil) },
	} {
		uitest.Play(t, name, actions, begin)
	}
}
