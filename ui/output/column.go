// Package output describes data as columns and writes it: as tables for users, as JSON,
// JSON lines and CSV for programs, and as sheets. Numbers are exact in every format.
package output

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"tonne/model/field"
)

// Column describes one value of a T, with a name for programs and a title for users. JSON, CSV, tables and the
// schema are all derived from the columns of a T.
type Column[T any] struct {
	// Name is the member in JSON and the header in CSV. A column without a name is only in tables.
	Name string
	// Extra columns are in rows only if selected by name. In tables they appear if they have titles.
	Extra bool
	// Is has the JSON types, separated by |. The default is string|null. With |absent, null values are omitted.
	Is    string
	Value func(T) field.Value
	// Title is the title in tables. A column without a title is not in tables.
	Title string
	// Cell returns the value in tables. The default is Value.
	Cell func(T) field.Value
	// Spoken, Right, Shrink, Spare and Drop are as in Heading.
	Spoken string
	Right  bool
	Shrink int
	Spare  bool
	Drop   int
	// inner are the fields of a nested value, flat its columns in rows.
	inner []Field
	flat  Columns[T]
}

// Columns are the values of a T, in the order of output.
type Columns[T any] []Column[T]

// Field is a value in JSON by path: a dot separates object and member, and [] means the items of an array.
type Field struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// Array returns a JSON column with the items of a T as an array.
func Array[T, U any](name string, items func(T) iter.Seq[U], of Columns[U]) Column[T] {
	return Column[T]{Name: name, Is: "array", inner: of.Fields(name + "[]."), Value: func(v T) field.Value {
		return field.Array(of.Objects(items(v)))
	}}
}

// Nested returns a JSON column with an object, or null if there is none.
func Nested[T, U any](name string, object func(T) (U, bool), of Columns[U]) Column[T] {
	flat := Over(of, object)
	for i := range flat {
		flat[i].Name = name + "_" + flat[i].Name
	}
	return Column[T]{Name: name, Is: "object|null", inner: of.Fields(name + "."), flat: flat, Value: func(v T) field.Value {
		if inner, ok := object(v); ok {
			return of.JSON(inner)
		}
		return field.Value{}
	}}
}

// Always returns the column for a value that is never null.
func (c Column[T]) Always() Column[T] {
	c.Is = strings.TrimSuffix(c.Is, "|null")
	return c
}

// Pick returns the columns with these names, or titles if they have no name. It panics if one is missing.
func (c Columns[T]) Pick(names ...string) Columns[T] {
	picked := make(Columns[T], len(names))
	for i, name := range names {
		picked[i] = c[slices.IndexFunc(c, func(of Column[T]) bool { return cmp.Or(of.Name, of.Title) == name })]
	}
	return picked
}

// With returns the columns followed by more.
func (c Columns[T]) With(more ...Column[T]) Columns[T] { return slices.Concat(c, more) }

// Over returns columns of a T from columns of the U that belongs to it. Without a U, values are null.
func Over[T, U any](c Columns[U], of func(T) (U, bool)) Columns[T] {
	over := make(Columns[T], len(c))
	for i, column := range c {
		over[i] = Column[T]{Name: column.Name, Extra: column.Extra, Is: column.Is, Value: func(t T) field.Value {
			if u, ok := of(t); ok {
				return column.Value(u)
			}
			return field.Value{}
		}}
	}
	return over
}

// Nullable returns the columns with null among their types, for Over where a U may be missing.
func (c Columns[T]) Nullable() Columns[T] {
	nullable := slices.Clone(c)
	for i, of := range nullable {
		if of.Is != "" && !strings.Contains(of.Is, "null") {
			nullable[i].Is += "|null"
		}
	}
	return nullable
}

// Flat returns the columns with those of nested values instead of objects, such as projects_added.
func (c Columns[T]) Flat() (flat Columns[T]) {
	for _, of := range c {
		if of.flat == nil {
			of.flat = Columns[T]{of}
		}
		flat = append(flat, of.flat...)
	}
	return flat
}

