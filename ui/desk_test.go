package ui

import (
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// showDesk opens the desk view with a watch list, a fired rule and a day of prices.
func (r *robot) showDesk() {
	bale, kwamisa := uitest.Key("003bale", 0), uitest.Key("003kwam", 1)
	below, plenty := alert.Rule{Compare: alert.Below, Price: 700}, alert.Rule{Measure: alert.Available, Compare: alert.Below, Quantity: 500 * model.GramsPerTonne}
	r.hear(
		session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(below.On(bale)).WithRule(plenty.On(kwamisa)).With(uitest.Key("003cabo", 0)).
			WithRule(alert.Rule{Request: "00mclosed", Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour})},
		whatFired(1),
		session.PricesEvent{Observations: map[model.VintageKey][]store.Observation{bale: {
			{Vintage: bale, At: uitest.Now.Add(-20 * time.Hour), BestAsk: 650}, {Vintage: bale, At: uitest.Now.Add(-9 * time.Hour), BestAsk: 585},
			{Vintage: bale, At: uitest.Now.Add(-2 * time.Hour), BestAsk: 620},
		}}},
	)
	r.Press("D")
}
