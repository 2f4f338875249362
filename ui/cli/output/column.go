package output

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Column is one value of a T. Programs read it under its name, people under its
// title. The list of columns of a T is the one description of its output: JSON,
// CSV, tables and the schema follow from it.
type Column[T any] struct {
	// Name is the member of JSON and the header of CSV. A column without a name
	// is in tables only.
	Name string
	// Is names the types of the value in JSON, separated by |. Empty is
	// string|null. With |absent the member is left out if there is no value.
	Is    string
	Value func(T) Value
	// Title is the title in tables. A column without a title is in no table.
	Title string
	// Cell is the text in tables. Nil shows the value.
	Cell func(T) string
	// Right, Shrink, Spare and Drop are those of Heading.
	Right  bool
	Shrink int
	Spare  bool
	Drop   int
	// inner are the fields of a nested value.
	inner []Field
}

// Columns are the values of a T, in the order of output.
type Columns[T any] []Column[T]

// Field is a value in JSON, by its path: a dot leads into an object, [] into
// each item of an array.
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

// Pick returns the columns with the names, or the titles of those that have no
// name, in that order. It panics if there is no such column.
func (c Columns[T]) Pick(names ...string) Columns[T] {
	picked := make(Columns[T], len(names))
	for i, name := range names {
		picked[i] = c[slices.IndexFunc(c, func(of Column[T]) bool { return cmp.Or(of.Name, of.Title) == name })]
	}
	return picked
}

// With returns the columns followed by more.
func (c Columns[T]) With(more ...Column[T]) Columns[T] { return slices.Concat(c, more) }

// Header returns the names separated by commas.
func (c Columns[T]) Header() string {
	var names []string
	for _, of := range c {
		if of.Name != "" {
			names = append(names, of.Name)
		}
	}
	return strings.Join(names, ",")
}

// Fields describes the JSON of a T. The prefix leads to it.
func (c Columns[T]) Fields(prefix string) (fields []Field) {
	for _, of := range c {
		if of.Name == "" {
			continue
		}
		fields = append(fields, Field{prefix + of.Name, strings.Split(cmp.Or(of.Is, "string|null"), "|")})
		for _, inner := range of.inner {
			fields = append(fields, Field{prefix + inner.Name, inner.Types})
		}
	}
	return fields
}

// Write writes the items as records below the header.
func (c Columns[T]) Write(rows Rows, items iter.Seq[T]) {
	var record []Value
	for item := range items {
		record = record[:0]
		for _, of := range c {
			if of.Name != "" {
				record = append(record, of.Value(item))
			}
		}
		rows.Write(record...)
	}
}

// Grid returns a table of the items.
func (c Columns[T]) Grid(items iter.Seq[T]) *Grid {
	shown := slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return of.Title == "" })
	g := NewGrid()
	for _, of := range shown {
		g.columns = append(g.columns, of.heading())
	}
	cells := make([]string, len(shown))
	for item := range items {
		for i, of := range shown {
			cells[i] = of.cell(item)
		}
		g.Add(cells...)
	}
	return g
}

// JSON returns a T as an object.
func (c Columns[T]) JSON(v T) Value { return Value{text: string(c.appendJSON(nil, v)), kind: literal} }

// Objects returns the items as objects, for Document and List.
func (c Columns[T]) Objects(items iter.Seq[T]) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for item := range items {
			if !yield(c.JSON(item)) {
				return
			}
		}
	}
}

func (c Columns[T]) appendJSON(b []byte, v T) []byte {
	b = append(b, '{')
	start := len(b)
	for _, of := range c {
		if of.Name == "" {
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
