package ui

import (
	"fmt"
	"strings"

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
