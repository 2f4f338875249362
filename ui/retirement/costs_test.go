package retirement

import (
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

func TestDetailsShowWhatARequestCost(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	at := func(day string) model.Timestamp { return model.ParseTimestamp("2026-03-" + day + "T10:00:00Z") }
	request := &retirement.Request{
		ID: "00mcost", Status: retirement.Complete, Type: retirement.Whole, TotalQuantity: 3e6, ProjectID: "003bale",
		VintageID: "004v", CreatedAt: at("06"), RetiredAt: at("07"),
		Items: []retirement.Item{{ID: "i", Quantity: 3e6, CreatedAt: at("06")}},
	}
	r.tab.Handle(session.LedgerEvent{Requests: []*session.Request{{ID: request.ID, Answer: request}}})
	r.Frame()
	r.SeesNot("first in, first out")
	wallet := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: 1e6, Trades: []portfolio.Trade{
		{ExecutionDate: at("05"), Quantity: 2e6, Price: 700, Type: portfolio.Buy},
		{ExecutionDate: at("01"), Quantity: 2e6, Price: 500, Type: portfolio.Buy},
	}}
	hear := func() {
		inventory := &portfolio.Inventory{Projects: []portfolio.Project{
			{ID: "003bale", Vintages: []portfolio.Vintage{{ID: "004v", Wallets: []portfolio.Wallet{wallet}}}},
		}}
		r.Hear(session.PortfolioEvent{Positions: portfolio.NewPositions(inventory, inventory)})
		r.Frame()
	}
	hear()
	r.Sees("cost              $17.00, first in, first out")
	r.Sees("1 Mar 2026 UTC    2 t at $5.00 a tonne")
	r.Sees("5 Mar 2026 UTC    1 t at $7.00 a tonne")
	wallet.Quantity++
	hear()
	r.Sees("cost              unknown", "Of vintage 004v, 1 g are in wallets and requests that no trade has bought.")
}
