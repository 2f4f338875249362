// Package uitest has helpers for tests of the dashboard: fixtures of a small market with an
// inventory, a fake session (Feed), a simulated user of a tab (Robot), and golden frames.
package uitest

import (
	"fmt"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Now is the time of the tests.
var Now = time.Date(2026, time.November, 2, 9, 14, 5, 0, time.UTC)

// project is a row of the fixtures.
type project struct {
	id, name, kind, country string
	first                   int
	asks                    []model.PriceCents
}

var projects = []project{
	{"003bale", "Bale Mountains", "REDD+", "ET", 2019, []model.PriceCents{620, 680, 745}},
	{"003baum", "BaumInvest Reforestation", "Afforestation, Reforestation & Restoration", "CR", 2018,
		[]model.PriceCents{1980}},
	{"003cabo", "Cabo Leones", "Wind", "CL", 2021, []model.PriceCents{115, 130}},
	{"003camb", "Cambodia Improved Cookstove", "Cookstoves", "KH", 2020, []model.PriceCents{435}},
	{"003dela", "DelAgua Clean Cooking", "Cookstoves", "RW", 2023, []model.PriceCents{1725}},
	{"003gene", "Genneia Wind", "Wind", "AR", 2019, []model.PriceCents{95}},
	{"003hong", "Hong Phong 4", "Solar", "VN", 2021, []model.PriceCents{105}},
	{"003humb", "Humboldt Sawmill", "Biochar", "US", 2024, []model.PriceCents{14800}},
	{"003kwam", "生态造林 Kwamisa", "Afforestation", "GH", 2022, []model.PriceCents{2110, 2150, 2205, 2290}},
}

// Key returns the key of the n-th vintage of a project of the fixtures.
func Key(project string, n int) model.VintageKey {
	return model.VintageKey{ProjectID: project, VintageID: fmt.Sprintf("004%s%d", project[3:], n)}
}

// Projects returns the details of the fixtures' projects.
func Projects() model.Projects {
	all := make(model.Projects)
	for _, p := range projects {
		details := model.Project{
			ID: p.id, Name: p.name, Type: p.kind, Country: p.country, RegistryName: "VERRA",
			RegistryURL: "https://registry.example/" + p.id, SDGs: []string{"Climate Action", "Life on Land"},
			Description: "A project for tests.",
		}
		for n := range p.asks {
			details.Vintages = append(details.Vintages, model.ProjectVintage{ID: Key(p.id, n).VintageID, Year: p.first + n})
		}
		all[p.id] = details
	}
	return all
}

// Market returns the fixtures' market. Each vintage has four asks at ascending
// prices, and a cheaper order below a tonne. shift moves the cheapest ask of every
// third vintage, in cents.
func Market(shift model.PriceCents) *market.Market {
	var part market.Page
	count := 0
	for _, p := range projects {
		part.AddProject(p.id)
		for n, ask := range p.asks {
			key := Key(p.id, n)
			part.AddVintage(key.VintageID, p.first+n)
			best := ask
			if count%3 == 0 {
				best += shift
			}
			count++
			for i, tonnes := range []model.Grams{400, 1000, 250, 3000} {
				price := best
				if i > 0 {
					price = ask + ask*model.PriceCents(i)/20
				}
				part.AddOrder(fmt.Sprintf("006%s%d", key.VintageID[3:], i), tonnes*model.GramsPerTonne, price)
			}
			part.AddOrder(fmt.Sprintf("006%sx", key.VintageID[3:]), 500_000, ask/2)
		}
	}
	return market.New(&part)
}

func trade(days int, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{
		ExecutionDate: model.At(Now.AddDate(0, 0, -days)), Quantity: tonnes * model.GramsPerTonne, Price: price,
		Type: portfolio.Buy,
	}
}

// Inventory returns the fixtures' inventory, with fractions, an empty wallet with
// trades, and a loss.
func Inventory() *portfolio.Inventory {
	wallet := func(g model.Grams, trades ...portfolio.Trade) []portfolio.Wallet {
		return []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: g, Trades: trades}}
	}
	vintage := func(p string, n int, w []portfolio.Wallet) portfolio.Vintage {
		return portfolio.Vintage{ID: Key(p, n).VintageID, Wallets: w}
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "003bale", Vintages: []portfolio.Vintage{
			vintage("003bale", 0,
				wallet(999_980, trade(1, 3, 595), trade(15, 1, 580), trade(32, 10, 560), trade(51, 2, 565), trade(400, 5, 540))),
			vintage("003bale", 1, wallet(0, trade(9, 4, 710))),
		}},
		{ID: "003cabo",
			Vintages: []portfolio.Vintage{vintage("003cabo", 0, wallet(250_000, trade(20, 1, 122), trade(90, 2, 118)))}},
		{ID: "003camb",
			Vintages: []portfolio.Vintage{vintage("003camb", 0, wallet(12_500_000, trade(40, 20, 390), trade(70, 5, 450)))}},
		{ID: "003dela",
			Vintages: []portfolio.Vintage{vintage("003dela", 0, wallet(3_000_000, trade(12, 3, 1725), trade(33, 9, 1665)))}},
	}}
}

