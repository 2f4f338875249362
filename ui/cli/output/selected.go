package output

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Selection is what a person wants of a list: some columns, in an order.
type Selection struct {
	// Columns are names of columns. None are all.
	Columns []string
	// Sort is the name of the column to sort by, with a minus before it for the
	// largest first. Empty keeps the order.
	Sort string
}

// Empty reports whether the list is wanted as it is.
func (s Selection) Empty() bool { return len(s.Columns) == 0 && s.Sort == "" }

// Names returns the names of all columns that are selected or sorted by.
func (s Selection) Names() []string {
	if s.Sort == "" {
		return s.Columns
	}
	return append(slices.Clone(s.Columns), s.key())
}

func (s Selection) key() string { return strings.TrimPrefix(s.Sort, "-") }

// Selected are the records of a list that a selection leaves, sorted.
type Selected struct {
	names    []string
	headings []Heading
	records  []selected
}

type selected struct {
	key    Value
	values []Value
	cells  []string
}

// Select reads the items. The columns must have the names of the selection. Without
// names a table has the columns that tables have, and the one that it is sorted by.
func Select[T any](c Columns[T], items iter.Seq[T], s Selection, table bool) *Selected {
	chosen := c.choose(s, table)
	all := &Selected{}
	for _, of := range chosen {
		all.names = append(all.names, of.Name)
		all.headings = append(all.headings, of.heading())
	}
	key := func(T) Value { return Value{} }
	if s.Sort != "" {
		key = c.Pick(s.key())[0].Value
	}
	for item := range items {
		r := selected{key: key(item)}
		for _, of := range chosen {
			if table {
				r.cells = append(r.cells, of.cell(item))
			} else {
				r.values = append(r.values, of.Value(item))
			}
		}
		all.records = append(all.records, r)
	}
	if s.Sort != "" {
		slices.SortStableFunc(all.records, func(a, b selected) int { return order(a.key, b.key, strings.HasPrefix(s.Sort, "-")) })
	}
	return all
}

func (c Columns[T]) choose(s Selection, table bool) Columns[T] {
	if len(s.Columns) > 0 {
		return c.Pick(s.Columns...)
	}
	return slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool {
		return of.Name == "" && !table || table && of.Title == "" && of.Name != s.key()
	})
}

// heading is that of the column in a table. A column that tables do not have is headed
// by its name, without the unit: its cells have that.
func (c Column[T]) heading() Heading {
	h := Heading{c.Title, c.Right, c.Shrink, c.Spare, c.Drop}
	if h.Title == "" {
		name := strings.TrimSuffix(strings.TrimSuffix(c.Name, "_cents"), "_grams")
		h.Title, h.Right = strings.ToUpper(strings.ReplaceAll(name, "_", " ")), name != c.Name
	}
	return h
}

func (c Column[T]) cell(item T) string {
	if c.Cell != nil {
		return c.Cell(item)
	}
	return c.Value(item).shown()
}

// order compares numbers as numbers, texts without case, and puts what is not known at
// the end either way.
func order(a, b Value, descending bool) int {
	if a.kind == null || b.kind == null {
		return cmp.Compare(b.kind, a.kind)
	}
	m, notM := strconv.ParseInt(a.text, 10, 64)
	n, notN := strconv.ParseInt(b.text, 10, 64)
	by := cmp.Or(cmp.Compare(m, n), strings.Compare(strings.ToLower(a.plain()), strings.ToLower(b.plain())))
	switch {
	case notM == nil && notN != nil:
		by = -1
	case notM != nil && notN == nil:
		by = 1
	}
	if descending {
		return -by
	}
	return by
}

// Grid returns a table of the records.
func (s *Selected) Grid() *Grid {
	g := NewGrid(s.headings...)
	for _, r := range s.records {
		g.Add(r.cells...)
	}
	return g
}

// Header returns the names separated by commas.
func (s *Selected) Header() string { return strings.Join(s.names, ",") }

// Write writes the records below the header.
func (s *Selected) Write(rows Rows) {
	for _, r := range s.records {
		rows.Write(r.values...)
	}
}

// Objects returns the records as flat objects.
func (s *Selected) Objects() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, r := range s.records {
			text := []byte("{")
			for i, name := range s.names {
				if i > 0 {
					text = append(text, ',')
				}
				text = r.values[i].appendJSON(append(append(append(text, '"'), name...), `":`...))
			}
			if !yield(Value{text: string(append(text, '}')), kind: literal}) {
				return
			}
		}
	}
}
