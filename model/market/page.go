package market

import (
	"cmp"
	"runtime"
	"slices"

	"tonne/model"
)

// Page is a page of the market while it is decoded. The zero value is empty.
type Page struct {
	// If the page is a part of a Market, vintages and orders are those of the whole Market.
	projects []Project
	vintages []Vintage
	orders   []SellOrder
	extras   map[string][]model.Field
	faults   []model.Fault
}

// Grow allocates space for a number of further sell orders.
func (p *Page) Grow(orders int) { p.orders = slices.Grow(p.orders, orders) }

// AddProject starts a project. Subsequent vintages belong to it.
func (p *Page) AddProject(id string) {
	p.projects = append(p.projects, Project{id, len(p.vintages), len(p.vintages)})
}

// AddVintage starts a vintage of the last project. An unreadable year is 0.
func (p *Page) AddVintage(id string, year int) {
	orders := uint32(len(p.orders))
	p.vintages = append(p.vintages, Vintage{ID: id, Year: int32(year), First: orders, End: orders})
	p.projects[len(p.projects)-1].End++
}

// NameProject sets the id of the last project, since members may come in any order.
func (p *Page) NameProject(id string) { p.projects[len(p.projects)-1].ID = id }

// NameVintage sets the id and the year of the last vintage.
func (p *Page) NameVintage(id string, year int) {
	v := &p.vintages[len(p.vintages)-1]
	v.ID, v.Year = id, int32(year)
}

// AddOrder adds a sell order to the last vintage.
func (p *Page) AddOrder(id string, quantity model.Grams, price model.PriceCents) {
	p.orders = append(p.orders, SellOrder{id, quantity, price})
	p.vintages[len(p.vintages)-1].End++
}

// AddExtra adds an undocumented member of the project, vintage or order with the id.
func (p *Page) AddExtra(id string, f model.Field) {
	if p.extras == nil {
		p.extras = make(map[string][]model.Field)
	}
	p.extras[id] = append(p.extras[id], f)
}

// AddFault adds a description of an unreadable value.
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

type source struct {
	part           *Page
	place, project int
}

// New joins the pages of one read. If a project, vintage or order is listed twice, because
// it moved between pages during the read, only the first is kept. Those without a readable
// id are all kept.
func New(parts ...*Page) *Market {
	m := &Market{}
	var sources []source
	places := make(map[string]int)
	vintages, orders, count := 0, 0, 0
	for _, part := range parts {
		orders += part.Orders()
		for i, p := range part.projects {
			place, seen := places[p.ID]
			if !seen || p.ID == "" {
				place = count
				places[p.ID] = place
				count++
			}
			sources = append(sources, source{part, place, i})
			vintages += p.End - p.First
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(a.place, b.place) })
	m.projects, m.vintages, m.orders = make([]Project, 0, count), make([]Vintage, 0, vintages),
		make([]SellOrder, 0, orders)
	m.byVintage, m.byOrder = newIndex(vintages), newIndex(orders)
	for _, s := range sources {
		m.addProject(s.part, s.part.projects[s.project], s.place)
	}
	for _, part := range parts {
		m.faults = append(m.faults, part.faults...)
	}
	return m
}

// yieldAfter is the number of vintages that are joined before other goroutines may run,
// such as one that handles a key press. They take well under a millisecond. Package wire says
// what a key gains.
const yieldAfter = 100

func (m *Market) addProject(part *Page, p Project, place int) {
	if place == len(m.projects) {
		m.projects = append(m.projects, Project{ID: p.ID, First: len(m.vintages)})
	}
	m.addExtra(part, p.ID)
	listed := len(m.vintages)
	for _, v := range part.vintages[p.First:p.End] {
		m.addVintage(part, v, uint32(place), listed)
		if len(m.vintages)%yieldAfter == 0 {
			runtime.Gosched()
		}
	}
	m.projects[place].End = len(m.vintages)
}

// addVintage adds a vintage unless its project has it. The second list of its orders is
// the same book at another time, unless this list of the project has both: it begins at listed.
func (m *Market) addVintage(part *Page, v Vintage, project uint32, listed int) {
	first := 0
	same := func(i int) bool {
		first = i
		return m.vintages[i].ID == v.ID && m.vintages[i].Project == project
	}
	if v.ID != "" && !m.byVintage.add(v.ID, len(m.vintages), same) {
		if first >= listed {
			m.repeatVintage(&m.vintages[first], part.orders[v.First:v.End])
		}
		return
	}
	m.addExtra(part, v.ID)
	row := Vintage{ID: v.ID, Year: v.Year, Project: project, First: uint32(len(m.orders)), BestAsk: model.UnknownPrice}
	if !v.Available.Known() { // on a page of a market
		row.Available = v.Available
	}
	for _, o := range part.orders[v.First:v.End] {
		if o.ID != "" && !m.byOrder.add(o.ID, len(m.orders), func(i int) bool { return m.orders[i].ID == o.ID }) {
			m.repeat(&row, o)
			continue
		}
		m.addExtra(part, o.ID)
		m.orders = append(m.orders, o)
		m.count(&row, o.offer())
		if o.Buyable() && (!row.BestAsk.Known() || o.Price < row.BestAsk) {
			row.BestAsk = o.Price
		}
	}
	row.End = uint32(len(m.orders))
	m.vintages = append(m.vintages, row)
}

// repeatVintage handles the second list of the orders of a vintage. Its quantity is unknown unless the first one has
// them too.
func (m *Market) repeatVintage(row *Vintage, orders []SellOrder) {
	for _, o := range orders {
		if i, found := m.FindOrder(o.ID); !found || m.orders[i] != o {
			row.Available = model.UnknownGrams
			m.faults = append(m.faults, model.Fault{Path: row.ID, Reason: "is twice in its project, with different orders"})
			return
		}
	}
}

// repeat handles an order that the market has already. An order belongs to one vintage, and one
// list has it once, so the available quantity is unknown unless both are the same.
func (m *Market) repeat(row *Vintage, o SellOrder) {
	first, _ := m.FindOrder(o.ID)
	reason := ""
	switch {
	case first < int(row.First):
		reason = "have an order of another vintage: " + o.ID
	case m.orders[first] != o:
		reason = "have an order twice, with different values: " + o.ID
	default:
		return
	}
	row.Available = model.UnknownGrams
	m.faults = append(m.faults, model.Fault{Path: row.ID + ".sell_orders", Reason: reason})
}

// count adds an order to the available quantity, or makes that unknown if the order is unreadable.
func (m *Market) count(row *Vintage, q model.Grams) {
	if !row.Available.Known() || !q.Known() {
		row.Available = model.UnknownGrams
		return
	}
	sum, err := model.AddGrams(row.Available, q)
	if err != nil {
		sum = model.UnknownGrams
		m.faults = append(m.faults, model.Fault{Path: row.ID + ".sell_orders", Reason: "sum to more than a quantity can be"})
	}
	row.Available = sum
}

func (m *Market) addExtra(part *Page, id string) {
	if len(part.extras[id]) == 0 || m.extras[id] != nil {
		return
	}
	if m.extras == nil {
		m.extras = make(map[string][]model.Field)
	}
	m.extras[id] = part.extras[id]
}
