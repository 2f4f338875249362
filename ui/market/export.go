package market

import (
	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// exportColumns are the columns of an exported market.
var exportColumns = []string{
	"project", "project_id", "type", "country", "registry", "registry_id", "vintage", "vintage_id",
	"best_ask_usd_per_tonne", "change_since_open_usd", "last_paid_usd_per_tonne", "last_paid_at", "vs_paid_percent",
	"available_tonnes", "offered_tonnes", "sell_orders",
}

func (t *Tab) export() effect.Effect {
	shown, part := t.table.Rows(), t.rows.partial || t.view.LastPaid.Prices == nil
	return t.view.Export("market", tab.ShownRows, t.view.LastPaid.At, func() spreadsheet.Sheet {
		sheet := spreadsheet.Sheet{Name: "Market", Columns: exportColumns, Part: part}
		for _, r := range shown {
			sheet.Rows = append(sheet.Rows, r.cells())
		}
		return sheet
	})
}

func (r row) cells() []spreadsheet.Cell {
	p, v := r.project(), r.vintage()
	paid, bought := r.lastPaid()
	moved, known := r.delta()
	offered, err := model.WholeTonnes(r.tonnes())
	if err != nil {
		offered = model.UnknownGrams
	}
	versus := spreadsheet.Cell{}
	if d, ok := r.versusPaid(); ok {
		versus = spreadsheet.Decimal(int64(d), 1)
	}
	text := spreadsheet.Text
	return []spreadsheet.Cell{
		text(r.name()), text(r.projectID()), text(p.Type), text(p.Country), text(p.RegistryName), text(p.RegistryID), tab.YearCell(int(v.Year)), text(v.ID),
		tab.PriceCell(v.BestAsk, true), tab.AmountCell(moved, known), tab.PriceCell(paid.Price, bought), tab.MomentCell(paid.ExecutionDate.Time), versus,
		tab.TonnesCell(offered), tab.TonnesCell(v.Available), spreadsheet.Decimal(int64(v.Asks()), 0),
	}
}
