package market

import (
	"slices"

	"tonne/model"
)

// Page collects a page while it is decoded. The zero value is empty.
type Page struct {
	// The vintages and orders are those of the whole market if the page is a part of one.
	projects []Project
	vintages []Vintage
	orders   []SellOrder
	extras   map[string][]model.Field
	faults   []model.Fault
}

// Grow makes room for that many more sell orders.
func (p *Page) Grow(orders int) { p.orders = slices.Grow(p.orders, orders) }

// AddProject starts a project: the vintages that follow belong to it.
func (p *Page) AddProject(id string) {
	p.projects = append(p.projects, Project{id, len(p.vintages), len(p.vintages)})
}

// AddVintage starts a vintage of the last project. An unreadable year is 0.
func (p *Page) AddVintage(id string, year int) {
	orders := uint32(len(p.orders))
	p.vintages = append(p.vintages, Vintage{ID: id, Year: int32(year), First: orders, End: orders})
	p.projects[len(p.projects)-1].End++
}

// NameProject names the last project: members of an object come in any order.
func (p *Page) NameProject(id string) { p.projects[len(p.projects)-1].ID = id }

// NameVintage names the last vintage.
func (p *Page) NameVintage(id string, year int) {
	v := &p.vintages[len(p.vintages)-1]
	v.ID, v.Year = id, int32(year)
}

// AddOrder adds a sell order to the last vintage.
func (p *Page) AddOrder(id string, quantity model.Grams, price model.PriceCents) {
	p.orders = append(p.orders, SellOrder{id, quantity, price})
	p.vintages[len(p.vintages)-1].End++
}

// AddExtra keeps an undocumented member of the project, vintage or order with the id.
func (p *Page) AddExtra(id string, f model.Field) {
	if p.extras == nil {
		p.extras = make(map[string][]model.Field)
	}
	p.extras[id] = append(p.extras[id], f)
}

// AddFault keeps why a value could not be read.
func (p *Page) AddFault(f model.Fault) { p.faults = append(p.faults, f) }

// Page returns the projects from first up to but not including end, without faults.
func (m *Market) Page(first, end int) *Page {
	return &Page{projects: m.projects[first:end], vintages: m.vintages, orders: m.orders, extras: m.extras}
}

// Projects returns the number of projects on the page.
func (p *Page) Projects() int { return len(p.projects) }

// Orders returns the number of sell orders on the page.
func (p *Page) Orders() (orders int) {
	for _, project := range p.projects {
		for _, v := range p.vintages[project.First:project.End] {
			orders += v.Asks()
		}
	}
	return orders
}

// ProjectIDs returns the ids of the projects on the page.
func (p *Page) ProjectIDs() []string { return projectIDs(p.projects) }
