package table_test

import (
	"fmt"
	"strconv"

	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/table"
)

// vintage is a row as the market shows it.
type vintage struct {
	id, project, kind, country string
	year                       int
	ask, paid                  model.PriceCents
	available                  model.Grams
	trend                      string
}

// vintages is a source of rows.
type vintages []vintage

func (v vintages) Len() int         { return len(v) }
func (v vintages) Key(i int) string { return v[i].id }
func (v vintages) At(i int) vintage { return v[i] }

func price(p model.PriceCents) (int64, bool) { return int64(p), p.Known() }

func marketSpec() table.Spec[vintage] {
	return table.Spec[vintage]{
		Group: func(v vintage) string { return v.project },
		Search: func(dst []byte, v vintage) []byte {
			dst = append(append(dst, v.project...), '\n')
			dst = append(append(dst, v.kind...), '\n')
			dst = append(append(dst, v.country...), '\n')
			return strconv.AppendInt(dst, int64(v.year), 10)
		},
		Columns: []table.Column[vintage]{
			{Key: "project", Title: "PROJECT", Min: 12, Ideal: 28, Max: 40, Grouped: true,
				Cell: func(c *paint.Cell, v vintage) { c.Put(paint.Name, v.project) },
				Text: func(v vintage) string { return v.project }},
			{Key: "type", Title: "TYPE", Priority: 6, Max: 16, Grouped: true,
				Cell: func(c *paint.Cell, v vintage) { c.Put(paint.Muted, v.kind) },
				Text: func(v vintage) string { return v.kind }},
			{Key: "country", Title: "CC", Priority: 7, Grouped: true,
				Cell: func(c *paint.Cell, v vintage) { c.Put(paint.Muted, v.country) },
				Text: func(v vintage) string { return v.country }},
			{Key: "year", Title: "VINTAGE", Align: paint.Right,
				Cell:   func(c *paint.Cell, v vintage) { c.PutInt(paint.Text, int64(v.year)) },
				Number: func(v vintage) (int64, bool) { return int64(v.year), v.year > 0 }},
			{Key: "ask", Title: "BEST ASK", Align: paint.Right,
				Cell:   func(c *paint.Cell, v vintage) { c.PutBytes(paint.Strong, v.ask.AppendDollars(c.Scratch())) },
				Number: func(v vintage) (int64, bool) { return price(v.ask) }},
			{Key: "paid", Title: "LAST PAID", Align: paint.Right, Priority: 1, Cell: paidCell,
				Number: func(v vintage) (int64, bool) { return price(v.paid) }},
			{Key: "available", Title: "AVAILABLE", Align: paint.Right, Priority: 2,
				Cell:   func(c *paint.Cell, v vintage) { c.PutInt(paint.Text, v.available.Tonnes()); c.Put(paint.Text, " t") },
				Number: func(v vintage) (int64, bool) { return int64(v.available), true }},
			{Key: "trend", Title: "TREND", Priority: 8,
				Cell: func(c *paint.Cell, v vintage) { c.Put(paint.Product, v.trend) }},
		},
	}
}

func paidCell(c *paint.Cell, v vintage) {
	if !v.paid.Known() {
		c.Put(paint.Faint, "—")
		return
	}
	c.Put(paint.Paid, "★ ")
	c.PutBytes(paint.Paid, v.paid.AppendDollars(c.Scratch()))
}

// market makes n vintages, four a project, with prices in no order.
func market(n int) vintages {
	kinds := []string{"REDD+", "Wind", "Cookstoves", "Biochar", "Afforestation"}
	rows := make(vintages, n)
	random := uint64(1)
	for i := range rows {
		random = random*6364136223846793005 + 1442695040888963407
		rows[i] = vintage{
			id: fmt.Sprintf("v%07d", i), project: fmt.Sprintf("Project %05d", i/4), kind: kinds[i/4%len(kinds)],
			country: "ET", year: 2018 + i%4, ask: model.PriceCents(random >> 44), paid: model.UnknownPrice,
			available: model.Grams(random>>40) * 1000, trend: "▁▂▃▄▅▆▇█",
		}
		if i%3 == 0 {
			rows[i].paid = rows[i].ask + 7
		}
	}
	return rows
}
