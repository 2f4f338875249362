package table_test

import (
	"fmt"
	"strconv"

	"tonne/model"
	"tonne/model/filter"
	"tonne/ui/style"
	"tonne/ui/table"
)

// vintage is a row like those of the market.
type vintage struct {
	id, project, kind string
	year              int
	ask, paid         model.PriceCents
	available         model.Grams
}

type vintages []vintage

func (v vintages) Len() int         { return len(v) }
func (v vintages) Key(i int) string { return v[i].id }
func (v vintages) At(i int) vintage { return v[i] }

func words(key, title string, priority, most int, of func(vintage) string) table.Column[vintage] {
	return table.Column[vintage]{
		Key: key, Title: title, Priority: priority, Max: most, Grouped: true, Text: of,
		Cell: func(c *style.Cell, v vintage) { c.Put(style.Name, of(v)) },
	}
}

func number(key, title string, priority int, of func(vintage) (int64, bool), draw func([]byte, vintage) []byte) table.Column[vintage] {
	return table.Column[vintage]{
		Key: key, Title: title, Align: style.Right, Priority: priority, Number: of,
		Cell: func(c *style.Cell, v vintage) { c.PutBytes(style.Text, draw(c.Scratch(), v)) },
	}
}

func marketSpec() table.Spec[vintage] {
	project := words("project", "PROJECT", 0, 40, func(v vintage) string { return v.project })
	project.Min, project.Ideal = 12, 28
	return table.Spec[vintage]{
		Group: func(v vintage) string { return v.project },
		Filtered: func(v vintage, _ filter.Needs) filter.Row {
			return filter.Row{Name: v.project, Type: v.kind, Country: "ET", Year: v.year}
		},
		Columns: []table.Column[vintage]{
			project,
			words("type", "TYPE", 6, 16, func(v vintage) string { return v.kind }),
			words("country", "CC", 7, 0, func(vintage) string { return "ET" }),
			number("year", "VINTAGE", 0, func(v vintage) (int64, bool) { return int64(v.year), true },
				func(b []byte, v vintage) []byte { return strconv.AppendInt(b, int64(v.year), 10) }),
			number("ask", "BEST ASK", 0, func(v vintage) (int64, bool) { return int64(v.ask), v.ask.Known() },
				func(b []byte, v vintage) []byte { return v.ask.AppendDollars(b) }),
			number("paid", "LAST PAID", 1, func(v vintage) (int64, bool) { return int64(v.paid), v.paid.Known() },
				func(b []byte, v vintage) []byte { return v.paid.AppendDollars(append(b, "★ "...)) }),
			number("available", "AVAILABLE", 2, func(v vintage) (int64, bool) { return int64(v.available), true },
				func(b []byte, v vintage) []byte {
					return append(strconv.AppendInt(b, v.available.Tonnes(), 10), " t"...)
				}),
			{Key: "trend", Title: "TREND", Priority: 8, Cell: func(c *style.Cell, _ vintage) { c.Put(style.Accent, "▁▂▃▄▅▆▇█") }},
		},
	}
}

// market returns n vintages, four per project, with unsorted prices.
func market(n int) (all vintages) {
	kinds := []string{"REDD+", "Wind", "Cookstoves", "Biochar", "Afforestation"}
	random := uint64(1)
	for i := range n {
		random = random*6364136223846793005 + 1442695040888963407
		v := vintage{
			fmt.Sprintf("v%07d", i), fmt.Sprintf("Project %05d", i/4), kinds[i/4%len(kinds)], 2018 + i%4,
			model.PriceCents(random >> 44), model.UnknownPrice, model.Grams(random>>40) * 1000,
		}
		if i%3 == 0 {
			v.paid = v.ask + 7
		}
		all = append(all, v)
	}
	return all
}
