package table_test

import (
	"fmt"

	"tonne/model"
	"tonne/model/field"
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
		Key: key, Title: title, Priority: priority, Max: most, Grouped: true, Style: style.Name,
		Value: func(v vintage) field.Value { return field.Text(of(v)) },
	}
}

func number(key, title string, priority int, of func(vintage) field.Value) table.Column[vintage] {
	return table.Column[vintage]{Key: key, Title: title, Align: style.Right, Priority: priority, Value: of}
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
			number("year", "VINTAGE", 0, func(v vintage) field.Value { return field.Year(int32(v.year)) }),
			number("ask", "BEST ASK", 0, func(v vintage) field.Value { return field.Price(v.ask) }),
			number("paid", "LAST PAID", 1, func(v vintage) field.Value { return field.Price(v.paid).As(field.LastPaid) }),
			number("available", "AVAILABLE", 2, func(v vintage) field.Value { return field.Grams(v.available) }),
			{
				Key:      "trend",
				Title:    "TREND",
				Priority: 8,
				Cell:     func(c *style.Cell, _ vintage) { c.Put(style.Accent, "▁▂▃▄▅▆▇█") },
			},
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
