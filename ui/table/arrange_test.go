package table_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"tonne/model/field"
	"tonne/model/filter"
	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/table"
)

// inOrder sorts things in the simplest way, for comparison.
func inOrder(s things, column string, descending bool) []string {
	s = slices.Clone(s)
	missing := func(t thing) bool { return column == "amount" && !t.known || column == "name" && t.name == "" }
	slices.SortStableFunc(s, func(a, b thing) int {
		switch {
		case missing(a) && missing(b):
			return 0
		case missing(a):
			return 1
		case missing(b):
			return -1
		}
		order := cmp.Compare(a.amount, b.amount)
		if column == "name" {
			order = strings.Compare(a.name, b.name)
		}
		if descending {
			order = -order
		}
		return order
	})
	var ids []string
	for _, t := range s {
		ids = append(ids, t.id)
	}
	return ids
}

func TestSortIsStableWithEmptyValuesLast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, descending := drawThings(t), rapid.Bool().Draw(t, "descending")
		column := rapid.SampledFrom([]string{"name", "amount"}).Draw(t, "column")
		tab := table.New[string](thingSpec())
		tab.SetSource(s)
		tab.Sort(column, descending)
		got, want := keys(tab), inOrder(s, column, descending)
		must.Need(t, slices.Equal(got, want), "sorted by", column, got, want)
	})
}

func TestUnsortableColumnKeepsTheOrder(t *testing.T) {
	t.Parallel()
	spec := thingSpec()
	spec.Columns = append(
		spec.Columns,
		table.Column[thing]{Key: "picture", Title: "PICTURE", Cell: func(*style.Cell, thing) {}},
	)
	tab := table.New[string](spec)
	tab.SetSource(things{{id: "b", amount: 1, known: true}, {id: "a", amount: 2, known: true}})
	tab.Sort("amount", true)
	for _, key := range []string{"picture", "nothing"} {
		must.Hold(t, !tab.ToggleSort(key), "the table is sorted by", key)
		key, descending := tab.Sorting()
		must.Hold(t, key == "amount" && descending && fmt.Sprint(keys(tab)) == "[a b]",
			"sorted by", key, descending, keys(tab))
	}
}

func TestTextIsSortedIgnoringCase(t *testing.T) {
	t.Parallel()
	s := things{
		{id: "1", name: "zebra crossing"},
		{id: "2", name: "Ábaco"},
		{id: "3", name: "Zebra Crossings"},
		{id: "4", name: "bale"},
		{id: "5", name: "Bale Mountains"},
	}
	tab := table.New[string](thingSpec())
	tab.SetSource(s)
	tab.Sort("name", false)
	must.Equal(t, fmt.Sprint(keys(tab)), "[4 5 1 3 2]", "sorted by name")
}

// many is more rows than are sorted without Work.
const many = 20_000

func TestWorkIsReturnedOnceAndOldResultsAreDropped(t *testing.T) {
	t.Parallel()
	tab := table.New[string](marketSpec())
	tab.SetSource(market(many))
	first := tab.Work()
	must.Need(t, first != nil && tab.Work() == nil, "the work of a large source is not returned exactly once")
	setQuery(tab, "wind")
	must.Need(t, tab.Work() == nil, "two results are worked on at once")
	must.Hold(t, !tab.Apply(first()) && tab.Len() == 0, "the result of older work is shown")
	second := tab.Work()
	must.Hold(t, tab.Apply(second()) && !tab.Pending() && tab.Len() == many/5, tab.Len(), tab.Pending(), many/5)
	must.Hold(t, !tab.Apply(second()), "the same result is shown twice")
}

func TestMoveDuringPendingSortKeepsItsRow(t *testing.T) {
	t.Parallel()
	tab := table.New[string](marketSpec())
	tab.SetSource(market(many))
	tab.Finish()
	tab.Sort("ask", false)
	tab.Move(100)
	there, _ := tab.CurrentKey()
	must.Need(t, tab.Pending(), "a move waited for the sort")
	tab.Finish()
	got, _ := tab.CurrentKey()
	must.Equal(t, got, there, "the cursor moved from")
}