// Header returns the names, separated by commas.
func (c Columns[T]) Header() string { return strings.Join(c.names(), ",") }

func (c Columns[T]) names() []string { return c.filter((*Column[T]).inRows) }

// Extras returns the names of the columns that are in rows only if they are selected.
func (c Columns[T]) Extras() []string { return c.filter(func(of *Column[T]) bool { return of.Extra }) }

func (c Columns[T]) filter(has func(*Column[T]) bool) (names []string) {
	for i := range c {
		if has(&c[i]) {
			names = append(names, c[i].Name)
		}
	}
	return names
}

func (c *Column[T]) inRows() bool { return c.Name != "" && !c.Extra }

// Fields returns the JSON fields of a T, each path with a prefix.
func (c Columns[T]) Fields(prefix string) (fields []Field) {
	for _, of := range c {
		if !of.inRows() {
			continue
		}
		fields = append(fields, Field{prefix + of.Name, strings.Split(cmp.Or(of.Is, "string|null"), "|")})
		for _, inner := range of.inner {
			fields = append(fields, Field{prefix + inner.Name, inner.Types})
		}
	}
	return fields
}

// RowFields returns the fields of a record in CSV or JSON lines, in the order of the header. A
// cell of CSV is the text of the value, and empty for null.
func (c Columns[T]) RowFields() (fields []Field) {
	for _, of := range c {
		if of.inRows() {
			fields = append(fields, Field{of.Name, strings.Split(cmp.Or(of.Is, "string|null"), "|")})
		}
	}
	return fields
}

// Grid returns a table of the items.
func (c Columns[T]) Grid(items iter.Seq[T]) *Grid {
	shown := slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return of.Title == "" })
	g := NewGrid()
	for _, of := range shown {
		g.columns = append(g.columns, Heading{of.Title, of.Spoken, of.Right, of.Shrink, of.Spare, of.Drop})
	}
	cells := make([]field.Value, len(shown))
	for item := range items {
		for i := range shown {
			cells[i] = shown[i].shown(item)
		}
		g.AddValues(cells...)
	}
	return g
}

// shown returns the value in tables.
func (c *Column[T]) shown(item T) field.Value {
	if c.Cell != nil {
		return c.Cell(item)
	}
	return c.Value(item)
}

// JSON returns a T as a JSON object.
func (c Columns[T]) JSON(v T) field.Value {
	return field.Object(func(yield func(string, field.Value) bool) {
		for i := range c {
			if of := &c[i]; of.inRows() {
				value := of.Value(v)
				if !(value.IsNull() && strings.HasSuffix(of.Is, "|absent")) && !yield(of.Name, value) {
					return
				}
			}
		}
	})
}

// Objects returns the items as JSON objects, for Document and List.
func (c Columns[T]) Objects(items iter.Seq[T]) iter.Seq[field.Value] { return Each(items, c.JSON) }

// Each applies a function to each item.
func Each[T, U any](items iter.Seq[T], of func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for item := range items {
			if !yield(of(item)) {
				return
			}
		}
	}
}

// Difference compares one column of several items.
type Difference struct {
	// Name is empty for a column that is only in tables.
	Name, Title string
	// Cells are the values in tables.
	Cells []field.Value
	// Differs reports that tables show different values, and Unknown that no item has a value.
	Differs, Unknown bool
}

// Compare returns a Difference for each column with a title. A time is compared as its day in a zone.
func (c Columns[T]) Compare(items []T, zone *time.Location) (rows []Difference) {
	for _, of := range c {
		if of.Title == "" {
			continue
		}
		row := Difference{Name: of.Name, Title: of.Title, Unknown: true}
		for _, item := range items {
			cell := of.shown(item)
			row.Differs = row.Differs || len(row.Cells) > 0 && !cell.Dated(zone).Equal(row.Cells[0].Dated(zone))
			row.Unknown = row.Unknown && cell.IsNull()
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
