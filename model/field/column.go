package field

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"tonne/model/file/spreadsheet"
)

// Column describes one value of a T, with a name for programs and a title for users. JSON, CSV, tables, sheets and the
// schema are all derived from the columns of a T.
type Column[T any] struct {
	// Name is the member in JSON and the header in CSV. A column without a name is only in tables.
	Name string
	// Extra columns are in rows only if selected by name. In tables they appear if they have titles.
	Extra bool
	// Is has the JSON types, separated by |. The default is string|null. With |absent, null values are omitted.
	Is    string
	Value func(T) Value
	// Title is the title in tables. A column without a title is not in the tables of commands.
	Title string
	// Help explains the column in one sentence.
	Help string
	// Cell returns the value in tables. The default is Value.
	Cell func(T) Value
	// Spoken is the title for a screen reader, if Title is an abbreviation.
	Spoken string
	// Right, Shrink, Spare and Drop place the column in the tables of commands, as in output.Heading.
	Right  bool
	Shrink int
	Spare  bool
	Drop   int
	// inner are the fields of a nested value, flat its columns in rows.
	inner []Path
	flat  Columns[T]
}

// Columns are the values of a T, in the order of output.
type Columns[T any] []Column[T]

// Path is a value in JSON: a dot separates object and member, and [] means the items of an array.
type Path struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// TextColumn returns a column of texts for programs.
func TextColumn[T any](name string, text func(T) string) Column[T] {
	return Column[T]{Name: name, Value: func(item T) Value { return Text(text(item)) }}
}

// Items returns a JSON column with the items of a T as an array.
func Items[T, U any](name string, items func(T) iter.Seq[U], of Columns[U]) Column[T] {
	return Column[T]{Name: name, Is: "array", inner: of.Fields(name + "[]."), Value: func(v T) Value {
		return Array(of.Objects(items(v)))
	}}
}

// Nested returns a JSON column with an object, or null if there is none.
func Nested[T, U any](name string, object func(T) (U, bool), of Columns[U]) Column[T] {
	flat := Over(of, object)
	for i := range flat {
		flat[i].Name = name + "_" + flat[i].Name
	}
	return Column[T]{Name: name, Is: "object|null", inner: of.Fields(name + "."), flat: flat, Value: func(v T) Value {
		if inner, ok := object(v); ok {
			return of.JSON(inner)
		}
		return Value{}
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

// Has reports whether there is a column with a name.
func (c Columns[T]) Has(name string) bool {
	return slices.ContainsFunc(c, func(of Column[T]) bool { return of.Name == name })
}

// With returns the columns followed by more.
func (c Columns[T]) With(more ...Column[T]) Columns[T] { return slices.Concat(c, more) }

// Include returns the columns with these names, also in records if they are Extra.
func (c Columns[T]) Include(names ...string) Columns[T] {
	picked := c.Pick(names...)
	for i := range picked {
		picked[i].Extra = false
	}
	return picked
}

// Map returns columns of a T from columns of its U.
func Map[T, U any](c Columns[U], of func(T) U) Columns[T] {
	return over(c, func(value func(U) Value) func(T) Value { return func(t T) Value { return value(of(t)) } })
}

// Over returns columns of a T from columns of the U that belongs to it. Without a U, values are null.
func Over[T, U any](c Columns[U], of func(T) (U, bool)) Columns[T] {
	return over(c, func(value func(U) Value) func(T) Value {
		return func(t T) Value {
			if u, ok := of(t); ok {
				return value(u)
			}
			return Value{}
		}
	})
}

func over[T, U any](c Columns[U], to func(value func(U) Value) func(T) Value) Columns[T] {
	all := make(Columns[T], len(c))
	for i, of := range c {
		all[i] = Column[T]{
			Name: of.Name, Extra: of.Extra, Is: of.Is, Title: of.Title, Help: of.Help, Spoken: of.Spoken,
			Right: of.Right, Shrink: of.Shrink, Spare: of.Spare, Drop: of.Drop, Value: to(of.Value), inner: of.inner,
		}
		if of.Cell != nil {
			all[i].Cell = to(of.Cell)
		}
	}
	return all
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

// Names returns the names of the columns of records.
func (c Columns[T]) Names() []string { return c.filter((*Column[T]).inRows) }

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
func (c Columns[T]) Fields(prefix string) (fields []Path) {
	for _, of := range c {
		if !of.inRows() {
			continue
		}
		fields = append(fields, Path{prefix + of.Name, strings.Split(cmp.Or(of.Is, "string|null"), "|")})
		for _, inner := range of.inner {
			fields = append(fields, Path{prefix + inner.Name, inner.Types})
		}
	}
	return fields
}

// RowFields returns the fields of a record in CSV or JSON lines, in the order of the header. A
// cell of CSV is the text of the value, and empty for null.
func (c Columns[T]) RowFields() (fields []Path) {
	for _, of := range c {
		if of.inRows() {
			fields = append(fields, Path{of.Name, strings.Split(cmp.Or(of.Is, "string|null"), "|")})
		}
	}
	return fields
}

// Shown returns the value in tables.
func (c *Column[T]) Shown(item T) Value {
	if c.Cell != nil {
		return c.Cell(item)
	}
	return c.Value(item)
}

// Label returns the title in words, for one value.
func (c *Column[T]) Label() string { return LabelOf(cmp.Or(c.Spoken, c.Title)) }

// LabelOf returns a title in words, such as "Best ask" for BEST ASK.
func LabelOf(title string) string { return title[:1] + strings.ToLower(title[1:]) }

// Rows returns the columns of records in CSV and sheets: those with a name that are not Extra.
func (c Columns[T]) Rows() Columns[T] {
	return slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return !of.inRows() })
}

// Titled returns the columns in tables.
func (c Columns[T]) Titled() Columns[T] {
	return slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return of.Title == "" })
}

// Values returns the values of an item.
func (c Columns[T]) Values(item T) []Value {
	values := make([]Value, len(c))
	for i := range c {
		values[i] = c[i].Value(item)
	}
	return values
}

// Cells returns an item as a row of a sheet.
func (c Columns[T]) Cells(item T) (cells []spreadsheet.Cell) {
	for _, of := range c {
		if of.inRows() {
			cells = append(cells, of.Value(item).Cell())
		}
	}
	return cells
}

// JSON returns a T as a JSON object.
func (c Columns[T]) JSON(v T) Value {
	return Object(func(yield func(string, Value) bool) {
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

// Objects returns the items as JSON objects.
func (c Columns[T]) Objects(items iter.Seq[T]) iter.Seq[Value] { return Each(items, c.JSON) }

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

// Compared has the values of one column for several items.
type Compared struct {
	// Name is empty for a column that is only in tables.
	Name, Title string
	// Cells are the values in tables.
	Cells []Value
	// Differs reports that tables show different values, and Unknown that no item has a value.
	Differs, Unknown bool
}

// Compare returns the values for each column with a title. A time is compared as its day in a zone.
func (c Columns[T]) Compare(items []T, zone *time.Location) (rows []Compared) {
	for _, of := range c.Titled() {
		row := Compared{Name: of.Name, Title: of.Title, Unknown: true}
		for _, item := range items {
			cell := of.Shown(item)
			row.Differs = row.Differs || len(row.Cells) > 0 && !cell.Dated(zone).Equal(row.Cells[0].Dated(zone))
			row.Unknown = row.Unknown && cell.IsNull()
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
