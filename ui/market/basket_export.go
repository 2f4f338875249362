package market

import (
	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// basketColumns are the columns of an exported basket.
var basketColumns = []string{
	"project", "project_id", "type", "country", "vintage", "vintage_id", "sell_order_id", "tonnes", "price_usd_per_tonne", "cost_usd", "share_percent",
	"last_paid_usd_per_tonne", "vs_paid_percent",
}

func (p *basketPane) export() effect.Effect {
	rows, projects, part := p.found.lines(), p.view.Projects, p.found.rows.partial
	return p.view.Export("basket", "the basket", p.view.LastPaid.At, func() spreadsheet.Sheet {
		sheet := basketSheet(rows, projects)
		sheet.Part = part
		return sheet
	})
}

func basketSheet(rows basketRows, projects model.Projects) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Basket", Columns: basketColumns}
	for i := range rows.Len() {
		sheet.Rows = append(sheet.Rows, rows.At(i).cells(projects))
	}
	sheet.Totals = make([]spreadsheet.Cell, len(basketColumns))
	for column, sum := range map[string]spreadsheet.Cell{
		"tonnes": spreadsheet.Decimal(rows.Tonnes, 0), "cost_usd": tab.AmountCell(rows.Cost, true),
	} {
		for i, name := range basketColumns {
			if name == column {
				sheet.Totals[i] = spreadsheet.Sum(sum)
			}
		}
	}
	return sheet
}

func (r basketRow) cells(projects model.Projects) []spreadsheet.Cell {
	p := projects[r.Vintage.ProjectID]
	versus := spreadsheet.Cell{}
	if d, ok := model.Difference(r.Order.Price, r.paid); ok {
		versus = spreadsheet.Decimal(int64(d), 1)
	}
	text := spreadsheet.Text
	return []spreadsheet.Cell{
		text(projects.Name(r.Vintage.ProjectID)), text(r.Vintage.ProjectID), text(p.Type), text(p.Country), tab.YearCell(int(r.Year)), text(r.Vintage.VintageID),
		text(r.Order.ID), spreadsheet.Decimal(r.Tonnes, 0), tab.PriceCell(r.Order.Price, true), tab.AmountCell(r.Cost, true),
		spreadsheet.Decimal(int64(r.share), 1), tab.PriceCell(r.paid, true), versus,
	}
}

func (p *basketPane) copyRow(s subject) (effect.Copy, bool) {
	if c, ok := p.tabular.copyRow(s); ok {
		c.Whole = p.copyAll
		return c, true
	}
	if p.found == nil {
		return effect.Copy{}, false
	}
	return p.copyAll(), true
}

func (p *basketPane) copyID(subject) (effect.Copy, bool) {
	id, ok := p.table.CurrentKey()
	return effect.Copy{Text: id, What: "the sell order's id"}, ok
}

func (p *basketPane) copyAll() effect.Copy {
	const oneLine = 1 << 20
	lines := []style.Spans{style.Put(style.Text, p.title(subject{})+" · "+p.view.Moment(model.At(p.view.Market.At)))}
	lines = append(append(append(lines, flow(oneLine, p.filled())...), p.told(oneLine)...), p.limits()...)
	rows, count := p.table.CopyAll()
	return effect.Copy{Text: plainText(lines) + "\n" + rows, What: "the basket, " + model.Count(count, "sell order", "sell orders")}
}
