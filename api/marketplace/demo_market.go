package marketplace

import (
	"fmt"

	"tonne/api/marketplace/catalogue"
	"tonne/model"
)

// demoVintage is a vintage of the demo and the price its market moves around.
type demoVintage struct {
	vintage
	id   string
	fair model.PriceCents
}

// addProjects adds the projects of the catalogue with two to five vintages
// each. Older vintages are cheaper.
func (d *demo) addProjects() error {
	registries := make(map[string]int64)
	for _, p := range &catalogue.Projects {
		if registries[p.Registry] == 0 {
			id, err := d.newID(registryID)
			if err != nil {
				return err
			}
			if err := run(d.Conn, "INSERT INTO registries (id, name) VALUES (?, ?)", id, p.Registry); err != nil {
				return err
			}
			registries[p.Registry] = d.LastInsertRowID()
		}
		vintages, err := d.addProject(p, registries[p.Registry])
		if err != nil {
			return err
		}
		d.projects = append(d.projects, vintages)
	}
	return nil
}

func (d *demo) addProject(p catalogue.Project, registry int64) ([]demoVintage, error) {
	id, err := d.newID(projectID)
	if err != nil {
		return nil, err
	}
	if err := run(d.Conn, `INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, id, p.Name, p.Type, p.Country, registry, p.Number, p.URL(), p.Description()); err != nil {
		return nil, err
	}
	number := d.LastInsertRowID()
	for i, name := range p.SDGs() {
		if err := run(d.Conn, "INSERT INTO project_sdgs (project, position, name) VALUES (?, ?, ?)", number, i, name); err != nil {
			return nil, err
		}
	}
	return d.addVintages(number, p)
}

func (d *demo) addVintages(project int64, p catalogue.Project) ([]demoVintage, error) {
	low, high := p.Band()
	newest := d.now.Year() - 1 - int(d.between(0, 2))
	count := int(d.between(2, 5))
	top := d.between(int64(low+high)/2, int64(high))
	vintages := make([]demoVintage, count)
	for i := range vintages {
		age := int64(count - 1 - i)
		fair := max(int64(low), top-top*age*d.between(6, 11)/100)
		v := demoVintage{fair: tick(fair)}
		v.project = project
		var err error
		batch := d.between(2, 12) * 1000
		if p.Registry == catalogue.ART {
			batch *= 20
		}
		if v.number, v.id, err = d.addVintage(v, newest-int(age), batch); err != nil {
			return nil, err
		}
		vintages[i] = v
	}
	return vintages, nil
}

// addVintage adds a vintage whose serial numbers the registry issues in
// batches of the given size.
func (d *demo) addVintage(v demoVintage, year int, batch int64) (number int64, id string, err error) {
	if id, err = d.newID(vintageID); err != nil {
		return 0, "", err
	}
	first := d.between(0, 40)*batch + d.between(1, batch/2)
	if err := run(d.Conn, `INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
		VALUES (?, ?, ?, '', ?, ?)`, id, v.project, year, first, batch); err != nil {
		return 0, "", err
	}
	number = d.LastInsertRowID()
	return number, id, run(d.Conn, "INSERT INTO demo_vintages (vintage, seller, base_cents, fair_cents) VALUES (?, ?, ?, ?)",
		number, d.seller, int64(v.fair), int64(v.fair))
}

// tick rounds a price to the step in which such prices are quoted.
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

// addOrders opens the market: a few sell orders for each vintage, from its
// fair price upwards, and one of the tenant's own.
func (d *demo) addOrders() error {
	d.at = d.now
	for _, vintages := range d.projects {
		for _, v := range vintages {
			for range d.between(2, 8) {
				if err := d.addOrder(v, d.seller); err != nil {
					return err
				}
			}
		}
	}
	return d.addOrder(d.projects[0][0], d.tenant)
}

func (d *demo) addOrder(v demoVintage, seller int64) error {
	price := tick(int64(v.fair) * (1000 + d.ladder()) / 1000)
	_, err := d.offer(sellOrder{vintage: v.vintage, seller: seller, price: price, quantity: d.size(price)})
	return err
}

// ladder is how far an order is priced above the fair price, in tenths of a
// per cent: most are close to it.
func (d *demo) ladder() int64 { return d.rand.Int64N(1 + d.rand.Int64N(220)) }

// size is what an order offers. Cheap credits come in large lots. Some orders
// have a fraction left over that nobody can buy.
func (d *demo) size(price model.PriceCents) model.Grams {
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

// externalID numbers the orders of the demo's history.
func (d *demo) externalID() string {
	d.orders++
	return fmt.Sprintf("demo-%04d", d.orders)
}
