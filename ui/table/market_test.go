package table_test

import (
	"fmt"
	"strconv"

	"tonne/model"
	"tonne/model/filter"
	"tonne/ui/style"
	"tonne/ui/table"
)

// vintages is a source with one slice per column, like the market.
type vintages struct {
	ids, projects, kinds []string
	years                []int
	asks, paid           []model.PriceCents
	available            []model.Grams
}

func (v *vintages) Len() int         { return len(v.ids) }
func (v *vintages) Key(i int) string { return v.ids[i] }
func (v *vintages) At(i int) vintage { return vintage{v, i} }

// vintage is a row of the market.
type vintage struct {
	*vintages
	i int
}

func price(p model.PriceCents) (int64, bool) { return int64(p), p.Known() }

func marketSpec() table.Spec[vintage] {
	return table.Spec[vintage]{
		Group: func(v vintage) string { return v.projects[v.i] },
		Filtered: func(v vintage, _ filter.Needs) filter.Row {
			return filter.Row{Name: v.projects[v.i], Type: v.kinds[v.i], Country: "ET", Year: v.years[v.i]}
		},
		Columns: []table.Column[vintage]{
			{Key: "project", Title: "PROJECT", Min: 12, Ideal: 28, Max: 40, Grouped: true,
				Cell: func(c *style.Cell, v vintage) { c.Put(style.Name, v.projects[v.i]) },
				Text: func(v vintage) string { return v.projects[v.i] }},
			{Key: "type", Title: "TYPE", Priority: 6, Max: 16, Grouped: true,
				Cell: func(c *style.Cell, v vintage) { c.Put(style.Muted, v.kinds[v.i]) },
				Text: func(v vintage) string { return v.kinds[v.i] }},
			{Key: "country", Title: "CC", Priority: 7, Grouped: true,
				Cell: func(c *style.Cell, v vintage) { c.Put(style.Muted, "ET") },
				Text: func(v vintage) string { return "ET" }},
			{Key: "year", Title: "VINTAGE", Align: style.Right,
				Cell: func(c *style.Cell, v vintage) {
					c.PutBytes(style.Text, strconv.AppendInt(c.Scratch(), int64(v.years[v.i]), 10))
				},
				Number: func(v vintage) (int64, bool) { return int64(v.years[v.i]), v.years[v.i] > 0 }},
			{Key: "ask", Title: "BEST ASK", Align: style.Right,
				Cell:   func(c *style.Cell, v vintage) { c.PutBytes(style.Strong, v.asks[v.i].AppendDollars(c.Scratch())) },
				Number: func(v vintage) (int64, bool) { return price(v.asks[v.i]) }},
			{Key: "paid", Title: "LAST PAID", Align: style.Right, Priority: 1, Cell: paidCell,
				Number: func(v vintage) (int64, bool) { return price(v.paid[v.i]) }},
			{Key: "available", Title: "AVAILABLE", Align: style.Right, Priority: 2,
				Cell: func(c *style.Cell, v vintage) {
					c.PutBytes(style.Text, strconv.AppendInt(c.Scratch(), v.available[v.i].Tonnes(), 10))
					c.Put(style.Text, " t")
				},
				Number: func(v vintage) (int64, bool) { return int64(v.available[v.i]), true }},
			{Key: "trend", Title: "TREND", Priority: 8,
				Cell: func(c *style.Cell, v vintage) { c.Put(style.Accent, "▁▂▃▄▅▆▇█") }},
		},
	}
}

func paidCell(c *style.Cell, v vintage) {
	if !v.paid[v.i].Known() {
		c.Put(style.Faint, "—")
		return
	}
	c.Put(style.Paid, "★ ")
	c.PutBytes(style.Paid, v.paid[v.i].AppendDollars(c.Scratch()))
}

// market returns n vintages, four per project, with unsorted prices.
func market(n int) *vintages {
	kinds := []string{"REDD+", "Wind", "Cookstoves", "Biochar", "Afforestation"}
	v := new(vintages)
	random := uint64(1)
	for i := range n {
		random = random*6364136223846793005 + 1442695040888963407
		ask, paid := model.PriceCents(random>>44), model.UnknownPrice
		if i%3 == 0 {
			paid = ask + 7
		}
		v.ids = append(v.ids, fmt.Sprintf("v%07d", i))
		v.projects = append(v.projects, fmt.Sprintf("Project %05d", i/4))
		v.kinds = append(v.kinds, kinds[i/4%len(kinds)])
		v.years = append(v.years, 2018+i%4)
		v.asks, v.paid = append(v.asks, ask), append(v.paid, paid)
		v.available = append(v.available, model.Grams(random>>40)*1000)
	}
	return v
}
