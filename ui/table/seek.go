package table

import (
	"strings"

	"tonne/model/field"
	"tonne/model/filter"
	"tonne/model/fold"
)

// Seek moves the cursor to the next shown row that matches a text, down with step 1 and up with step -1. The search
// continues at the other end. With step 0 it begins with the row of the cursor. A table with filters takes an
// expression of package filter; other tables, and texts that are no expression, match rows with all words.
func (t *Table[K, R]) Seek(typed string, step int) (found bool) {
	t.Finish()
	matches, n := t.matcher(typed), t.Len()
	way, from := step, 1
	if step == 0 {
		way, from = 1, 0
	}
	for i := from; i < n+from; i++ {
		position := ((t.cursor+way*i)%n + n) % n
		if matches(t.shown.source.At(t.shown.row(position))) {
			t.MoveTo(position)
			return true
		}
	}
	return false
}

func (t *Table[K, R]) matcher(typed string) func(R) bool {
	if f, err := filter.Parse(typed); err == nil && t.want.filtered != nil {
		needs := f.Needs()
		return func(r R) bool {
			row := t.want.filtered(r, needs)
			return f.Match(&row)
		}
	}
	words := strings.Fields(fold.String(typed))
	return func(r R) bool {
		text := fold.String(t.copied(func(c int) string { return t.text(c, r, field.Value.Bare) }))
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return true
	}
}
