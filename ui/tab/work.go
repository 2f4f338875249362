package tab

import (
	"cmp"
	"context"

	"tonne/ui/effect"
	"tonne/ui/table"
)

// Arranged is what comes of sorting and filtering a table in the background.
// The tab that gets one applies it, which may lead to more work.
type Arranged interface{ Apply() effect.Effect }

type arranged[K comparable, R any] struct {
	table  *table.Table[K, R]
	result table.Result[K, R]
}

// Apply shows the new order, unless the table was given other rows meanwhile.
func (a arranged[K, R]) Apply() effect.Effect {
	a.table.Apply(a.result)
	return Work(a.table)
}

// Work sorts and filters a table in the background. It is nil if that is
// done, and otherwise leads to an Arranged.
func Work[K comparable, R any](t *table.Table[K, R]) effect.Effect {
	work := t.Work()
	if work == nil {
		return nil
	}
	return effect.Work(func(context.Context) any { return arranged[K, R]{t, work()} })
}

// SortByMarked sorts a table by its marked column, or the other way round, and
// says so: who does not know yet how to mark another learns it here.
func SortByMarked[K comparable, R any](t *table.Table[K, R]) effect.Effect {
	return sortByMarked(t, "")
}

// SortPageByMarked is SortByMarked for a table that holds one page of several:
// the rows of the other pages stay where they are.
func SortPageByMarked[K comparable, R any](t *table.Table[K, R]) effect.Effect {
	return sortByMarked(t, " on this page")
}

func sortByMarked[K comparable, R any](t *table.Table[K, R], where string) effect.Effect {
	column := marked(t)
	title := cmp.Or(column.Title, column.Key)
	if !t.ToggleSort(column.Key) {
		marked := func() bool { return t.Column() == column.Key }
		return effect.SayWhile(marked, "Rows cannot be sorted by "+title+". ← → mark another column.")
	}
	order := [2]string{"lowest first", "highest first"}
	if column.Number == nil {
		order = [2]string{"A to Z", "Z to A"}
	}
	direction := order[0]
	if _, descending := t.Sorting(); descending {
		direction = order[1]
	}
	key, descending := t.Sorting()
	holds := func() bool {
		now, turned := t.Sorting()
		return now == key && turned == descending
	}
	return effect.Batch(Work(t), effect.SayWhile(holds, "Sorted by "+title+where+", "+direction+". ← → mark another column."))
}

func marked[K comparable, R any](t *table.Table[K, R]) (found table.Column[R]) {
	for _, c := range t.Columns() {
		if c.Key == t.Column() {
			found = c
		}
	}
	return found
}
