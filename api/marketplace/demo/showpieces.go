package demo

import (
	"io"
	"slices"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

type showpiece struct {
	label string
	// project is the number of a project in its registry. The request retires its newest
	// vintage.
	project string
	month   int
	grams   []model.Grams
	retiree exchange.Retiree
	other   bool
}

// showpieces returns a request for every state and for every registry. An item whose retiree
// has no tax id fails a check of the audit.
func showpieces() []showpiece {
	customer := exchange.Retiree{Name: customerName, TaxID: "GB 123 456 789", Country: "GB"}
	tonnes := func(t int64) []model.Grams { return []model.Grams{model.Grams(t * model.GramsPerTonne)} }
	return []showpiece{
		{label: "several serial ranges", project: "1340", month: -5, grams: tonnes(15_000), retiree: customer},
		{label: "gathered from fractions", project: "11603", month: -4, grams: []model.Grams{1_250_000, 700_000, 2_400_000}},
		{label: "no tax id: a check fails", project: "2925", month: -4, grams: tonnes(120),
			retiree: exchange.Retiree{Name: customerName, Country: "GB"}},
		{label: "followed on the registry", project: "672", month: -2, grams: tonnes(400), retiree: customer},
		{label: "followed from its invoice on", project: "12065", month: -1, grams: tonnes(2_500), retiree: customer},
		{label: "gathers fractions", project: "3425", month: 0, grams: []model.Grams{20, 40, 1_300_500}},
		{label: "less than a tonne", project: "4150", month: -3, grams: []model.Grams{420_000}},
		{label: "Gold Standard", project: "2913", month: -6, grams: tonnes(5_354), retiree: customer},
		{label: "ACR", project: "1129", month: -6, grams: tonnes(4_212), retiree: customer},
		{label: "CAR", project: "1459", month: -3, grams: tonnes(5_000), retiree: customer},
		{label: "ART", project: "102", month: -7, grams: tonnes(100_000), retiree: customer},
		{label: "Puro", project: "577166", month: -3, grams: tonnes(100), retiree: customer},
		{label: "another tenant's: not found", project: "1975", month: -3, grams: tonnes(30), other: true},
	}
}

// showpieceEvents request the showpieces. Each has a separate source of random numbers, so that
// its id is the same on any day and documents can name it.
func (d *loader) showpieceEvents() []event {
	shown := showpieces()
	d.retirements = make([]Retirement, len(shown))
	var events []event
	for n, s := range shown {
		d.retirements[n].Label = s.label
		v := d.newestOf(s.project)
		call := exchange.RetirementCall{External: s.retiree != exchange.Retiree{}, Retiree: s.retiree}
		tenant := d.tenant
		if s.other {
			tenant = d.other
		}
		for i, grams := range s.grams {
			at := d.month(s.month).AddDate(0, 0, 4).Add(time.Duration(i)*time.Hour + 11*time.Hour)
			if s.month == 0 {
				at = slices.MaxFunc([]time.Time{d.month(0), d.now.Add(time.Duration(i-3) * time.Minute)}, time.Time.Compare)
			}
			events = append(events, event{at, func() {
				defer func(random io.Reader) { d.Random = random }(d.Random)
				d.Random = source(d.seed, byte(n+1), byte(i))
				call.Quantity = grams
				d.retirements[n].ID = d.retire(tenant, v, v.fair, call)
			}})
		}
	}
	return events
}

func (d *loader) newestOf(number string) vintage {
	for i, p := range catalogue() {
		if p.Number == number {
			vintages := d.projects[i]
			return vintages[len(vintages)-1]
		}
	}
	panic("the catalogue has no project " + number)
}
