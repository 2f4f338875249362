package table_test

import (
	"fmt"
	"testing"

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
		{"   ", "[bale cabo cook sao]"},
		{"mountain", "[bale]"},
		{"MOUNTAIN", "[bale]"},
		{"SÃO", "[sao]"},
		{"2019", "[bale sao]"},
		{"2019 redd", "[bale]"},
		{"redd 2019", "[bale]"},
		{"!2019", "[cabo cook]"},
		{"!2019 !wind", "[cook]"},
		{"!", "[bale cabo cook sao]"},
		{"bm", "[bale]"},
		{"balmo", "[bale]"},
		{"cic", "[cook]"},
		{"be", "[]"},
		{"ml", "[]"},
		{"209", "[]"},
		{"redd2019", "[]"},
		{"none", "[]"},
	}
	for _, test := range tests {
		tab := table.New[string](thingSpec())
		tab.SetSource(source)
		tab.SetQuery(test.query)
		if got := fmt.Sprint(keys(tab)); got != test.want {
			t.Errorf("query %q shows %s, want %s", test.query, got, test.want)
		}
	}
}

func TestAQueryMayComeBeforeTheRows(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetQuery("a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	tab.Sort("amount", true)
	if tab.Len() != 0 || tab.Pending() {
		t.Errorf("%d rows of none, pending %t", tab.Len(), tab.Pending())
	}
	tab.SetSource(things{{id: "1", name: "a", amount: 1, known: true}, {id: "2", name: "a", amount: 2, known: true}, {id: "3", name: "b", amount: 3}})
	if got := fmt.Sprint(keys(tab)); got != "[2 1]" {
		t.Errorf("rows that came after the query: %s", got)
	}
}

func TestAConditionHoldsBesidesTheQuery(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "1", name: "a", amount: 1}, {id: "2", name: "a"}, {id: "3", name: "b", amount: 1}})
	tab.SetQuery("a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	if got := fmt.Sprint(keys(tab)); got != "[1]" || tab.Len() != 1 || tab.Total() != 3 {
		t.Errorf("query and condition show %s, %d of %d", got, tab.Len(), tab.Total())
	}
	tab.SetMatch(nil)
	tab.SetQuery("")
	if tab.Len() != 3 {
		t.Errorf("%d rows without conditions, want 3", tab.Len())
	}
}
