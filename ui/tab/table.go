package tab

import (
	"cmp"
	"context"
	"slices"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/table"
)

// ClickTable handles a click on a table: it selects a row, or sorts by the column of a heading.
func ClickTable[K comparable, R any](t *table.Table[K, R], x, y int) (selected bool, sorting effect.Effect) {
	if position, ok := t.HitRow(y); ok {
		t.MoveTo(position)
		return true, nil
	}
	if key, ok := t.HitColumn(x); ok && y == 0 {
		t.SelectColumn(key)
		t.ToggleSort(key)
		return false, Work(t)
	}
	return false, nil
}

// Whole returns a function that copies a table as it is shown. thing and things are the singular and plural of
// a row.
func Whole(t interface{ CopyAll() (string, int) }, thing, things string) func() effect.Copy {
	return func() effect.Copy {
		text, rows := t.CopyAll()
		return effect.Copy{Text: text, What: "the whole table, " + model.Count(rows, thing, things)}
	}
}

// Arranged is the result of sorting and filtering in the background. The tab applies it.
type Arranged interface{ Apply() effect.Effect }

type arranged[K comparable, R any] struct {
	table  *table.Table[K, R]
	result table.Arrangement[K, R]
}

// Apply shows the new order, unless the rows of the table have been replaced since.
func (a arranged[K, R]) Apply() effect.Effect {
	a.table.Apply(a.result)
	return Work(a.table)
}

// Work returns work that sorts and filters a table and returns an Arranged, or nil if there is nothing to do.
func Work[K comparable, R any](t *table.Table[K, R]) effect.Effect {
	work := t.Work()
	if work == nil {
		return nil
	}
	return effect.Work(func(context.Context) any { return arranged[K, R]{t, work()} })
}

// SortByMarked sorts a table by its marked column, or reverses the order, and reports it. where is empty, or
// " on this page" if the table has only one page of several.
func SortByMarked[K comparable, R any](t *table.Table[K, R], where string) effect.Effect {
	columns := t.Columns()
	column := columns[slices.IndexFunc(columns, func(c table.Column[R]) bool { return c.Key == t.Column() })]
	title := cmp.Or(column.Title, column.Key)
	if !t.ToggleSort(column.Key) {
		marked := func() bool { return t.Column() == column.Key }
		return effect.SayWhile(marked, "Cannot sort by "+title+". ← → mark another column.")
	}
	lowest, highest := "lowest first", "highest first"
	if t.ByText(column.Key) {
		lowest, highest = "A to Z", "Z to A"
	}
	key, descending := t.Sorting()
	direction := lowest
	if descending {
		direction = highest
	}
	holds := func() bool {
		now, turned := t.Sorting()
		return now == key && turned == descending
	}
	return effect.Batch(
		Work(t),
		effect.SayWhile(holds, "Sorted by "+title+where+", "+direction+". ← → mark another column."),
	)
}

// Unless returns why as the reason why a key is disabled, unless works returns true. The reason is shown
// until it does.
func Unless(works func() bool, why string) func() string {
	return func() string {
		if works() {
			return ""
		}
		return why
	}
}

// Mover is a list in which the keyboard moves a cursor.
type Mover interface {
	// Move moves the cursor by up to n rows.
	Move(n int)
	// Leap is like Move, but scrolls too.
	Leap(n int)
	// Screenful returns the rows of a page and of half a page.
	Screenful() (whole, half int)
}

const everything = 1 << 30

// Moves returns the bindings that move in a list. Their names start with the name of the tab. If after is not
// nil, it returns the effect of a move.
func Moves(tab string, m Mover, after func() effect.Effect) keymap.Group {
	bind := func(name, help string, act func(), strokes ...string) keymap.Binding {
		return keymap.Binding{Name: tab + "." + name, Keys: strokes, Help: help, Do: func() effect.Effect {
			act()
			if after == nil {
				return nil
			}
			return after()
		}}
	}
	leap := func(by func(whole, half int) int) func() { return func() { m.Leap(by(m.Screenful())) } }
	return keymap.Group{Name: "Moving", Bindings: []keymap.Binding{
		bind("down", "one down", func() { m.Move(1) }, "j", "down"),
		bind("up", "one up", func() { m.Move(-1) }, "k", "up"),
		bind("pagedown", "a page down", leap(func(whole, _ int) int { return whole }), "pgdown", "ctrl+f"),
		bind("pageup", "a page up", leap(func(whole, _ int) int { return -whole }), "pgup", "ctrl+b"),
		bind("halfdown", "half a page down", leap(func(_, half int) int { return half }), "ctrl+d"),
		bind("halfup", "half a page up", leap(func(_, half int) int { return -half }), "ctrl+u"),
		bind("top", "to the first", func() { m.Move(-everything) }, "g g", "home"),
		bind("bottom", "to the last", func() { m.Move(everything) }, "G", "end"),
	}}
}

// AskNames requests unknown details of the projects on the screen, unless the last call requested the same.
func AskNames[K comparable, R any](
	asked *[]string,
	v *View,
	t *table.Table[K, R],
	project func(K) string,
	from interface{ ShowProjects(ids []string) },
) {
	var ids []string
	for key := range t.Screen() {
		id := project(key)
		if _, known := v.Projects[id]; !known && (len(ids) == 0 || ids[len(ids)-1] != id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 && !slices.Equal(ids, *asked) {
		*asked = ids
		from.ShowProjects(ids)
	}
}
