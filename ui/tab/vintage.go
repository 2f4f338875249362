package tab

import (
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/filter"
	"tonne/model/portfolio"
	"tonne/ui/column"
	"tonne/ui/style"
	"tonne/ui/table"
)

// Projects has the details of projects for rows. The order of the rows uses the details of the last Settle, so
// that details that arrive later do not move rows while the user reads.
type Projects struct {
	Known, sorted model.Projects
	// seen is the number of known details at the last move.
	seen int
	// settled counts the calls of Settle that changed sorted.
	settled int
}

// Settle makes the current details the basis of the order, if they include all given projects.
func (p *Projects) Settle(ids []string) {
	for _, id := range ids {
		if _, known := p.Known[id]; !known {
			return
		}
	}
	p.sorted = p.Known
	p.settled++
}

// Settled returns how often the basis of the order has changed.
func (p *Projects) Settled() int { return p.settled }

// Waiting reports whether there are details that the order does not use yet.
func (p *Projects) Waiting() bool { return len(p.sorted) != len(p.Known) }

// Moved reports whether the rows are to be sorted by the current details after a move. While many more arrive,
// it waits for those: to sort all rows for each key would delay the next one.
func (p *Projects) Moved() bool {
	arriving := len(p.Known) != p.seen
	p.seen = len(p.Known)
	return p.Waiting() && (!arriving || len(p.Known) >= 2*len(p.sorted))
}

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
func (v Vintage) FilterRow(
	needs filter.Needs,
	year int,
	paid portfolio.LastPaidPrices,
	facts *attribute.Facts,
) filter.Row {
	f := filter.Row{
		Year:      year,
		BestAsk:   model.UnknownPrice,
		LastPaid:  model.UnknownPrice,
		Available: model.UnknownGrams,
		Held:      model.UnknownGrams,
	}
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

func (v Vintage) named(year int) column.Vintage {
	return column.Vintage{Key: v.Key, Projects: v.Known, Year: int32(year)}
}

// VintageColumns returns the columns that name the vintage of a row. Those of its project are shown once in a group.
func VintageColumns[R any](of func(R) Vintage, year func(R) int) []table.Column[R] {
	columns := table.Place(
		column.VintageColumns,
		func(r R) column.Vintage { return of(r).named(year(r)) },
		[]table.Column[R]{
			{Key: "project", Name: "project_name", Style: style.Name, Min: 20, Ideal: 28, Max: 44},
			{Key: "type", Name: "type", Min: 10, Max: 26, Whole: true, Priority: 5},
			{Key: "country", Name: "country", Max: 4, Priority: 7},
			{Key: "registry", Name: "registry", Title: "REGISTRY", Max: 18, Priority: 10, Hidden: true},
			{Key: "vintage", Name: "vintage_year", Title: "VINTAGE", Marked: true},
			idColumn[R]("projectid", "project_id", "PROJECT ID"),
			idColumn[R]("vintageid", "vintage_id", "VINTAGE ID"),
		}...)
	for i := range columns {
		if c := &columns[i]; !c.Middle && column.ProjectColumns.Has(c.Name) {
			c.Grouped, c.Marked, c.Order = true, true, settled(of, column.ProjectColumns.Pick(c.Name)[0])
			if c.Style == style.Text {
				c.Style, c.Bare = style.Muted, true
			}
		}
	}
	return columns
}

func idColumn[R any](key, name, title string) table.Column[R] {
	return table.Column[R]{
		Key:      key,
		Name:     name,
		Title:    title,
		Style:    style.Muted,
		Max:      24,
		Middle:   true,
		Priority: 11,
		Hidden:   true,
	}
}

// settled returns the value of a detail in the details that order the rows.
func settled[R any](of func(R) Vintage, detail field.Column[column.Vintage]) func(R) field.Value {
	return func(r R) field.Value {
		v := of(r)
		if _, known := v.sorted[v.Key.ProjectID]; !known {
			return field.Value{}
		}
		return detail.Shown(column.Vintage{Key: v.Key, Projects: v.sorted})
	}
}
