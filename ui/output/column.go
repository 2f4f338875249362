// Package output describes data by columns and writes it: tables for people, JSON, JSON
// lines and CSV for programs, and sheets. Numbers are exact in every format.
package output

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Column is one value of a T, with a name for programs and a title for people. The columns of a T are the
// one description of its output: JSON, CSV, tables and the schema follow from it.
type Column[T any] struct {
	// Name is the member of JSON and the header of CSV. Without one it is in tables only.
	Name string
	// Extra columns are in rows only if they are selected by name. Tables have them by their titles.
	Extra bool
	// Is names the types in JSON, separated by |; empty is string|null. With |absent a null is left out.
	Is    string
	Value func(T) Value
	// Title is the title in tables. A column without a title is in no table.
	Title string
	// Cell is the text in tables. Nil shows the value.
	Cell func(T) string
	// Spoken, Right, Shrink, Spare and Drop are those of Heading.
	Spoken string
	Right  bool
	Shrink int
	Spare  bool
	Drop   int
	// inner are the fields of a nested value.
	inner []Field
}

// Columns are the values of a T, in the order of output.
type Columns[T any] []Column[T]

// Field is a value in JSON by its path: a dot leads into an object, [] into the items of an array.
type Field struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// Array is a column of JSON whose value is the list of the items of a T.
func Array[T, U any](name string, items func(T) iter.Seq[U], of Columns[U]) Column[T] {
	return Column[T]{Name: name, Is: "array", inner: of.Fields(name + "[]."), Value: func(v T) Value {
		text := []byte("[")
		for item := range items(v) {
			text = append(of.appendJSON(text, item), ',')
		}
		return Value{text: string(append(bytes.TrimSuffix(text, []byte(",")), ']')), kind: literal}
	}}
}

// Nested is a column of JSON whose value is an object, or null if there is none.
func Nested[T, U any](name string, object func(T) (U, bool), of Columns[U]) Column[T] {
	return Column[T]{Name: name, Is: "object|null", inner: of.Fields(name + "."), Value: func(v T) Value {
		if inner, ok := object(v); ok {
			return of.JSON(inner)
		}
		return Value{}
	}}
}

// Always returns the column of a value that is never null.
func (c Column[T]) Always() Column[T] {
	c.Is = strings.TrimSuffix(c.Is, "|null")
	return c
}

// Pick returns the columns with these names, or titles if they have none. It panics without one.
func (c Columns[T]) Pick(names ...string) Columns[T] {
	picked := make(Columns[T], len(names))
	for i, name := range names {
		picked[i] = c[slices.IndexFunc(c, func(of Column[T]) bool { return cmp.Or(of.Name, of.Title) == name })]
	}
	return picked
}

// With returns the columns followed by more.
func (c Columns[T]) With(more ...Column[T]) Columns[T] { return slices.Concat(c, more) }

// Over returns the columns of the U of each T. If a T has none, they have no value.
func Over[T, U any](c Columns[U], of func(T) (U, bool)) Columns[T] {
	over := make(Columns[T], len(c))
	for i, column := range c {
		over[i] = Column[T]{Name: column.Name, Extra: column.Extra, Is: column.Is, Value: func(t T) Value {
			if u, ok := of(t); ok {
				return column.Value(u)
			}
			return Value{}
		}}
	}
	return over
}

// Header returns the names separated by commas.
func (c Columns[T]) Header() string { return strings.Join(c.names(), ",") }

func (c Columns[T]) names() []string { return c.filter(Column[T].inRows) }

// Extras returns the names of the columns that are in rows only if they are selected.
func (c Columns[T]) Extras() []string { return c.filter(func(of Column[T]) bool { return of.Extra }) }

func (c Columns[T]) filter(has func(Column[T]) bool) (names []string) {
	for _, of := range c {
		if has(of) {
			names = append(names, of.Name)
		}
	}
	return names
}

func (c Column[T]) inRows() bool { return c.Name != "" && !c.Extra }

// Fields describes the JSON of a T. The prefix leads to it.
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

// Grid returns a table of the items.
func (c Columns[T]) Grid(items iter.Seq[T]) *Grid {
	shown := slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return of.Title == "" })
	g := NewGrid()
	for _, of := range shown {
		g.columns = append(g.columns, Heading{of.Title, of.Spoken, of.Right, of.Shrink, of.Spare, of.Drop})
	}
	cells := make([]string, len(shown))
	for item := range items {
		for i, of := range shown {
			if of.Cell != nil {
				cells[i] = of.Cell(item)
			} else {
				cells[i] = of.Value(item).String()
			}
		}
		g.Add(cells...)
	}
	return g
}

// JSON returns a T as an object.
func (c Columns[T]) JSON(v T) Value { return Value{text: string(c.appendJSON(nil, v)), kind: literal} }

// Objects returns the items as objects, for Document and List.
func (c Columns[T]) Objects(items iter.Seq[T]) iter.Seq[Value] { return Each(items, c.JSON) }

// Each returns what of makes of each item.
func Each[T, U any](items iter.Seq[T], of func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for item := range items {
			if !yield(of(item)) {
				return
			}
		}
	}
}

func (c Columns[T]) appendJSON(b []byte, v T) []byte {
	b = append(b, '{')
	start := len(b)
	for _, of := range c {
		if !of.inRows() {
			continue
		}
		value := of.Value(v)
		if value.kind == null && strings.HasSuffix(of.Is, "|absent") {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), of.Name...), `":`...)
		b = value.appendJSON(b)
	}
	return append(b, '}')
}

// Difference is one column of several items next to each other.
type Difference struct {
	Title string
	Cells []string
	// Differs means that the items have different values, Unknown that none has a value.
	Differs, Unknown bool
}

// Compare returns a Difference for each titled column.
func (c Columns[T]) Compare(items []T, u Units) (rows []Difference) {
	for _, of := range c {
		if of.Title == "" {
			continue
		}
		row := Difference{Title: of.Title, Unknown: true}
		for _, item := range items {
			value := of.Value(item)
			cell := value.in(u)
			if of.Cell != nil {
				cell = of.Cell(item)
			}
			row.Differs = row.Differs || len(row.Cells) > 0 && cell != row.Cells[0]
			row.Unknown = row.Unknown && value.kind == null && (of.Cell == nil || cell == Unknown)
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
