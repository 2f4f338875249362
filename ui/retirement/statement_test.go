package retirement

import (
	"context"
	"errors"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui/uitest"
)

func twoYears() statement.Source {
	day := func(year int, month time.Month) model.Timestamp {
		return model.At(time.Date(year, month, 5, 12, 0, 0, 0, time.UTC))
	}
	buy := func(at model.Timestamp, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
		return portfolio.Trade{ExecutionDate: at, Quantity: tonnes * 1e6, Price: price, Type: portfolio.Buy}
	}
	request := uitest.Retirement("00m1", retirement.Complete)
	request.TotalQuantity, request.RetiredAt = 20e6, day(2026, 3)
	request.Items = []retirement.Item{{ID: "00p1", Quantity: 20e6, CreatedAt: day(2026, 3),
		RetireeName: "Your Customer Ltd", RetireeTaxID: "1", RetireeCountry: "GB"}}
	request.SerialNumbers = []string{"19334-940082955-940082974-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"}
	return statement.Source{
		Account: statement.Account{Tenant: "Acme", Profile: "acme", Marketplace: "https://market.example"},
		Now:     uitest.Now, Projects: uitest.Projects(), Requests: []*retirement.Request{request},
		Inventory: &portfolio.Inventory{Projects: []portfolio.Project{{ID: "003bale", Vintages: []portfolio.Vintage{{
			ID: uitest.Key("003bale", 0).VintageID, Wallets: []portfolio.Wallet{{Quantity: 15_333_333, Trades: []portfolio.Trade{
				buy(day(2025, 6), 5, 500), buy(day(2026, 2), 30, 333),
				{ExecutionDate: day(2026, 4), Quantity: 333_333, Price: 100, Type: portfolio.Buy},
			}}},
		}}}}},
	}
}

// States opens the statement of twoYears, with purchases of which nothing is left, or with a failure.
func (r *robot) States(problem string) {
	source := twoYears()
	wallet := &source.Inventory.Projects[0].Vintages[0].Wallets[0]
	var err error
	switch problem {
	case "":
	case "lost":
		for n := range 12 {
			bought := wallet.Trades[1]
			bought.ExecutionDate = model.At(time.Date(2026, time.Month(n+1), 5, 12, 0, 0, 0, time.UTC))
			wallet.Trades = append(wallet.Trades, bought)
		}
	default:
		err = errors.New(problem)
	}
	r.has(Options{ReadStatementData: func(context.Context) (statement.Source, error) { return source, err }})
	r.Press("S")
}
