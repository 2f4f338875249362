package table

import (
	"slices"
)

// MoveColumn moves a column by step places among those that users choose. A sort keeps its column.
func (t *grid[R]) MoveColumn(key string, step int) {
	chosen := t.chosen()
	from := slices.Index(chosen, key)
	to := from + step
	if from < 0 || to < 0 || to >= len(chosen) {
		return
	}
	chosen[from], chosen[to] = chosen[to], chosen[from]
	t.order(chosen)
}

// ArrangeColumns puts the columns with the given keys in their order, before the other ones that users choose. If
// they are in it already, nothing changes.
func (t *grid[R]) ArrangeColumns(keys []string) {
	chosen := t.chosen()
	isListed := func(key string) bool { return slices.Contains(keys, key) }
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(chosen, key) })
	if slices.Equal(keys, slices.DeleteFunc(slices.Clone(chosen), func(key string) bool { return !isListed(key) })) {
		return
	}
	t.order(append(keys, slices.DeleteFunc(chosen, isListed)...))
}

// chosen returns the keys of the columns that users choose, in order. The others keep their places.
func (t *grid[R]) chosen() (keys []string) {
	for _, c := range t.columns {
		if c.chosen() {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

func (c *Column[R]) chosen() bool { return !c.Auto && c.Title != "" }

// order replaces the columns: a sort in the background still reads the old ones.
func (t *grid[R]) order(keys []string) {
	current, next := t.Column(), slices.Clone(t.columns)
	for i := range next {
		if next[i].chosen() {
			next[i] = t.columns[t.index(keys[0])]
			keys = keys[1:]
		}
	}
	t.columns = next
	t.SelectColumn(current)
	t.layout.columns = nil
	t.Remeasure()
}

// The widths that a user can give a column.
const leastWidth, mostWidth = 3, 120

// Widen makes a column wider by some cells, or narrower. It starts from the width on the screen.
func (t *grid[R]) Widen(key string, by int) {
	width := t.Widths()[key]
	for _, p := range t.layout.columns {
		if width == 0 && t.columns[p.column].Key == key {
			width = p.width
		}
	}
	if width > 0 {
		t.SetWidth(key, max(leastWidth, min(width+by, mostWidth)))
	}
}

// SetWidth gives a column a fixed width, or the usual one with 0.
func (t *grid[R]) SetWidth(key string, width int) {
	i := t.index(key)
	if i < 0 || t.columns[i].width == width {
		return
	}
	t.columns = slices.Clone(t.columns)
	t.columns[i].width = width
	t.Remeasure()
}

// Widths returns the widths of the columns that have a fixed one.
func (t *grid[R]) Widths() map[string]int {
	widths := make(map[string]int)
	for _, c := range t.columns {
		if c.width > 0 {
			widths[c.Key] = c.width
		}
	}
	return widths
}

// limits returns the widths of a column: the least, the ideal and the greatest.
func (c *Column[R]) limits() (least, ideal, most int) {
	if c.width > 0 {
		return c.width, c.width, c.width
	}
	return c.Min, c.Ideal, c.Max
}
