package ui

import (
	"fmt"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

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
			r.press(strings.ReplaceAll(string(letter), " ", "space"))
		}
	}
	r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: manyStoves()})
	r.press("/")
	typed("type:cookstoves ask<7")
	r.press("enter", "B")
	typed("5000")
	r.press("enter")
}

// On wide terminals the depth bars are longer, but never at the cost of the SELL ORDER column.
func TestLongDepthBarsKeepSellOrderColumn(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{200, 60}, {240, 60}} {
		var part market.Page
		part.AddProject("003bale")
		part.AddVintage("004bale2019", 2019)
		for i := range 4 {
			part.AddOrder(fmt.Sprintf("6f1c0b5e-9a7d-4b1e-8f3a-00000000000%d", i), model.Grams(200_000+i*100_000)*model.GramsPerTonne, model.PriceCents(620+i))
		}
		r := settled(t, size[0], size[1])
		r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: market.New(&part)})
		r.Sees("DEPTH", "SELL ORDER")
	}
}
