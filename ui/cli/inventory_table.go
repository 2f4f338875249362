package cli

import (
	"strconv"

	"tonne/model"
	"tonne/ui/cli/output"
)

// walletTable shows a row per wallet.
func (r *inventoryRun) walletTable(inv *model.Inventory) *output.Grid {
	g := output.NewGrid(
		output.Column{Title: "PROJECT", Shrink: 12},
		output.Column{Title: "TYPE", Spare: true},
		output.Column{Title: "CC", Spare: true},
		output.Column{Title: "YEAR", Right: true},
		output.Column{Title: "VINTAGE ID", Drop: 2},
		output.Column{Title: "WALLET"},
		output.Column{Title: "BALANCE", Right: true},
		output.Column{Title: "LAST PAID", Right: true},
		output.Column{Title: "PAID ON", Drop: 3},
		output.Column{Title: "TRADES", Right: true, Drop: 1},
	)
	for key, v := range vintages(inv) {
		paid := r.paid.Of(key)
		for _, w := range v.Wallets {
			g.Add(r.details.known.Name(key.ProjectID), dash(r.details.known[key.ProjectID].Type), dash(r.details.known[key.ProjectID].Country), yearText(r.details.year(key.ProjectID, key.VintageID)), v.ID, w.Type,
				w.Quantity.FormatTonnes(), dollars(paid.Price), day(paid.ExecutionDate), strconv.Itoa(len(w.Trades)))
		}
	}
	return g
}

// tradeTable shows a row per trade.
func (r *inventoryRun) tradeTable(inv *model.Inventory) *output.Grid {
	g := output.NewGrid(
		output.Column{Title: "PROJECT", Shrink: 12},
		output.Column{Title: "YEAR", Right: true},
		output.Column{Title: "VINTAGE ID", Drop: 2},
		output.Column{Title: "WALLET", Drop: 1},
		output.Column{Title: "DATE"},
		output.Column{Title: "TYPE"},
		output.Column{Title: "QUANTITY", Right: true},
		output.Column{Title: "PRICE", Right: true},
	)
	for key, v := range vintages(inv) {
		for _, w := range v.Wallets {
			for _, t := range w.Trades {
				g.Add(r.details.known.Name(key.ProjectID), yearText(r.details.year(key.ProjectID, key.VintageID)), v.ID, w.Type,
					day(t.ExecutionDate), string(t.Type), t.Quantity.FormatTonnes(), dollars(t.Price))
			}
		}
	}
	return g
}
