package market

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/basket"
	"tonne/model/market"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// stoves is a market with two cookstove projects, one of which we have bought, and a
// cheaper project of another type.
func stoves(shift model.PriceCents) *market.Market {
	var part market.Page
	order := func(id string, tonnes model.Grams, price model.PriceCents) {
		part.AddOrder(id, tonnes*model.GramsPerTonne, price)
	}
	part.AddProject("003camb")
	part.AddVintage("004camb0", 2020)
	order("006camb1", 2000, 412+shift)
	order("006camb2", 1000, 459)
	part.AddProject("003dela")
	part.AddVintage("004dela0", 2023)
	order("006dela1", 1600, 592)
	order("006dela2", 900, 680)
	order("006dela3", 5000, 720)
	part.AddProject("003gene")
	part.AddVintage("004gene0", 2019)
	order("006gene1", 100_000, 95)
	return market.New(&part)
}

// asking returns a robot that shows a basket of the cookstoves below seven dollars.
func asking(t testing.TB, tonnes string) *robot {
	r := settled(t)
	r.poll(stoves(0))
	r.Press("/")
	r.Type("type:cookstoves ask<7")
	r.Press("enter", "B")
	r.Type(tonnes)
	r.Press("enter")
	return r
}

// fill types texts into the form, by field number.
func (r *robot) fill(fields map[int]string) {
	r.T.Helper()
	for field := range basketFields {
		for range basketFields {
			if r.Panel.(*tab.Form).At() != field {
				r.Press("tab")
			}
		}
		if text, ok := fields[field]; ok {
			r.Type(text)
		}
	}
	r.Press("enter")
}

func TestBasketFormParsesNumbers(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]model.Cents{"$25k": 2_500_000, "25K": 2_500_000, "1.5m": 150_000_000, "$25,000": 2_500_000, "0.12345k": 12_345, "7": 700} {
		if r, _, err := (basketTexts{fieldBudget: typed}).request(); err != nil || r.Budget != want {
			t.Errorf("%q: %v, %v", typed, r.Budget, err)
		}
	}
	for text, want := range map[string]int64{"5,000": 5000, "5000 t": 5000, "5,000t": 5000, "5k": 5000, "2.5K t": 2500} {
		if r, _, err := (basketTexts{fieldTonnes: text}).request(); err != nil || r.Tonnes != want {
			t.Errorf("%q: %d t, %v", text, r.Tonnes, err)
		}
	}
	if r, _, err := (basketTexts{fieldTonnes: "1", fieldPrice: "1k"}).request(); err != nil || r.Limits.MaxPrice() != 100_000 {
		t.Errorf("a price: %v, %v", r.Limits.MaxPrice(), err)
	}
	if _, _, err := (basketTexts{fieldTonnes: "9999999999999k"}).request(); err == nil || err.Error() != "that is beyond any quantity" {
		t.Error(err)
	}
}

func TestBasketFormReportsBadFieldAndKeepsTheOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed map[int]string
		says  string
		at    int
	}{
		{nil, "Enter the tonnes or a budget.", fieldTonnes},
		{map[int]string{fieldTonnes: "many"}, "Tonnes are written like 5,000.", fieldTonnes},
		{map[int]string{fieldTonnes: "1.5"}, "Only whole tonnes are sold.", fieldTonnes},
		{map[int]string{fieldTonnes: "99999999999999999999"}, "That is beyond any quantity.", fieldTonnes},
		{map[int]string{fieldBudget: "x"}, "Enter an amount in dollars, e.g. $25,000 or $25k.", fieldBudget},
		{map[int]string{fieldBudget: "25kk"}, "Enter an amount in dollars, e.g. $25,000 or $25k.", fieldBudget},
		{map[int]string{fieldBudget: "999999999999999m"}, "The amount is too large.", fieldBudget},
		{map[int]string{fieldTonnes: "5", fieldPrice: "-1"}, "Enter an amount in dollars, e.g. $7.00.", fieldPrice},
		{map[int]string{fieldTonnes: "5", fieldProject: "some"}, `"some%" is no share: write it like 40%.`, fieldProject},
		{map[int]string{fieldTonnes: "5", fieldType: "140"}, `"140%" is not more than 0 % and at most 100 %.`, fieldType},
		{map[int]string{fieldTonnes: "5", fieldType: "40", fieldCountry: "40"}, "Cap type=40% and cap country=40% do not go together.", fieldCountry},
		{map[int]string{fieldTonnes: "5", fieldFloors: "10%"}, `"type:10%" has no share: write it like type:Biochar=10%.`, fieldFloors},
		{map[int]string{fieldTonnes: "5", fieldFloors: "Wind=x"}, `"x%" is no share: write it like 40%.`, fieldFloors},
	} {
		r := settled(t)
		r.Press("B")
		r.fill(c.typed)
		form, open := r.Panel.(*tab.Form)
		if !open || !strings.Contains(form.Problem, c.says) || form.At() != c.at {
			t.Errorf("%v: the form says %+v, want %q in field %d", c.typed, form, c.says, c.at)
			continue
		}
		width, height := form.Size(100, 30)
		block := style.NewBlock(style.NewTheme(style.Mono), width, height)
		form.Draw(block)
		drawn := strings.Join(strings.Fields(block.String()), " ")
		if !strings.Contains(drawn, form.Problem) || !strings.Contains(drawn, basketLabels[fieldTonnes]) || !strings.Contains(drawn, "Esc cancels") {
			t.Errorf("%v: the problem or a field is cut: %s", c.typed, block.String())
		}
	}
}

