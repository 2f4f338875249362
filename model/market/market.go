// Package market has a snapshot of the market (Market) with projects, vintages and sell
// orders, the order book of a vintage (Book) with quotes, and the changes between two
// snapshots. It does not fetch data. Start reading at Market and Book.
package market

import (
	"hash/maphash"
	"slices"
	"strings"

	"tonne/model"
)

// Market is a snapshot of the sell orders by project and vintage (interface section 2.2).
// It is immutable.
type Market struct {
	projects  []Project
	vintages  []Vintage
	orders    []SellOrder
	byVintage index
	byOrder   index
	extras    map[string][]model.Field
	faults    []model.Fault
}

// Project is a project with its vintages, from First up to but not including End.
type Project struct {
	ID         string
	First, End int
}

// Vintage is a vintage with its orders, from First up to but not including End.
type Vintage struct {
	ID string
	// Year is the year of the vintage, or 0 if unreadable.
	Year int32
	// Project is the index of its project.
	Project    uint32
	First, End uint32
	// BestAsk is the lowest price of a whole tonne, or UnknownPrice if none is for sale.
	BestAsk model.PriceCents
	// Available is the sum of all orders, or UnknownGrams if an order is unreadable.
	Available model.Grams
}

// Asks returns the number of sell orders of the vintage.
func (v Vintage) Asks() int { return int(v.End - v.First) }

// SellOrder is an offer of credits of one vintage.
type SellOrder struct {
	ID string
	// Quantity is the available quantity in grams. Only whole tonnes are sold.
	Quantity model.Grams
	Price    model.PriceCents
}

// Readable reports whether the id, the quantity and the price of the order are known.
func (o SellOrder) Readable() bool { return o.ID != "" && o.Quantity.Known() && o.Price.Known() }

// offer returns the quantity of the order, or UnknownGrams if its id or its quantity is
// unreadable: without an id it may be listed twice.
func (o SellOrder) offer() model.Grams {
	if o.ID == "" {
		return model.UnknownGrams
	}
	return o.Quantity
}

// Buyable reports whether the order is readable and offers a whole tonne.
func (o SellOrder) Buyable() bool { return o.Readable() && o.Quantity.Tonnes() > 0 }

// Projects returns the number of projects.
func (m *Market) Projects() int { return len(m.projects) }

// Vintages returns the number of vintages over all projects.
func (m *Market) Vintages() int { return len(m.vintages) }

// Orders returns the number of sell orders over all vintages.
func (m *Market) Orders() int { return len(m.orders) }

// ProjectIDs returns the ids of the projects, in the order of the service.
func (m *Market) ProjectIDs() []string { return projectIDs(m.projects) }

func projectIDs(projects []Project) []string {
	ids := make([]string, len(projects))
	for i, p := range projects {
		ids[i] = p.ID
	}
	return ids
}

// Project returns project i, counted from 0 in the order of the service.
func (m *Market) Project(i int) Project { return m.projects[i] }

// Vintage returns vintage i. The vintages of a project are consecutive.
func (m *Market) Vintage(i int) Vintage { return m.vintages[i] }

// ProjectOf returns the project of vintage i.
func (m *Market) ProjectOf(i int) Project { return m.projects[m.vintages[i].Project] }

// Key returns the key of vintage i.
func (m *Market) Key(i int) model.VintageKey {
	return model.VintageKey{ProjectID: m.ProjectOf(i).ID, VintageID: m.vintages[i].ID}
}

// Has reports whether sell order i is of a vintage.
func (m *Market) Has(vintage, i int) bool {
	return int(m.vintages[vintage].First) <= i && i < int(m.vintages[vintage].End)
}

// Order returns sell order i. The orders of a vintage are consecutive.
func (m *Market) Order(i int) SellOrder { return m.orders[i] }

func (m *Market) ordersOf(i int) []SellOrder {
	return m.orders[m.vintages[i].First:m.vintages[i].End]
}

