package table_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model/filter"
	must "tonne/model/musttest"
	"tonne/ui/table"
)

func TestQueryBeforeTheRows(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	setQuery(tab, "a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	tab.Sort("amount", true)
	must.Hold(t, tab.Len() == 0 && !tab.Pending(), tab.Len(), tab.Pending())
	tab.SetSource(things{{id: "1", name: "a", amount: 1, known: true}, {id: "2", name: "a", amount: 2, known: true}, {id: "3", name: "b", amount: 3}})
	must.Equal(t, fmt.Sprint(keys(tab)), "[2 1]", "rows that arrive after the query")
}

func TestConditionAppliesInAdditionToTheQuery(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "1", name: "a", amount: 1}, {id: "2", name: "a"}, {id: "3", name: "b", amount: 1}})
	setQuery(tab, "a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	got := fmt.Sprint(keys(tab))
	must.Hold(t, got == "[1]" && tab.Len() == 1 && tab.Total() == 3,
		"query and condition show", got, tab.Len(), tab.Total())
	tab.SetMatch(nil)
	setQuery(tab, "")
	must.Equal(t, tab.Len(), 3)
}

// setQuery filters a table.
func setQuery[K comparable, R any](t *table.Table[K, R], query string) {
	t.SetFilter(query, must.Get(filter.Parse(query)))
}

func TestTypedQueryShowsTheMatchingRows(t *testing.T) {
	t.Parallel()
	word := rapid.OneOf(rapid.StringMatching(`!?[abcé]{1,3}`), rapid.StringMatching(`!?"[ab] ?[ab]"`))
	rapid.Check(t, func(t *rapid.T) {
		rows := drawThings(t)
		typed := strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "query"), " ")
		tab := table.New[string](thingSpec())
		tab.SetSource(rows)
		for end := range typed + " " {
			if expr, err := filter.Parse(typed[:end]); err == nil {
				tab.SetFilter(typed[:end], expr)
			}
		}
		expr := must.Get(filter.Parse(typed))
		var want []string
		for _, row := range rows {
			if expr.Match(&filter.Row{Name: row.name}) {
				want = append(want, row.id)
			}
		}
		must.Equal(t, keys(tab), want, typed, rows)
	})
}