func TestBasketIsComputedInBackground(t *testing.T) {
	t.Parallel()
	r := asking(t, "5000")
	poll := func(shift model.PriceCents) effect.Effect {
		e := session.MarketEvent{Status: session.Status{State: session.Live, At: r.Now}, Market: stoves(shift)}
		r.View.Receive(e)
		return r.CarryOut(r.tab.Handle(e))
	}
	first := poll(10)
	r.Sees("$25,022.00 for 5,000 t")
	// The outdated basket is neither copied nor exported.
	for _, key := range []string{"Y", "e"} {
		r.Press(key)
		if said := uitest.LastOf(r.Said); said != "The basket is being recomputed." || len(r.Copied) > 0 {
			t.Errorf("%s says %q", key, said)
		}
	}
	// Keys work during the computation, and the next poll does not start a second one.
	r.Press("j")
	if key, _ := r.tab.list.table.CurrentKey(); key.ProjectID != "003dela" {
		t.Errorf("the cursor is on %v", key)
	}
	if second := poll(20); second != nil {
		t.Errorf("two computations at once: %T", second)
	}
	r.Run(first)
	r.Sees("$25,422.00 for 5,000 t")
	if r.Press("Y"); len(r.Copied) != 1 {
		t.Errorf("nothing copied: %q", r.Said)
	}
}

func TestBasketIsCopiedAndExported(t *testing.T) {
	t.Parallel()
	r := asking(t, "3,100")
	r.Press("Y")
	copied := uitest.LastOf(r.Copied)
	for _, part := range []string{"3,100 t of 2 vintages (type:cookstoves ask<7) · 2 Nov 2026 09:14 UTC\n", "$13,422.00 for 3,100 t · ",
		"not binding: max price $6.99 (from the filter)\n", "\nPROJECT\tTYPE\tCC\tVINTAGE\tTONNES\tPRICE/t\tCOST\tSHARE\tVS PAID\tSELL ORDER\n", "Cambodia Improved Cookstove\tCookstoves\tKH\t2020\t2000\t4.12\t8240.00\t64.5%\t5.6%\t006camb1\n"} {
		if !strings.Contains(copied, part) {
			t.Errorf("%q not copied:\n%s", part, copied)
		}
	}
	path := filepath.Join(t.TempDir(), "basket")
	for _, ending := range []string{".csv", ".xlsx", ".json"} {
		r.Press("e")
		if r.Prompt.Heading != "Export the basket" {
			t.Errorf("the prompt is %q", r.Prompt.Heading)
		}
		r.Reply(path + ending)
		if said := uitest.LastOf(r.Said); said != "Wrote 3 rows to "+path+ending+"." {
			t.Errorf("%s: %q", ending, said)
		}
	}
	csv, err := os.ReadFile(path + ".csv")
	if want := "project_id,project_name,vintage_id,vintage_year,sell_order_id,tonnes,price_cents,cost_cents,last_paid_price_cents" + "\n003camb,Cambodia Improved Cookstove,004camb0,2020,006camb1,2000,412,824000,390\n"; err != nil || !strings.HasPrefix(string(csv), want) {
		t.Errorf("%v, the file is\n%s\nwant %s", err, csv, want)
	}
	var rows []map[string]any
	written, _ := os.ReadFile(path + ".json")
	if err := json.Unmarshal(written, &rows); err != nil || len(rows) != 3 || rows[1]["sell_order_id"] != "006camb2" || rows[1]["price_cents"] != "459" || rows[2]["last_paid_price_cents"] != "1725" {
		t.Errorf("%v: %v", err, rows)
	}
}

