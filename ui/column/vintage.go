// Package column has the columns of each kind of data: name, title, help and value. Commands print them, the dashboard
// shows and exports them. Package output has the formats, and ui/table the placement on the screen.
package column

import (
	"cmp"

	"tonne/model"
	"tonne/model/field"
)

// Vintage names a vintage of a project.
type Vintage struct {
	Key model.VintageKey
	// Projects have the known details.
	Projects model.Projects
	// Year is 0 if unknown.
	Year int32
}

// Project returns the known details of the project.
func (v Vintage) Project() model.Project { return v.Projects[v.Key.ProjectID] }

// VintageColumns name a project and one of its vintages.
var VintageColumns = ProjectColumns.With(field.Columns[Vintage]{
	{
		Name: "vintage_id", Is: "string", Help: "The id of the vintage.",
		Value: func(v Vintage) field.Value { return field.Text(v.Key.VintageID) },
	},
	{
		Name: "vintage_year", Is: "number|null", Title: "YEAR", Right: true, Help: "The year of the vintage.",
		Value: func(v Vintage) field.Value { return field.Year(v.Year) },
	},
}...)

// ProjectColumns name a project.
var ProjectColumns = field.Columns[Vintage]{
	{
		Name: "project_id", Is: "string", Help: "The id of the project.",
		Value: func(v Vintage) field.Value { return field.Text(v.Key.ProjectID) },
	},
	{
		Name: "project_name", Title: "PROJECT", Shrink: 12, Help: "The project's name.",
		Value: func(v Vintage) field.Value { return field.Optional(v.Project().Name) },
		Cell:  func(v Vintage) field.Value { return field.Words(cmp.Or(v.Project().Name, v.Key.ProjectID)) },
	},
	{
		Name: "type", Extra: true, Title: "TYPE", Spare: true, Help: "The kind of project.",
		Value: func(v Vintage) field.Value { return field.Optional(v.Project().Type) },
	},
	{
		Name: "country", Extra: true, Title: "CC", Spoken: "Country", Spare: true, Help: "The project's country.",
		Value: func(v Vintage) field.Value { return field.Optional(v.Project().Country) },
	},
	{
		Name: "registry", Extra: true, Help: "The registry of the project.",
		Value: func(v Vintage) field.Value { return field.Optional(v.Project().RegistryName) },
	},
}

// Vintages returns the columns that name the vintage of a row.
func Vintages[T any](of func(T) Vintage) field.Columns[T] { return field.Map(VintageColumns, of) }

// Projects returns the columns that name the project of a row.
func Projects[T any](of func(T) Vintage) field.Columns[T] { return field.Map(ProjectColumns, of) }

// versus returns the difference of a price from the last price paid, or null if unknown.
func versus(price, paid model.PriceCents) field.Value {
	d, known := model.Difference(price, paid)
	return field.If(known, field.Difference(d))
}
