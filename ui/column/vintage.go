// Package column has the columns of each kind of data: name, title, value and cell. Commands
// print them and the dashboard exports them, so that both agree. Package output has the formats.
package column

import (
	"cmp"

	"tonne/model"
	"tonne/model/field"
)

// Vintage names a vintage of a project.
type Vintage struct {
	Key     model.VintageKey
	Project model.Project
	// Year is 0 if unknown.
	Year int32
}

// Vintages returns the columns that name the vintage of a row.
func Vintages[T any](of func(T) *Vintage) field.Columns[T] {
	return field.Columns[T]{
		{Name: "project_id", Is: "string", Value: func(t T) field.Value { return field.Text(of(t).Key.ProjectID) }},
		{
			Name: "project_name", Value: func(t T) field.Value { return field.Optional(of(t).Project.Name) },
			Title: "PROJECT", Shrink: 12, Cell: func(t T) field.Value { return field.Words(cmp.Or(of(t).Project.Name, of(t).Key.ProjectID)) },
		},
		{Name: "type", Extra: true, Title: "TYPE", Spare: true, Value: func(t T) field.Value { return field.Optional(of(t).Project.Type) }},
		{Name: "country", Extra: true, Title: "CC", Spoken: "Country", Spare: true, Value: func(t T) field.Value { return field.Optional(of(t).Project.Country) }},
		{Name: "registry", Extra: true, Value: func(t T) field.Value { return field.Optional(of(t).Project.RegistryName) }},
		{Name: "vintage_id", Is: "string", Value: func(t T) field.Value { return field.Text(of(t).Key.VintageID) }},
		{Name: "vintage_year", Is: "number|null", Title: "YEAR", Right: true, Value: func(t T) field.Value { return field.Year(of(t).Year) }},
	}
}

// versus returns the difference of a price from the last price paid, or null if unknown.
func versus(price, paid model.PriceCents) field.Value {
	d, known := model.Difference(price, paid)
	return field.If(known, field.Difference(d))
}
