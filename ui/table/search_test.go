package table_test

import (
	"fmt"
	"testing"

	"tonne/model/filter"
	"tonne/model/must"
	"tonne/ui/table"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	source := things{
		{id: "bale", name: "Bale Mountains\nREDD+\nET\n2019"},
		{id: "cabo", name: "Cabo Leones\nWind\nCL\n2021"},
		{id: "cook", name: "Cambodia Improved Cookstove\nCookstoves\nKH\n2020"},
		{id: "sao", name: "São Félix\nAfforestation\nBR\n2019"},
	}
	tests := []struct{ query, want string }{
		{"", "[bale cabo cook sao]"},
		{"mountain", "[bale]"},
		{"SÃO", "[sao]"},
		{"2019", "[bale sao]"},
		{"2019 redd", "[bale]"},
		{"!2019", "[cabo cook]"},
		{"!", "[bale cabo cook sao]"},
		{"bm", "[bale]"},
		{"redd2019", "[]"},
	}
	for _, test := range tests {
		tab := table.New[string](thingSpec())
		tab.SetSource(source)
		setQuery(tab, test.query)
		must.Equal(t, fmt.Sprint(keys(tab)), test.want, "query", test.query)
	}
}

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
	expr, err := filter.Parse(query)
	if err != nil {
		panic(err)
	}
	t.SetFilter(query, expr)
}
