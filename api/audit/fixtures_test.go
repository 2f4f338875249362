package audit

import (
	"time"

	"tonne/model"
)

const verra = "19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1"

// completed is a request of 15,000 t that passes every check with its project.
func completed() model.Retirement {
	item := model.RetirementItem{
		ID: "00p1", Quantity: 10_000e6, RetireeName: "Your Customer Ltd", RetireeTaxID: "123456789", RetireeCountry: "GB",
	}
	other := item
	other.ID, other.Quantity = "00p2", 5_000e6
	return model.Retirement{
		ID: "00m1", Status: model.Complete, TotalQuantity: 15_000e6, Type: model.Whole, ProjectID: "003a", VintageID: "004a",
		CreatedAt: model.ParseTimestamp("2026-02-05T10:51:00Z"), RetiredAt: model.ParseTimestamp("2026-02-08T11:46:00Z"),
		SerialNumbers: []string{verra}, ExternalCustomer: model.Yes, AllInvoicesSettled: model.Yes,
		Items: []model.RetirementItem{item, other},
	}
}

func itsProject() model.Project {
	return model.Project{
		ID: "003a", RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/4268",
		Vintages: []model.ProjectVintage{{ID: "004b", Year: 2019}, {ID: "004a", Year: 2024}},
	}
}

func onDay(day string) model.Timestamp { return model.ParseTimestamp(day + "T12:00:00Z") }

func buy(day string, tonnes model.Grams, price model.PriceCents) model.Trade {
	return model.Trade{ExecutionDate: onDay(day), Quantity: tonnes * 1e6, Price: price, Type: model.Buy}
}

// retirement is a complete one of one item.
func retirementOf(id, project, vintage, day, serial, who string, grams model.Grams) model.Retirement {
	r := model.Retirement{
		ID: id, Status: model.Complete, TotalQuantity: grams, ProjectID: project, VintageID: vintage, CreatedAt: onDay(day), RetiredAt: onDay(day),
		Items: []model.RetirementItem{{ID: id + "i", Quantity: grams, CreatedAt: onDay(day), RetireeName: who, RetireeTaxID: "T", RetireeCountry: "GB"}},
	}
	if serial != "" {
		r.SerialNumbers = []string{serial}
	}
	return r
}

// yearOfTwo is a year with two projects. Bought are 100 t, retired 50 t, and 3 t
// wait in a request.
func yearOfTwo() model.StatementSource {
	open := retirementOf("r4", "wind", "w20", "2026-02-20", "", "Ann", 3e6)
	open.Status, open.RetiredAt = model.Open, model.Timestamp{}
	shared := retirementOf("r3", "wind", "w20", "2026-02-10", "GS1-1-HR-GS12065-12-2020-9-1-20", "Ann", 15e6)
	shared.Items = append(shared.Items, retirementOf("b", "", "", "2026-02-10", "", "Bo", 5e6).Items...)
	shared.TotalQuantity = 20e6
	return model.StatementSource{
		From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		By: model.PerMonth,
		Inventory: &model.Inventory{Projects: []model.InventoryProject{
			{ID: "wind", Vintages: []model.InventoryVintage{{ID: "w20", Wallets: []model.Wallet{{Quantity: 7e6, Trades: []model.Trade{
				buy("2026-02-01", 20, 115), buy("2026-01-31", 10, 333),
			}}}}}},
			{ID: "forest", Vintages: []model.InventoryVintage{{ID: "f19", Wallets: []model.Wallet{{Quantity: 40e6, Trades: []model.Trade{
				buy("2026-01-15", 60, 620), buy("2025-12-31", 10, 1000),
			}}}}}},
		}},
		Requests: []model.Retirement{
			retirementOf("r1", "forest", "f19", "2026-01-20", "ART-GY-102-2019-3-1 to 20", "Ann", 20e6),
			retirementOf("r2", "forest", "f19", "2026-02-20", "ART-GY-102-2019-3-21 to 30", "Ann", 10e6),
			shared, open,
		},
		Projects: model.Projects{
			"wind":   {ID: "wind", Type: "Wind", Country: "HR", RegistryID: "GS12065"},
			"forest": {ID: "forest", Type: "REDD+", Country: "GY"},
		},
	}
}
