package table_test

import (
	"fmt"
	"strings"
	"testing"

	"tonne/model/filter"
	"tonne/ui/style"
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
		setQuery(tab, test.query)
		if got := fmt.Sprint(keys(tab)); got != test.want {
			t.Errorf("query %q shows %s, want %s", test.query, got, test.want)
		}
	}
}

func TestQueryBeforeTheRows(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	setQuery(tab, "a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	tab.Sort("amount", true)
	if tab.Len() != 0 || tab.Pending() {
		t.Errorf("%d rows of none, pending %t", tab.Len(), tab.Pending())
	}
	tab.SetSource(things{{id: "1", name: "a", amount: 1, known: true}, {id: "2", name: "a", amount: 2, known: true}, {id: "3", name: "b", amount: 3}})
	if got := fmt.Sprint(keys(tab)); got != "[2 1]" {
		t.Errorf("rows that arrive after the query: %s", got)
	}
}

func TestFilterHighlightsMatches(t *testing.T) {
	t.Parallel()
	spec := thingSpec()
	spec.Columns[0].Marked = true
	tab := table.New[string](spec)
	tab.SetSource(things{{id: "bale", name: "Bale"}})
	frame := func() string {
		block := style.NewBlock(style.NewTheme(style.Mono), 40, 2)
		tab.Render(block, 2, table.Frame[string]{})
		return block.String()
	}
	const marked = "\x1b[0;4mal"
	if strings.Contains(frame(), marked) {
		t.Errorf("without a filter: %q", frame())
	}
	setQuery(tab, "al")
	if got := frame(); strings.Count(got, marked) != 1 || tab.CopyCell() != "Bale" {
		t.Errorf("with it: %q, copied %q", got, tab.CopyCell())
	}
	setQuery(tab, "")
	if strings.Contains(frame(), marked) {
		t.Errorf("the mark stays: %q", frame())
	}
}

func TestConditionAppliesInAdditionToTheQuery(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.SetSource(things{{id: "1", name: "a", amount: 1}, {id: "2", name: "a"}, {id: "3", name: "b", amount: 1}})
	setQuery(tab, "a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	if got := fmt.Sprint(keys(tab)); got != "[1]" || tab.Len() != 1 || tab.Total() != 3 {
		t.Errorf("query and condition show %s, %d of %d", got, tab.Len(), tab.Total())
	}
	tab.SetMatch(nil)
	setQuery(tab, "")
	if tab.Len() != 3 {
		t.Errorf("%d rows without conditions, want 3", tab.Len())
	}
}

// setQuery filters a table.
func setQuery[K comparable, R any](t *table.Table[K, R], query string) {
	expr, err := filter.Parse(query)
	if err != nil {
		panic(err)
	}
	t.SetFilter(query, expr)
}