func TestDisabledBasketKeysGiveReasons(t *testing.T) {
	t.Parallel()
	r := newRobot(t, nil)
	if said := r.tab.panes.whyNoBasket(); said != "No basket is shown. B creates one." {
		t.Errorf("said %q", said)
	}
	// A basket requested before the first poll is computed once the market arrives.
	r.Press("B")
	r.Type("500")
	r.Press("enter")
	r.Sees("The market is not loaded yet.")
	r.know()
	r.poll(uitest.Market(0))
	r.Sees("500 t of 15 vintages", "for 500 t")
	r = settled(t)
	r.Press("/")
	r.Type("nothing")
	r.Press("enter", "B")
	r.Type("500")
	r.Press("enter", "Y", "e")
	if said := r.Said[len(r.Said)-2:]; said[0] != "The basket is empty." || said[1] != said[0] {
		t.Errorf("said %q", said)
	}
}

func TestBasketCoversExactlyTheShownRows(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", "wind", "ask<7", "!type:redd vintage>=2020", "paid", "country:kh"} {
		r := settled(t)
		r.Press("/")
		r.Type(filter)
		r.Press("enter", "B")
		r.Type("900")
		r.Press("enter")
		shown := make(map[model.VintageKey]bool)
		for key := range r.tab.list.table.Rows() {
			shown[key] = true
		}
		book := basket.NewBook(r.market, uitest.Projects(), func(v int) bool { return shown[r.market.Key(v)] })
		limit, _ := r.tab.list.filter.Expr().MaxAsk()
		wanted := basket.Request{Tonnes: 900}
		wanted.Limits.SetMaxPrice(limit)
		want, err := book.Buy(context.Background(), wanted)
		if err != nil {
			t.Fatal(err)
		}
		if found := r.tab.panes.basket.found; found.Cost != want.Cost || found.Tonnes != want.Tonnes || found.vintages != len(shown) {
			t.Errorf("%q: %v for %d t of %d, want %v for %d t of %d", filter, found.Cost, found.Tonnes, found.vintages, want.Cost, want.Tonnes, len(shown))
		}
	}
}

func TestBasketFormFitsLowTerminals(t *testing.T) {
	t.Parallel()
	f := newBasketForm(basketTexts{fieldFloors: "Biochar=10%"}, 699)
	for range basketFields - 1 {
		f.Press(uitest.Stroke("tab"))
	}
	theme := style.NewTheme(style.Mono)
	for height := 1; height < basketFields+3; height++ {
		block := style.NewBlock(theme, 40, height)
		cursor := f.Draw(block)
		uitest.Exact(t, block.String(), 40, height)
		if !strings.Contains(block.String(), "Biochar") || cursor == nil || cursor.Y >= height {
			t.Errorf("%d lines: the focused field is hidden: %q", height, block.String())
		}
	}
}

// Computing a basket for a budget can take long. It is cancelled if the input changes or the
// basket is closed, but not by the next poll.
func TestUnneededBasketComputationIsCancelled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(r *robot)
		stops bool
	}{
		"next poll":     {func(r *robot) { r.poll(stoves(1)) }, false},
		"input changed": {func(r *robot) { r.Press("B"); r.Type("10"); r.Press("enter") }, true},
		"basket closed": {func(r *robot) { r.Press("esc", "esc"); r.poll(stoves(1)) }, true},
	} {
		r := asking(t, "5000")
		p, stopped := r.tab.panes.basket, false
		in, _ := r.tab.panes.basket.input()
		p.pending, p.stop = &in, func() { stopped = true }
		if c.do(r); stopped != c.stops {
			t.Errorf("%s: stopped: %t", name, stopped)
		}
		before := p.found
		if p.take(&basketResult{err: context.Canceled}); p.found != before || p.pending != nil {
			t.Errorf("%s: the cancelled result is shown", name)
		}
	}
}

