package modeltest

import (
	"time"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// Verra is a serial number of 15,000 t of the registry of that name.
const Verra = "19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1"

// Completed is a request of 15,000 t that passes every check with its project.
func Completed() retirement.Request {
	item := retirement.Item{
		ID: "00p1", Quantity: 10_000e6, RetireeName: "Your Customer Ltd", RetireeTaxID: "123456789", RetireeCountry: "GB",
	}
	other := item
	other.ID, other.Quantity = "00p2", 5_000e6
	return retirement.Request{
		ID: "00m1", Status: retirement.Complete, TotalQuantity: 15_000e6, Type: retirement.Whole, ProjectID: "003a",
		VintageID: "004a",
		CreatedAt: model.ParseTimestamp("2026-02-05T10:51:00Z"), RetiredAt: model.ParseTimestamp("2026-02-08T11:46:00Z"),
		SerialNumbers: []string{Verra}, ExternalCustomer: model.Yes, AllInvoicesSettled: model.Yes,
		Items: []retirement.Item{item, other},
	}
}

// ItsProject is the project of Completed.
func ItsProject() model.Project {
	return model.Project{
		ID: "003a", RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/4268",
		Vintages: []model.ProjectVintage{{ID: "004b", Year: 2019}, {ID: "004a", Year: 2024}},
	}
}

// OnDay is noon of a day.
func OnDay(day string) model.Timestamp { return model.ParseTimestamp(day + "T12:00:00Z") }

// Buy is a purchase of tonnes on a day.
func Buy(day string, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{ExecutionDate: OnDay(day), Quantity: tonnes * 1e6, Price: price, Type: portfolio.Buy}
}

// RetirementOf is a complete request of one item.
func RetirementOf(id, project, vintage, day, serial, who string, grams model.Grams) *retirement.Request {
	r := &retirement.Request{
		ID: id, Status: retirement.Complete, TotalQuantity: grams, ProjectID: project, VintageID: vintage,
		CreatedAt: OnDay(day), RetiredAt: OnDay(day),
		Items: []retirement.Item{{ID: id + "i", Quantity: grams, CreatedAt: OnDay(day), RetireeName: who, RetireeTaxID: "T",
			RetireeCountry: "GB"}},
	}
	if serial != "" {
		r.SerialNumbers = []string{serial}
	}
	return r
}

// YearOfTwo is a year with two projects. Bought are 100 t, retired 50 t, and 3 t
// wait in a request.
func YearOfTwo() statement.Source {
	open := RetirementOf("r4", "wind", "w20", "2026-02-20", "", "Ann", 3e6)
	open.Status, open.RetiredAt = retirement.Open, model.Timestamp{}
	shared := RetirementOf("r3", "wind", "w20", "2026-02-10", "GS1-1-HR-GS12065-12-2020-9-1-20", "Ann", 15e6)
	shared.Items = append(shared.Items, RetirementOf("b", "", "", "2026-02-10", "", "Bo", 5e6).Items...)
	shared.TotalQuantity = 20e6
	return statement.Source{
		From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		By:  statement.PerMonth,
		Inventory: &portfolio.Inventory{Projects: []portfolio.Project{
			{ID: "wind",
				Vintages: []portfolio.Vintage{{ID: "w20", Wallets: []portfolio.Wallet{{Quantity: 7e6, Trades: []portfolio.Trade{
					Buy("2026-02-01", 20, 115), Buy("2026-01-31", 10, 333),
				}}}}}},
			{ID: "forest",
				Vintages: []portfolio.Vintage{{ID: "f19", Wallets: []portfolio.Wallet{{Quantity: 40e6, Trades: []portfolio.Trade{
					Buy("2026-01-15", 60, 620), Buy("2025-12-31", 10, 1000),
				}}}}}},
		}},
		Requests: []*retirement.Request{
			RetirementOf("r1", "forest", "f19", "2026-01-20", "ART-GY-102-2019-3-1 to 20", "Ann", 20e6),
			RetirementOf("r2", "forest", "f19", "2026-02-20", "ART-GY-102-2019-3-21 to 30", "Ann", 10e6),
			shared, open,
		},
		Projects: model.Projects{
			"wind":   {ID: "wind", Type: "Wind", Country: "HR", RegistryID: "GS12065"},
			"forest": {ID: "forest", Type: "REDD+", Country: "GY"},
		},
	}
}
