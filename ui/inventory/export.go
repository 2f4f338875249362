package inventory

import (
	"time"

	"tonne/ui/effect"
	"tonne/ui/spreadsheet"
	"tonne/ui/tab"
)

// exportColumns are the columns of an exported page of the inventory.
var exportColumns = []string{
	"project", "project_id", "vintage", "vintage_id", "wallet", "balance_tonnes",
	"last_paid_usd_per_tonne", "last_paid_at", "average_cost_usd_per_tonne", "best_ask_usd_per_tonne",
	"cost_usd", "to_replace_usd", "replacement_over_cost_usd",
}

// export lets the person write the wallets that are shown to a file.
func (t *Tab) export() effect.Effect {
	shown := t.wallets.table.Rows()
	return t.view.Export("inventory", func() spreadsheet.Sheet {
		sheet := spreadsheet.Sheet{Name: "Inventory", Columns: exportColumns}
		for _, r := range shown {
			sheet.Rows = append(sheet.Rows, r.cells())
		}
		return sheet
	})
}

// cells are those of the row in an exported page.
func (r row) cells() []spreadsheet.Cell {
	average, averaged := r.average()
	over, compared := r.value.OverCost()
	at := ""
	if r.paid && r.lastPaid.ExecutionDate.Known() {
		at = r.lastPaid.ExecutionDate.Time.UTC().Format(time.RFC3339)
	}
	text := spreadsheet.Text
	return []spreadsheet.Cell{
		text(r.name), text(r.key.ProjectID), tab.YearCell(r.year), text(r.key.VintageID), text(r.key.kind), tab.TonnesCell(r.wallet.Quantity),
		tab.PriceCell(r.lastPaid.Price, r.paid), text(at), tab.PriceCell(average, averaged), tab.PriceCell(r.bestAsk, true),
		tab.AmountCell(r.value.Basis, r.value.HasBasis), tab.AmountCell(r.value.Value, r.value.HasValue), tab.AmountCell(over, compared),
	}
}