func TestBasketIsRetiredAsAWhole(t *testing.T) {
	t.Parallel()
	// proposes checks what R proposes to retire; nil is nothing.
	proposes := func(want []tab.BasketLine) func(r *robot) {
		return func(r *robot) {
			r.T.Helper()
			var asked tab.RetireFrom
			if r.tab.view.Retire != nil {
				r.tab.view.Retire = func(from tab.RetireFrom) effect.Effect {
					asked = from
					return nil
				}
			}
			if r.Press("R"); !reflect.DeepEqual(asked.Basket, want) {
				r.T.Errorf("R proposed %+v, want %+v", asked.Basket, want)
			}
		}
	}
	camb := model.VintageKey{ProjectID: "003camb", VintageID: "004camb0"}
	lines := []tab.BasketLine{
		{Vintage: camb, SellOrderID: "006camb1", Quantity: 2_000_000_000, MaxPrice: 412},
		{Vintage: camb, SellOrderID: "006camb2", Quantity: 1_000_000_000, MaxPrice: 459},
	}
	uitest.Journeys[*robot]{
		"the basket":       {{Do: proposes(lines)}},
		"a line of it":     {{Keys: "enter down", Do: proposes(lines)}},
		"read-only":        {{Do: func(r *robot) { r.tab.view.Retire = nil }}, {Do: proposes(nil), Said: tab.RetiringIsOff}},
		"a shared desk":    {{Do: func(r *robot) { r.tab.view.Retire, r.tab.view.Shared = nil, true }}, {Do: proposes(nil), Said: tab.RetiringIsElsewhere}},
		"it is incomplete": {{Keys: "B", Typed: "900000"}, {Keys: "enter", Do: proposes(nil), Said: "The basket is incomplete. B changes it."}},
	}.Each(t, func(t testing.TB) *robot {
		r := asking(t, "3000")
		r.tab.view.Retire = func(tab.RetireFrom) effect.Effect { return nil }
		return r
	})
}

func fills(fields map[int]string) func(r *robot) { return func(r *robot) { r.fill(fields) } }

func inField(field int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if form, open := r.Panel.(*tab.Form); !open || form.At() != field {
			r.T.Errorf("the form is not open at field %d: %+v", field, r.Panel)
		}
	}
}

// basketJourneys start with the market of stoves, all vintages.
var basketJourneys = uitest.Journeys[*robot]{
	"limits are kept and their cost is shown": {
		{Keys: "B", Do: fills(map[int]string{fieldTonnes: "1000 t", fieldProject: "60", fieldCountry: "80%", fieldFloors: "cookstoves=50"})},
		{Sees: "1,000 t of 3 vintages|500 t|$475.00|limit: floor type:cookstoves=50% binds, $317.00 cheaper without it|not binding: cap project=60%, cap country=80%"},
		{
			Keys: "B", Do: fills(map[int]string{fieldFloors: "Biochar = 10 %"}),
			Sees: "✗ 100 t of 1,000 t cannot be filled: without floor type:Biochar=10% there would be 100 t more. Not for sale: the type|Biochar; there are: Cookstoves, Wind.",
		},
	},
	"a budget buys as many tonnes as it pays for": {
		{Keys: "B", Do: fills(map[int]string{fieldBudget: "$100"}), Sees: "$100.00 of 3 vintages|$99.75 for 105 t · $0.95/t · 1 order of 1 project"},
		{Keys: "B", Typed: "0.5"},
		{Keys: "enter", Sees: "✗ $0.50 pay for no basket within the limits. Give more money, or loosen a limit."},
		// Typing tonnes clears the budget.
		{Keys: "B up", Typed: "7"},
		{Keys: "enter", Sees: "7 t of 3 vintages"},
	},
	"a floor by label uses imported attributes": {
		{Do: hears(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{
			{Scope: attribute.OfVintage, ID: "004camb0", Attribute: attribute.CCP, Value: attribute.Labelled},
		})})},
		{
			Keys: "B", Do: fills(map[int]string{fieldTonnes: "1000", fieldFloors: "label:ccp=50"}),
			Sees: "$2,060.00|limit: floor label:ccp=50% binds, $1,585.00 cheaper without it",
		},
		{
			Keys: "B", Do: fills(map[int]string{fieldFloors: "label:vm0007=50"}),
			Sees: "without floor label:vm0007=50% there would be 500 t more.|`tonne attributes` keeps labels.",
		},
	},
	"esc in the first form keeps the pane": {
		{Keys: "B esc", Sees: "order book", Lacks: "basket"},
		{Keys: "B", Typed: "10"},
		{Keys: "enter", Sees: "10 t of 3 vintages"},
	},
	"a basket of no rows blames the filter": {
		{Keys: "/", Typed: "nothing"},
		{Keys: "enter B", Do: fills(map[int]string{fieldBudget: "25k", fieldProject: "40"}), Sees: "✗ No vintage is left by the filter. Let the filter pass more."},
	},
	"a basket of a partial market warns and is not copied or exported": {
		{Do: func(r *robot) {
			r.Hear(session.MarketEvent{Status: session.Status{Fetching: true, Done: 1, Total: 12}, Market: stoves(0), Partial: true})
		}},
		{Keys: "B", Do: fills(map[int]string{fieldTonnes: "1000 t"}), Sees: partial + "|1,000 t of 3 vintages"},
		{Keys: "Y", Said: "The market is not completely loaded yet."},
		{Keys: "e", Said: "The market is not completely loaded yet.", Do: func(r *robot) { r.poll(stoves(0)) }, Lacks: partial},
		{Keys: "Y", Do: func(r *robot) {
			if len(r.Copied) != 1 {
				r.T.Errorf("complete market: copied %q; %q", r.Copied, r.Said)
			}
		}},
	},
}

