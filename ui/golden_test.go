package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

var sizes = [...][2]int{{80, 24}, {120, 36}, {160, 45}}

// goldens lead to the screens that are compared with files: as text in each size, and with their
// colours in each theme.
var goldens = map[string]struct {
	show   func(*robot)
	sizes  [][2]int
	themes []string
}{
	"market": {show: func(*robot) {}},
	"inventory": {show: (*robot).ShowInventory, sizes: append(sizes[:], [2]int{200, 60}),
		themes: []string{"dark", "light", "mono"}},
	"retirements": {show: (*robot).ShowRetirements},
	"retire-review": {
		show: (*robot).Reviews, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"light", "mono"},
	},
	"basket": {show: (*robot).ask, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"dark", "light", "mono"}},
	"basket-form": {show: func(r *robot) {
		r.ask()
		r.Press("B", "tab", "tab", "tab", "4", "0", "x", "enter")
	}, sizes: [][2]int{{80, 24}}},
	"views": {show: func(r *robot) {
		r.hear(session.ChoicesEvent{Choices: savedViews})
		r.Command("view")
	}, sizes: [][2]int{{80, 24}, {120, 36}}},
	"desk": {show: (*robot).showDesk, sizes: [][2]int{{160, 45}, {200, 60}, {240, 70}}},
	"history": {show: func(r *robot) { r.hear(whatFired(3)); r.Press("w") }, sizes: append(sizes[:], [2]int{200, 60}),
		themes: []string{"dark", "light", "mono"}},
}

func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	for name, golden := range goldens {
		draw := func(file, theme string, colours bool, width, height int) {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				r := newRobotWith(t, width, height, func(o *Options) {
					o.Theme = theme
					if name == "retire-review" {
						o.Retire = &carriesOut{}
					}
				})
				if name == "retire-review" {
					r.run(r.app.Init())
				}
				r.settle()
				golden.show(r)
				uitest.Exact(t, r.frame(), width, height)
				frame := r.frame()
				if colours {
					frame = strings.ReplaceAll(frame, "\x1b", "␛")
				}
				uitest.Golden(t, file, frame)
			})
		}
		if golden.sizes == nil {
			golden.sizes = sizes[:]
		}
		for _, size := range golden.sizes {
			draw(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), "dark", false, size[0], size[1])
		}
		for _, theme := range golden.themes {
			draw(name+"-"+theme, theme, true, 120, 36)
		}
	}
}

// manyStoves returns a market with several ways to buy thousands of tonnes.
func manyStoves() *market.Market {
	var part market.Page
	vintage := func(project string, year int, orders ...model.PriceCents) {
		part.AddVintage(fmt.Sprint("004", project[3:], year), year)
		for i, price := range orders {
			part.AddOrder(fmt.Sprintf("006%s%d%d", project[3:], year, i), model.Grams(700+400*i)*model.GramsPerTonne, price)
		}
	}
	part.AddProject("003bale")
	vintage("003bale", 2019, 620, 651)
	part.AddProject("003camb")
	vintage("003camb", 2020, 412, 459, 592)
	vintage("003camb", 2021, 498, 540)
	part.AddProject("003dela")
	vintage("003dela", 2023, 480, 655, 720)
	vintage("003dela", 2024, 1725)
	part.AddProject("003gene")
	vintage("003gene", 2019, 95, 99)
	return market.New(&part)
}

// ask requests a basket of 5,000 t of cookstoves below seven dollars.
func (r *robot) ask() {
	typed := func(text string) {
		for _, letter := range text {
			r.Press(strings.ReplaceAll(string(letter), " ", "space"))
		}
	}
	r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: manyStoves()})
	r.Press("/")
	typed("type:cookstoves ask<7")
	r.Press("enter", "B")
	typed("5000")
	r.Press("enter")
}

// showDesk opens the desk view with a watch list, a fired rule and a day of prices.
func (r *robot) showDesk() {
	bale, kwamisa := uitest.Key("003bale", 0), uitest.Key("003kwam", 1)
	below, plenty := alert.Rule{Compare: alert.Below, Price: 700},
		alert.Rule{Measure: alert.Available, Compare: alert.Below, Quantity: 500 * model.GramsPerTonne}
	r.hear(
		session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(below.On(bale)).WithRule(plenty.On(kwamisa)).With(
			uitest.Key("003cabo", 0)).
			WithRule(alert.Rule{Request: "00mclosed", Measure: alert.State, Status: retirement.Closed,
				For: 14 * 24 * time.Hour})},
		whatFired(1),
		session.PricesEvent{Observations: map[model.VintageKey][]store.Observation{bale: {
			{Vintage: bale, At: uitest.Now.Add(-20 * time.Hour), BestAsk: 650},
			{Vintage: bale, At: uitest.Now.Add(-9 * time.Hour), BestAsk: 585},
			{Vintage: bale, At: uitest.Now.Add(-2 * time.Hour), BestAsk: 620},
		}}},
	)
	r.Press("D")
}
