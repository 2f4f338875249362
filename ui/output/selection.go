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
	// Sort is the name of the column to sort by, with a minus for the largest first; empty keeps the order.
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

// Select returns the selected columns and items. The columns must have the names of the selection. Without
// names a table has the columns with titles, and the one that it is sorted by.
func Select[T any](c Columns[T], items iter.Seq[T], s Selection, table bool) (Columns[T], iter.Seq[T]) {
	if s.Sort != "" {
		items = sorted(items, c.Pick(s.key())[0].Value, strings.HasPrefix(s.Sort, "-"))
	}
	chosen := slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool {
		shown := of.Title != "" || of.Name == s.key() && !c.shows(of)
		return of.Name == "" && !table || table && !shown
	})
	if len(s.Columns) > 0 {
		chosen = c.Pick(s.Columns...)
		for i, of := range chosen {
			chosen[i].Extra = false
			// Tables show a name instead of an id, unless the id is asked for.
			if strings.HasSuffix(of.Name, "_id") {
				chosen[i].Cell, chosen[i].Title = nil, ""
			}
		}
	}
	for i, of := range chosen {
		if of.Title == "" {
			chosen[i].Title, chosen[i].Right = of.derived(), strings.HasSuffix(of.Name, "_cents") || strings.HasSuffix(of.Name, "_grams") || of.Name == "total_quantity"
		}
	}
	return chosen, items
}

// derived is a title from the name, such as tables have it: without a unit, which the cells have.
func (c Column[T]) derived() string {
	name := strings.TrimPrefix(c.Name, "total_")
	for _, end := range []string{"_cents", "_grams", "_at"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.ToUpper(strings.ReplaceAll(name, "_", " "))
}

// shows reports whether a column with another name or none has the title of this one.
func (c Columns[T]) shows(of Column[T]) bool {
	title := strings.TrimSuffix(of.derived(), " ID")
	return slices.ContainsFunc(c, func(other Column[T]) bool { return strings.TrimSuffix(other.Title, " ID") == title })
}

func sorted[T any](items iter.Seq[T], key func(T) Value, descending bool) iter.Seq[T] {
	type keyed struct {
		key  Value
		item T
	}
	return func(yield func(T) bool) {
		var all []keyed
		for item := range items {
			all = append(all, keyed{key(item), item})
		}
		slices.SortStableFunc(all, func(a, b keyed) int { return order(a.key, b.key, descending) })
		for _, k := range all {
			if !yield(k.item) {
				return
			}
		}
	}
}

// order compares numbers, and texts without case, and puts what is not known at the end.
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
