package inventory

import (
	"fmt"
	"testing"

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

func TestFocusedTradesGrowToFitTheirRows(t *testing.T) {
	t.Parallel()
	counts := make([]int, 50)
	for _, c := range []struct{ trades, resting, focused int }{{3, 12, 12}, {14, 12, 16}, {40, 12, 19}} {
		r := settled(t)
		counts[0] = c.trades
		r.answer(traded(counts...))
		resting := r.lines(120, 32)
		r.Press("enter")
		if focused := r.lines(120, 32); resting != c.resting || focused != c.focused {
			t.Errorf("%d trades have %d lines and %d with the focus, want %d and %d", c.trades, resting, focused, c.resting, c.focused)
		}
	}
}
