package output

import (
	"iter"
	"slices"
	"strings"

	"tonne/model/field"
)

// Selection is the user's choice of columns and order for a list.
type Selection struct {
	// Columns are names of columns. If empty, all columns are selected.
	Columns []string
	// Sort is the column to sort by, with a minus for descending order. If empty, the order is unchanged.
	Sort string
}

// Empty reports whether the selection changes nothing.
func (s Selection) Empty() bool { return len(s.Columns) == 0 && s.Sort == "" }

// Names returns the names of the selected columns and of the sort column.
func (s Selection) Names() []string {
	if s.Sort == "" {
		return s.Columns
	}
	return append(slices.Clone(s.Columns), s.key())
}

func (s Selection) key() string { return strings.TrimPrefix(s.Sort, "-") }

// Select applies a selection to columns and items. The columns must include those of the selection. If no columns
// are selected, a table has the columns with titles and the sort column.
func Select[T any](c field.Columns[T], items iter.Seq[T], s Selection, table bool) (field.Columns[T], iter.Seq[T]) {
	if s.Sort != "" {
		items = sorted(items, c.Pick(s.key())[0].Value, strings.HasPrefix(s.Sort, "-"))
	}
	chosen := slices.DeleteFunc(slices.Clone(c), func(of field.Column[T]) bool {
		shown := of.Title != "" || of.Name == s.key() && !hasTitleOf(c, of)
		return of.Name == "" && !table || table && !shown
	})
	if len(s.Columns) > 0 {
		chosen = c.Pick(s.Columns...)
		for i, of := range chosen {
			chosen[i].Extra = false
			// Tables show a name instead of an id, unless the id is selected.
			if strings.HasSuffix(of.Name, "_id") {
				chosen[i].Cell, chosen[i].Title = nil, ""
			}
		}
	}
	for i, of := range chosen {
		if of.Title == "" {
			chosen[i].Title, chosen[i].Right = derivedTitle(of.Name),
				strings.HasSuffix(of.Name, "_cents") || strings.HasSuffix(of.Name, "_grams") || of.Name == "total_quantity"
		}
	}
	return chosen, items
}

// derivedTitle returns a title for tables from a name, without the unit, which the cells include.
func derivedTitle(name string) string {
	name = strings.TrimPrefix(name, "total_")
	for _, end := range []string{"_cents", "_grams", "_at"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.ToUpper(strings.ReplaceAll(name, "_", " "))
}

// hasTitleOf reports whether another column already has the title of this one.
func hasTitleOf[T any](c field.Columns[T], of field.Column[T]) bool {
	title := strings.TrimSuffix(derivedTitle(of.Name), " ID")
	return slices.ContainsFunc(c,
		func(other field.Column[T]) bool { return strings.TrimSuffix(other.Title, " ID") == title })
}

func sorted[T any](items iter.Seq[T], key func(T) field.Value, descending bool) iter.Seq[T] {
	type keyed struct {
		key  field.Value
		item T
	}
	return func(yield func(T) bool) {
		var all []keyed
		for item := range items {
			all = append(all, keyed{key(item), item})
		}
		slices.SortStableFunc(all, func(a, b keyed) int { return field.Compare(a.key, b.key, descending) })
		for _, k := range all {
			if !yield(k.item) {
				return
			}
		}
	}
}