// Book returns the event of the fixtures' inventory.
func Book() session.PortfolioEvent {
	inv := Inventory()
	return session.PortfolioEvent{Status: Live(), LastPaid: inv.LastPaid(), Positions: portfolio.NewPositions(inv, inv)}
}

// Opened returns the best asks at the start of the fixtures' day. For every third
// vintage they were ten cents lower.
func Opened() session.TrendsEvent {
	e := session.TrendsEvent{At: Now, Opened: make(map[model.VintageKey]model.PriceCents),
		Since: Now.Truncate(24 * time.Hour)}
	for m, i := Market(-10), 0; i < m.Vintages(); i++ {
		e.Opened[m.Key(i)] = m.Vintage(i).BestAsk
	}
	return e
}

// BookValue returns the value of the fixtures' inventory on their market.
func BookValue() session.PortfolioValueEvent {
	value, err := Book().Positions.BookValue(Market(0), Opened().Opening())
	return session.PortfolioValueEvent{At: Live().At, Value: value, Since: Opened().Since, Moves: true, Err: err}
}

// BookHistory returns the hourly values of two days.
func BookHistory() session.PortfolioHistoryEvent {
	var e session.PortfolioHistoryEvent
	now := BookValue().Value
	for hour := range 48 {
		v := now
		v.Value += model.Cents(hour%7*40 - hour*12)
		e.Points = append([]store.ValuePoint{{At: Now.Add(time.Duration(-hour) * time.Hour), Value: v}}, e.Points...)
	}
	return e
}

// Retirement returns a request in a state, with the data of that state.
func Retirement(id string, status retirement.Status) *retirement.Request {
	r := &retirement.Request{
		ID: id, Status: status, TotalQuantity: 15_000 * model.GramsPerTonne, Type: retirement.Whole,
		ProjectID: "003bale", VintageID: Key("003bale", 0).VintageID, CreatedAt: model.At(Now.AddDate(0, -9, 3)),
		ExternalCustomer: model.Yes, AllInvoicesSettled: model.BoolOf(status != retirement.Closed),
		Items: []retirement.Item{
			{ID: "00p0001", Quantity: 10_000 * model.GramsPerTonne, CreatedAt: model.At(Now.AddDate(0, -9, 3)),
				RetireeName: "Your Customer Ltd", RetireeTaxID: "123456789", RetireeCountry: "GB", InvoiceID: "00i0001",
				TradeID: "00g0001"},
			{ID: "00p0002", Quantity: 5_000 * model.GramsPerTonne, CreatedAt: model.At(Now.AddDate(0, -9, 3)),
				RetireeName: "Your Customer Ltd", RetireeCountry: "GB", InvoiceID: "00i0001"},
		},
	}
	switch status {
	case retirement.Complete:
		r.RetiredAt = model.At(Now.AddDate(0, -8, 6))
		r.SerialNumbers = []string{"19334-940082955-940097954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"}
		r.CertificateURL = "https://registry.example/certificates/" + id + ".pdf"
	case retirement.NothingToProcess:
		r.Type, r.TotalQuantity, r.Items = retirement.Fractionalised, 0, nil
	case retirement.Open:
		r.Type, r.TotalQuantity = retirement.Fractionalised, 60
		r.Items = []retirement.Item{{ID: "00p0003", Quantity: 20, CreatedAt: r.CreatedAt},
			{ID: "00p0004", Quantity: 40, CreatedAt: r.CreatedAt}}
	}
	return r
}

// Live returns the status of a healthy feed.
func Live() session.Status { return session.Status{State: session.Live, At: Now.Add(-2 * time.Second)} }
