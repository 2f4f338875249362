package wire

import (
	"reflect"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
)

func TestInventoryPageIsReadWhole(t *testing.T) {
	t.Parallel()
	inv, page, err := DecodeInventory([]byte(`{
		"pagination": {"current_page": 2, "total_items": 3, "total_pages": 2, "per_page": 2, "previous_page": null, "next_page": null},
		"projects": [{"vintages": [{"wallets": [
			{"trades": [
				{"execution_date": "2024-05-01T10:00:00.000Z", "quantity_grams": "1000000", "price_cents": "595", "type": "BUY"},
				{"execution_date": "last week", "quantity_grams": "1e6", "price_cents": 5.0, "type": "SWAP", "venue": "x"}],
			 "quantity_grams": "999980", "type": "CAAS"},
			{"type": "ESCROW", "quantity_grams": "0", "trades": [], "locked": true}],
			"vintage_id": "v1"}], "project_id": "p1"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.Page{PerPage: 2, TotalPages: 2, TotalItems: 3, Current: 2}); page != want {
		t.Errorf("page is %+v, want %+v", page, want)
	}
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	want := &portfolio.Inventory{
		Projects: []portfolio.Project{{ID: "p1", Vintages: []portfolio.Vintage{{ID: "v1", Wallets: []portfolio.Wallet{
			{Type: "CAAS", Quantity: 999_980, Trades: []portfolio.Trade{
				{ExecutionDate: model.Timestamp{Time: at, Text: "2024-05-01T10:00:00.000Z"}, Quantity: 1_000_000, Price: 595, Type: portfolio.Buy},
				{ExecutionDate: model.Timestamp{Text: "last week"}, Quantity: model.UnknownGrams, Price: model.UnknownPrice, Type: "SWAP",
					Extra: []model.Field{{Name: "venue", Value: "x"}}},
			}},
			{Type: "ESCROW", Extra: []model.Field{{Name: "locked", Value: "true"}}},
		}}}}},
		Faults: []model.Fault{
			{Path: "projects[0].vintages[0].wallets[0].trades[1].quantity_grams", Reason: "is not a string of digits"},
			{Path: "projects[0].vintages[0].wallets[0].trades[1].price_cents", Reason: "is not a string of digits"},
		},
	}
	if !reflect.DeepEqual(inv, want) {
		t.Errorf("inventory is\n%+v, want\n%+v", inv, want)
	}
}
