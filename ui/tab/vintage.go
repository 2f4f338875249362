package tab

import (
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/filter"
	"tonne/model/portfolio"
	"tonne/ui/style"
	"tonne/ui/table"
)

// Projects has the details of projects for rows. The order of the rows uses the details of the last Settle, so
// that details that arrive later do not move rows while the user reads.
type Projects struct{ Known, sorted model.Projects }

// Settle makes the current details the basis of the order, if they include all given projects.
func (p *Projects) Settle(ids []string) {
	for _, id := range ids {
		if _, known := p.Known[id]; !known {
			return
		}
	}
	p.sorted = p.Known
}

// Waiting reports whether there are details that the order does not use yet.
func (p *Projects) Waiting() bool { return len(p.sorted) != len(p.Known) }

// Vintage is the vintage of a row with the details of its project.
type Vintage struct {
	*Projects
	Key model.VintageKey
}

// Project returns the known details of the project.
func (v Vintage) Project() model.Project { return v.Known[v.Key.ProjectID] }

// Name returns the name of the project, or its id.
func (v Vintage) Name() string { return v.Known.Name(v.Key.ProjectID) }

// FilterRow returns the row for a filter, without offers and balances.
func (v Vintage) FilterRow(needs filter.Needs, year int, paid portfolio.LastPaidPrices, facts *attribute.Facts) filter.Row {
	f := filter.Row{Year: year, BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams, Held: model.UnknownGrams}
	if needs.Details {
		p := v.Project()
		f.Name, f.ProjectID, f.VintageID = p.Name, v.Key.ProjectID, v.Key.VintageID
		f.Type, f.Country, f.Registry, f.RegistryID = p.Type, p.Country, p.RegistryName, p.RegistryID
	}
	if needs.Paid {
		f.LastPaid = paid.Of(v.Key).Price
	}
	if needs.Labels {
		f.Labels = func() []string { return facts.Labels(v.Key) }
	}
	return f
}

// VintageColumns returns the columns that name the vintage of a row: project, type, country, registry, year and ids.
func VintageColumns[R any](of func(R) Vintage, year func(R) int) []table.Column[R] {
	detail := func(value func(p model.Project) string, c table.Column[R]) table.Column[R] {
		c.Grouped, c.Marked = true, true
		c.Cell = func(c *style.Cell, r R) { c.Put(style.Muted, value(of(r).Project())) }
		c.Text = func(r R) string { v := of(r); return value(v.sorted[v.Key.ProjectID]) }
		return c
	}
	id := func(value func(k model.VintageKey) string, c table.Column[R]) table.Column[R] {
		c.Max, c.Middle, c.Priority, c.Hidden = 24, true, 11, true
		c.Text = func(r R) string { return value(of(r).Key) }
		c.Cell = func(cell *style.Cell, r R) { cell.Put(style.Muted, c.Text(r)) }
		return c
	}
	project := detail(nil, table.Column[R]{Key: "project", Name: "project_name", Title: "PROJECT", Help: "The project's name.", Min: 20, Ideal: 28, Max: 44})
	project.Cell = func(c *style.Cell, r R) { c.Put(style.Name, of(r).Name()) }
	project.Text = func(r R) string {
		v := of(r)
		if _, known := v.sorted[v.Key.ProjectID]; !known {
			return ""
		}
		return v.sorted.Name(v.Key.ProjectID)
	}
	return []table.Column[R]{
		project,
		detail(func(p model.Project) string { return p.Type },
			table.Column[R]{Key: "type", Name: "type", Title: "TYPE", Help: "The kind of project.", Min: 10, Max: 26, Whole: true, Priority: 5}),
		detail(func(p model.Project) string { return p.Country },
			table.Column[R]{Key: "country", Name: "country", Title: "CC", Help: "The project's country.", Max: 4, Priority: 7}),
		detail(func(p model.Project) string { return p.RegistryName },
			table.Column[R]{Key: "registry", Name: "registry", Title: "REGISTRY", Help: "The registry of the project.", Max: 18, Priority: 10, Hidden: true}),
		{Key: "vintage", Name: "vintage_year", Title: "VINTAGE", Help: "The year of the vintage.", Align: style.Right, Marked: true,
			Cell:   func(c *style.Cell, r R) { c.Put(style.Text, Year(year(r))) },
			Number: func(r R) (int64, bool) { y := year(r); return int64(y), y != 0 }},
		id(func(k model.VintageKey) string { return k.ProjectID }, table.Column[R]{Key: "projectid", Name: "project_id", Title: "PROJECT ID", Help: "The id of the project."}),
		id(func(k model.VintageKey) string { return k.VintageID }, table.Column[R]{Key: "vintageid", Name: "vintage_id", Title: "VINTAGE ID", Help: "The id of the vintage."}),
	}
}