func TestPanicOfColumnReachesTheCaller(t *testing.T) {
	t.Parallel()
	spec := marketSpec()
	spec.Columns[4].Order = func(vintage) field.Value { panic("a column") }
	tab := table.New[string](spec)
	tab.SetSource(market(many))
	tab.Finish()
	defer func() {
		got := recover()
		must.Hold(t, got == "a column", "recovered", got)
	}()
	tab.Sort("ask", false)
	tab.Finish()
	t.Error("the panic was swallowed")
}

func TestQueryBeforeTheRows(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	setQuery(tab, "a")
	tab.SetMatch(func(t thing) bool { return t.amount > 0 })
	tab.Sort("amount", true)
	must.Hold(t, tab.Len() == 0 && !tab.Pending(), tab.Len(), tab.Pending())
	tab.SetSource(
		things{
			{id: "1", name: "a", amount: 1, known: true},
			{id: "2", name: "a", amount: 2, known: true},
			{id: "3", name: "b", amount: 3},
		},
	)
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
	word := rapid.OneOf(
		rapid.StringMatching(`!?[abcé]{1,3}`),
		rapid.StringMatching(`!?"[ab] ?[ab]"`),
		rapid.StringMatching(`!?ask[<>]0\.0[1-3]`),
	)
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
			if of := filtered(row); expr.Match(&of) {
				want = append(want, row.id)
			}
		}
		must.Equal(t, keys(tab), want, typed, rows)
	})
}

// versioned has an order that depends on its version only.
type versioned[R any] struct {
	table.Source[string, R]
	version int
}

func (v versioned[R]) Basis() any { return v.version }

func TestOrderIsKeptWhileItsBasisIs(t *testing.T) {
	t.Parallel()
	tab := table.New[string](thingSpec())
	tab.Sort("name", false)
	first := things{{id: "1", name: "wind"}, {id: "2", name: "bale"}}
	renamed := things{{id: "1", name: "alder"}, {id: "2", name: "bale"}}
	for _, step := range []struct {
		source table.Source[string, thing]
		want   string
	}{
		{source: versioned[thing]{first, 1}, want: "[2 1]"},
		{source: versioned[thing]{renamed, 1}, want: "[2 1]"},
		{source: versioned[thing]{renamed, 2}, want: "[1 2]"},
		{source: first, want: "[2 1]"},
		{source: renamed, want: "[1 2]"},
	} {
		tab.SetSource(step.source)
		must.Equal(t, fmt.Sprint(keys(tab)), step.want)
	}
}

func TestOldResultIsUsedWhileItsBasisIs(t *testing.T) {
	t.Parallel()
	rows := market(many)
	for _, test := range []struct {
		name   string
		change func(*table.Table[string, vintage])
		sorts  bool
	}{
		{name: "details", change: func(tab *table.Table[string, vintage]) { tab.SetSource(versioned[vintage]{rows, 1}) }},
		{name: "filter", change: func(tab *table.Table[string, vintage]) { setQuery(tab, "wind") }},
		{name: "basis", sorts: true, change: func(tab *table.Table[string, vintage]) { tab.SetSource(versioned[vintage]{rows, 2}) }},
		{name: "column", sorts: true, change: func(tab *table.Table[string, vintage]) { tab.Sort("year", false) }},
		{name: "direction", sorts: true, change: func(tab *table.Table[string, vintage]) { tab.Sort("ask", true) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var compared atomic.Int64
			spec := marketSpec()
			for i := range spec.Columns {
				if value := spec.Columns[i].Value; value != nil {
					spec.Columns[i].Order = func(v vintage) field.Value {
						compared.Add(1)
						return value(v)
					}
				}
			}
			tab := table.New[string](spec)
			tab.Sort("ask", false)
			tab.SetSource(versioned[vintage]{rows, 1})
			old := tab.Work()
			test.change(tab)
			must.Need(t, !tab.Apply(old()), "an old result is shown")
			before := compared.Load()
			must.Need(t, tab.Apply(tab.Work()()), "a new result is not shown")
			must.Equal(t, compared.Load() > before, test.sorts)
			fresh := table.New[string](marketSpec())
			fresh.Sort("ask", false)
			fresh.SetSource(versioned[vintage]{rows, 1})
			test.change(fresh)
			fresh.Finish()
			must.Equal(t, keys(tab), keys(fresh))
		})
	}
}
