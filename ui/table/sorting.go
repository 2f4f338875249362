package table

import "tonne/model/filter"

// Sort orders the rows by a column. Rows that are equal keep the order of the
// source; those with nothing in the column come last. A column that is not
// there, or cannot be sorted, gives the order of the source.
func (t *Table[K, R]) Sort(key string, descending bool) {
	t.want.column, t.want.descending = nil, false
	if i := t.index(key); i >= 0 && t.columns[i].sortable() {
		t.want.column, t.want.descending = &t.columns[i], descending
	}
	t.want.sorted = nil
	t.update()
}

// ToggleSort sorts by a column, or the other way round if the rows are
// sorted by it. It is false, and leaves the order as it is, if the column
// cannot be sorted.
func (t *Table[K, R]) ToggleSort(key string) bool {
	i := t.index(key)
	if i < 0 || !t.columns[i].sortable() {
		return false
	}
	now, descending := t.Sorting()
	t.Sort(key, now == key && !descending)
	return true
}

// Sorting returns the column that the rows are sorted by, and the direction.
// The key is empty for the order of the source.
func (t *Table[K, R]) Sorting() (key string, descending bool) {
	if t.want.column == nil {
		return "", false
	}
	return t.want.column.Key, t.want.descending
}

// SetFilter shows only the rows that pass a filter, which is the same as another
// if it was typed the same. Those that pass by an id alone come last.
func (t *Table[K, R]) SetFilter(typed string, f filter.Filter) {
	if typed == t.want.query {
		return
	}
	t.want.query, t.want.filter = typed, f
	t.refilter()
}

// Query returns the filter as it was typed.
func (t *Table[K, R]) Query() string { return t.want.query }

// ByID returns how many of the rows match by an id alone.
func (t *Table[K, R]) ByID() int { return t.shown.byID }

// SetMatch shows only the rows that match a condition, besides the filter. The
// function must depend on nothing but the row and on what never changes. Nil
// shows all.
func (t *Table[K, R]) SetMatch(match func(row R) bool) {
	t.want.match = match
	t.refilter()
}

func (t *Table[K, R]) refilter() {
	t.want.ranks = nil
	t.refiltered = true
	t.Remeasure()
	t.update()
}
