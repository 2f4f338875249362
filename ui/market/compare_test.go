package market

import (
	"fmt"
	"time"

	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

// Comparing marks vintages after a day of prices and compares them: one that was bought, its neighbour, one with
// a label, and one of another kind.
func (r *robot) Comparing() {
	for n := range 20 {
		r.later(34 * time.Minute)
		r.poll(uitest.Market(model.PriceCents(n * n % 37)))
	}
	r.Labelled("003cabo")
	r.Press("M", "j", "M", "j", "j", "j", "j", "M", "G", "M", "=")
}

func (r *robot) Thin() {
	var part market.Page
	part.AddProject("003camb")
	for n, tonnes := range []model.Grams{5, 2000} {
		part.AddVintage(fmt.Sprint("004camb", n), 2020+n)
		part.AddOrder(fmt.Sprint("006camb", n), tonnes*model.GramsPerTonne, 412)
	}
	r.poll(market.New(&part))
}
