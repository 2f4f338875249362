package inventory

import (
	"fmt"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

// traded returns an inventory with one wallet for each count of trades.
func traded(counts ...int) *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for n, count := range counts {
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: model.GramsPerTonne}
		for i := range count {
			w.Trades = append(w.Trades, portfolio.Trade{
				ExecutionDate: model.At(uitest.Now.AddDate(0, 0, -i)), Quantity: model.GramsPerTonne, Price: model.PriceCents(500 + i), Type: portfolio.Buy,
			})
		}
		inv.Projects = append(inv.Projects, portfolio.Project{ID: fmt.Sprintf("003t%03d", n), Vintages: []portfolio.Vintage{
			{ID: fmt.Sprintf("004t%03d", n), Wallets: []portfolio.Wallet{w}},
		}})
	}
	return inv
}

// lines draws a frame and returns the number of lines of the trades.
func (r *robot) lines(width, height int) int {
	r.FrameAt(width, height)
	return height - r.tab.layout.filter - r.tab.layout.wallets
}
