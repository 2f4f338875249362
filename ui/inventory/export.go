package inventory

import (
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

var exportColumns = []string{
	"project", "project_id", "vintage", "vintage_id", "wallet", "balance_tonnes",
	"last_paid_usd_per_tonne", "last_paid_at", "average_cost_usd_per_tonne", "best_ask_usd_per_tonne",
	"cost_usd", "to_replace_usd", "replacement_over_cost_usd", "replacement_since_start_of_day_usd", "project_type", "country",
}

func (t *Tab) export() effect.Effect {
	shown := t.wallets.table.Rows()
	part := t.view.Market.Market == nil || t.view.Market.Partial || !t.paging && t.book.Partial
	return t.view.Export("inventory", tab.ShownRows, t.listing().health.At, func() spreadsheet.Sheet {
		sheet := spreadsheet.Sheet{Name: "Inventory", Columns: exportColumns, Part: part}
		for _, r := range shown {
			sheet.Rows = append(sheet.Rows, r.cells())
		}
		return sheet
	})
}

func (r row) cells() []spreadsheet.Cell {
	average, averaged := r.Bought.AverageCost()
	value := r.value()
	over, compared := value.OverCost()
	moved, knew := r.today()
	paid, bought := r.lastPaid()
	text := spreadsheet.Text
	return []spreadsheet.Cell{
		text(r.name()), text(r.Key.ProjectID), tab.YearCell(r.year()), text(r.Key.VintageID), text(r.Key.Type), tab.TonnesCell(r.Wallet.Quantity),
		tab.PriceCell(paid.Price, bought), tab.MomentCell(paid.ExecutionDate.Time), tab.PriceCell(average, averaged), tab.PriceCell(r.bestAsk(), true),
		tab.AmountCell(value.Basis, value.HasBasis), tab.AmountCell(value.Value, value.HasValue), tab.AmountCell(over, compared),
		tab.AmountCell(moved, knew), text(r.project().Type), text(r.project().Country),
	}
}