// Tonnes returns the whole tonnes of the orders of vintage i, or -1 if one is unreadable.
func (m *Market) Tonnes(i int) int64 {
	var tonnes int64
	for _, o := range m.ordersOf(i) {
		if !o.offer().Known() {
			return -1
		}
		tonnes += o.Quantity.Tonnes()
	}
	return tonnes
}

// Unreadable reports whether all prices or all quantities are unreadable.
func (m *Market) Unreadable() bool {
	return model.NoneKnown(m.orders, func(o SellOrder) bool { return o.Price.Known() }) ||
		model.NoneKnown(m.orders, func(o SellOrder) bool { return o.Quantity.Known() })
}

// Whole reports whether the market has all that was listed: each id, price and quantity is
// readable, and no order is listed twice with different values.
func (m *Market) Whole() bool {
	return !slices.ContainsFunc(m.projects, func(p Project) bool { return p.ID == "" }) &&
		!slices.ContainsFunc(m.vintages, func(v Vintage) bool { return v.ID == "" || !v.Available.Known() }) &&
		!slices.ContainsFunc(m.orders, func(o SellOrder) bool { return !o.Readable() })
}

// Find returns the index of the vintage with a key.
func (m *Market) Find(key model.VintageKey) (int, bool) {
	return m.byVintage.find(key.VintageID, func(i int) bool { return m.Key(i) == key })
}

// Offer returns the best ask and the available quantity of a vintage, or UnknownPrice and 0
// if it is not for sale.
func (m *Market) Offer(key model.VintageKey) (bestAsk model.PriceCents, available model.Grams) {
	if i, ok := m.Find(key); ok {
		return m.vintages[i].BestAsk, m.vintages[i].Available
	}
	return model.UnknownPrice, 0
}

// FindVintage returns the index of the first vintage with the id in any project.
func (m *Market) FindVintage(id string) (int, bool) {
	return m.byVintage.find(id, func(i int) bool { return m.vintages[i].ID == id })
}

// AmbiguousError is returned for a vintage whose id several projects have.
type AmbiguousError struct {
	VintageID string
	// Projects are the ids of the projects.
	Projects []string
}

// Error names the projects.
func (e *AmbiguousError) Error() string {
	return "the vintage " + e.VintageID + " is in several projects: " + strings.Join(e.Projects, ", ")
}

// ProjectsOf returns the ids of the projects that have a vintage with the id.
func (m *Market) ProjectsOf(id string) (projects []string) {
	for i, v := range m.vintages {
		if v.ID == id {
			projects = append(projects, m.ProjectOf(i).ID)
		}
	}
	return projects
}

// FindOrder returns the index of the sell order with the id.
func (m *Market) FindOrder(id string) (int, bool) {
	return m.byOrder.find(id, func(i int) bool { return m.orders[i].ID == id })
}

// Extra returns the undocumented members of a project, vintage or order.
func (m *Market) Extra(id string) []model.Field { return m.extras[id] }

// Faults returns the unreadable values, in wire order.
func (m *Market) Faults() []model.Fault { return m.faults }

// index is a hash table of rows by id. It stores only row numbers: 8 MB for a million.
type index struct {
	seed  maphash.Seed
	slots []uint32 // row+1; 0 is free
}

func newIndex(rows int) index {
	size := 8
	for size < rows*2 {
		size *= 2
	}
	return index{maphash.MakeSeed(), make([]uint32, size)}
}

func (x index) slot(id string, same func(row int) bool) *uint32 {
	mask := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, id) & mask
	for x.slots[at] != 0 && !same(int(x.slots[at]-1)) {
		at = (at + 1) & mask
	}
	return &x.slots[at]
}

func (x index) find(id string, same func(row int) bool) (int, bool) {
	if len(x.slots) == 0 {
		return -1, false
	}
	slot := x.slot(id, same)
	return int(*slot) - 1, *slot != 0
}

func (x index) add(id string, row int, same func(row int) bool) bool {
	slot := x.slot(id, same)
	if *slot != 0 {
		return false
	}
	*slot = uint32(row + 1)
	return true
}