const partial = "Only part of the market is loaded: a cheaper basket may exist."

// stoveJourneys start with a basket of 5,000 t of the cookstoves below seven dollars.
var stoveJourneys = uitest.Journeys[*robot]{
	// We paid $3.90 for 3,000 t and $17.25 for 2,000 t of these.
	"a basket below a price needs four keys": {
		{
			Sees: "5,000 t of 2 vintages (type:cookstoves ask<7)  basket|$25,022.00 for 5,000 t · $5.00/t · 4 orders of 2 projects|" +
				"not binding: max price $6.99 (from the filter)|$8,240.00  40.0%|$4,590.00  20.0%|$9,472.00  32.0%|$2,720.00   8.0%",
			Lacks: "Genneia|006dela3", Line: "against last paid|▼ −45.8% against last paid ",
		},
	},
	"the price of the filter limits the basket until a max price is typed": {
		{Keys: "B", Typed: "5,600"},
		{Keys: "enter", Sees: "✗ 100 t of 5,600 t cannot be filled: without max price $6.99 (from the filter) there would be 100 t more."},
		{Keys: "B", Do: fills(map[int]string{fieldPrice: "7.2"}), Sees: "for 5,600 t|not binding: max price $7.20", Lacks: "(from the filter)|cannot be filled"},
		{Keys: "B", Do: fills(map[int]string{fieldPrice: "4.5"}), Sees: "3,600 t of 5,600 t cannot be filled: without max price $4.50"},
	},
	"the form starts at the field that was used last": {
		{Keys: "B", Do: inField(fieldTonnes)},
		{Keys: "down", Typed: "700"},
		{Keys: "enter B", Do: inField(fieldBudget)},
		{Keys: "up", Typed: "700"},
		{Keys: "enter B", Do: inField(fieldTonnes)},
	},
	"the form remembers the typed texts": {
		// Esc keeps the remembered texts.
		{Keys: "B", Typed: "1"},
		{Keys: "esc", Sees: "5,000 t of 2 vintages"},
		// Closing and reopening the pane keeps them too.
		{Keys: "esc", Lacks: "5,000 t"},
		{Keys: "B", Sees: "5,000 t of 2 vintages"},
		{Keys: "B enter", Sees: "5,000 t of 2 vintages"},
		{Keys: "B", Typed: "700"},
		{Keys: "enter", Sees: "700 t of 2 vintages"},
	},
	"the basket follows the filter and the watch list": {
		{Keys: "B", Typed: "500"},
		{Keys: "enter", Sees: "500 t of 2 vintages|$4.12"},
		{Keys: "/ esc /", Typed: "delagua"},
		{Keys: "enter", Sees: "500 t of 1 vintage (delagua)|$5.92"},
		{Keys: "f / esc", Sees: "500 t of 3 vintages|$0.95"},
		{Keys: "F", Sees: "500 t of 1 vintage|$5.92"},
	},
	"a basket of stale prices warns": {
		{Do: func(r *robot) {
			r.later(45 * time.Second)
			r.View.Market.Status = session.Status{State: session.Stale, At: r.Now.Add(-45 * time.Second), Err: errors.New("connection refused")}
		}, Sees: "⚠ These prices are 45s old: connection refused.|for 5,000 t"},
	},
	"↵ on a line goes to its vintage": {{Keys: "enter j j enter", Sees: "DelAgua Clean Cooking · 2023  order book"}},
	"B reopens the form only for other rows": {
		{Keys: "esc B", Sees: "5,000 t of 2 vintages", Do: func(r *robot) {
			if r.Panel != nil {
				r.T.Error("the form reopened for the same rows")
			}
		}},
		{Keys: "esc esc B", Lacks: "type:cookstoves", Do: inField(fieldTonnes)},
		{Typed: "1000"},
		{Keys: "enter", Sees: "1,000 t of "},
		{Keys: "esc /", Typed: "camb"},
		{Keys: "enter B", Do: inField(fieldTonnes)},
	},
}

func TestBasketJourneys(t *testing.T) {
	t.Parallel()
	basketJourneys.Each(t, func(t testing.TB) *robot {
		r := newRobot(t, store.Open(""))
		r.know()
		r.poll(stoves(0))
		return r
	})
	stoveJourneys.Each(t, func(t testing.TB) *robot { return asking(t, "5000") })
}
