package demo

import (
	"tonne/api/marketplace/exchange"
	"tonne/model"
)

type vintage struct {
	exchange.Vintage
	id   string
	fair model.PriceCents
}

func (v vintage) order(seller int64, price model.PriceCents, grams model.Grams) exchange.SellOrder {
	return exchange.SellOrder{Vintage: v.Vintage, Seller: seller, Price: price, Quantity: grams}
}

func (d *loader) addProjects() {
	registries := make(map[string]int64)
	for _, p := range catalogue() {
		if registries[p.Registry] == 0 {
			registries[p.Registry] = exchange.AddRegistry(d.Change, d.NewID(exchange.RegistryID), p.Registry)
		}
		number := exchange.AddProject(d.Change,
			exchange.Listed{Registry: registries[p.Registry], RegistryNumber: p.Number, Project: model.Project{
				ID: d.NewID(exchange.ProjectID), Name: p.Name, Type: p.Type, Country: p.Country, RegistryURL: p.url(),
				Description: p.description(), SDGs: kinds[p.Type].sdgs,
			}})
		d.projects = append(d.projects, d.addVintages(number, p))
	}
}

func (d *loader) addVintages(number int64, p project) []vintage {
	low, high := p.band()
	newest := d.now.Year() - 1 - int(d.between(0, 2))
	count := int(d.between(2, 5))
	top := d.between(int64(low+high)/2, int64(high))
	vintages := make([]vintage, count)
	for i := range vintages {
		age := int64(count - 1 - i)
		fair := max(int64(low), top-top*age*d.between(6, 11)/100)
		batch := d.between(2, 12) * 1000
		if p.Registry == exchange.ART {
			batch *= 20
		}
		v := &vintages[i]
		v.Project, v.fair = number, tick(fair)
		d.addVintage(v, p, newest-int(age), batch)
	}
	return vintages
}

// reserved is the number of batches of serial numbers for each vintage. It is more than are
// ever bought.
const reserved = 200

// addVintage gives each vintage of a registry different serial numbers.
func (d *loader) addVintage(v *vintage, p project, year int, batch int64) {
	v.id = d.NewID(exchange.VintageID)
	// All vintages of a registry share one numbering of batches.
	start := (d.issued[p.Registry] + batch - 1) / batch * batch
	d.issued[p.Registry] = start + reserved*batch
	first := start + d.between(0, 40)*batch + d.between(1, batch/2)
	v.Number = exchange.AddVintage(d.Change, exchange.ListedVintage{
		Vintage: v.Vintage, ProjectVintage: model.ProjectVintage{ID: v.id, Year: year, RegistryURL: p.vintageURL(year)},
	}, first, batch)
	exchange.AddDemoVintage(d, exchange.DemoVintage{Vintage: v.Vintage, Seller: d.seller, Base: v.fair, Fair: v.fair})
}

func tick(cents int64) model.PriceCents {
	step := int64(1)
	switch {
	case cents >= 5000:
		step = 25
	case cents >= 1000:
		step = 5
	}
	return model.PriceCents(max(step, (cents+step/2)/step*step))
}

func (d *loader) addOrders() {
	for _, vintages := range d.projects {
		for _, v := range vintages {
			for range d.between(2, 8) {
				d.addOrder(v, d.seller, 1000)
			}
		}
	}
	// The tenant cannot buy its own order, so it is the dearest of its vintage.
	d.addOrder(d.projects[0][0], d.tenant, 1300)
}

// addOrder offers credits for at least so many tenths of a per cent of the fair price.
func (d *loader) addOrder(v vintage, seller, least int64) {
	price := tick(int64(v.fair) * (least + d.ladder()) / 1000)
	exchange.Offer(d.Change, v.order(seller, price, d.size(price)))
}

// ladder returns the distance of an order from the lowest price, in tenths of a per cent. Most
// orders are close to it, and none is more than 220 away.
func (d *loader) ladder() int64 { return d.rand.Int64N(1 + d.rand.Int64N(220)) }

func (d *loader) size(price model.PriceCents) model.Grams {
	lots := [...]int64{10, 20, 25, 40, 50, 75, 100, 150, 200, 250, 400, 500, 750, 1000}
	tonnes := lots[d.rand.IntN(len(lots))]
	if price < 500 {
		tonnes *= 10
	}
	grams := model.Grams(tonnes * model.GramsPerTonne)
	if d.rand.IntN(40) == 0 {
		grams += model.Grams(d.between(1, 9) * 100_000)
	}
	return grams
}
