package model_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
)

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

func statement(t *testing.T, source model.StatementSource) model.Statement {
	t.Helper()
	s, err := model.NewStatement(source)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// row writes a row as "key: bought at cost, retired".
func rowText(t *testing.T, r model.StatementRow) string {
	t.Helper()
	cents, err := r.Cost.Cents()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s at %s, %s", r.Key, r.Bought.FormatTonnes(), cents.FormatDollars(), r.Retired.FormatTonnes())
}

func TestAStatementSumsWhatWasBoughtAndRetired(t *testing.T) {
	t.Parallel()
	for by, want := range map[model.Grouping][]string{
		model.PerMonth:       {"2026-01: 70 t at $405.30, 20 t", "2026-02: 20 t at $23.00, 30 t"},
		model.PerProject:     {"forest: 60 t at $372.00, 30 t", "wind: 30 t at $56.30, 20 t"},
		model.PerType:        {"REDD+: 60 t at $372.00, 30 t", "Wind: 30 t at $56.30, 20 t"},
		model.PerBeneficiary: {"Ann: 0 t at $0.00, 45 t", "Bo: 0 t at $0.00, 5 t", "not attributed: 90 t at $428.30, 0 t"},
	} {
		source := yearOfTwo()
		source.By = by
		s := statement(t, source)
		var rows []string
		for _, r := range s.Rows {
			rows = append(rows, rowText(t, r))
		}
		if !reflect.DeepEqual(rows, want) {
			t.Errorf("by %s:\ngot  %q\nwant %q", by, rows, want)
		}
		if got := rowText(t, s.Total); got != ": 90 t at $428.30, 50 t" || s.Balance != 47e6 || s.Notes != nil {
			t.Errorf("by %s: total %s, balance %s, notes %q", by, got, s.Balance.FormatTonnes(), s.Notes)
		}
	}
}

func TestTheBalanceOfThePastIsReckonedBack(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.To = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	// Bought until then were 80 t; 20 t were in requests.
	if s := statement(t, source); s.Balance != 60e6 {
		t.Errorf("balance %s, %q", s.Balance.FormatTonnes(), s.Notes)
	}
	source.Requests = source.Requests[1:]
	s := statement(t, source)
	if s.Balance.Known() || len(s.Notes) != 2 || !strings.HasPrefix(s.Notes[0], "20 t were bought that are neither in a wallet nor in a request of the ledger") {
		t.Errorf("balance %s, %q", s.Balance.FormatTonnes(), s.Notes)
	}
	source.To = source.Now
	if s := statement(t, source); s.Balance != 47e6 || len(s.Notes) != 1 {
		t.Errorf("balance %s, %q", s.Balance.FormatTonnes(), s.Notes)
	}
}

func TestWhatIsMissingOfLaterPurchasesIsNothingToAStatement(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		to      time.Time
		note    string
		balance model.Grams
	}{
		// The wind was bought on 31 January and on 1 February, 10 and 20 t; 20 t of
		// it are not accounted for.
		{day(1, 31), "", 50e6},
		{day(2, 1), "Up to 10 t that were bought by the end of this time are neither in a wallet", model.UnknownGrams},
		{day(2, 2), "20 t were bought that are neither in a wallet", model.UnknownGrams},
		{day(3, 1), "20 t were bought that are neither in a wallet", 47e6},
	} {
		source := yearOfTwo()
		source.Requests = slices.DeleteFunc(source.Requests, func(r model.Retirement) bool { return r.ID == "r3" })
		source.To = c.to
		s := statement(t, source)
		if notes := strings.Join(s.Notes, " "); s.Balance != c.balance || !strings.HasPrefix(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("until %s: balance %s, %q", c.to, s.Balance.FormatTonnes(), s.Notes)
		}
	}
}

func TestWhatIsMissingOfOneVintageIsNotMadeUpForByAnother(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Requests[0].VintageID = "f18"
	s := statement(t, source)
	if len(s.Notes) != 2 || !strings.HasPrefix(s.Notes[0], "20 t were bought") || s.Notes[1] != "20 t are in wallets and requests that no trade has bought." {
		t.Errorf("%q", s.Notes)
	}
}

func TestWhatCannotBeReadIsNotedAndNeverGuessed(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	wallet := &source.Inventory.Projects[0].Vintages[0].Wallets[0]
	wallet.Trades = append(wallet.Trades,
		model.Trade{ExecutionDate: onDay("2026-01-01"), Quantity: model.UnknownGrams, Price: 1, Type: model.Buy},
		model.Trade{ExecutionDate: onDay("2026-01-01"), Quantity: 1e6, Price: 1, Type: model.Sell})
	source.Requests[0].RetiredAt = model.ParseTimestamp("soon")
	s := statement(t, source)
	if s.Balance.Known() || s.Total.Retired != 30e6 || len(s.Notes) != 4 {
		t.Errorf("balance %s, retired %s, %q", s.Balance.FormatTonnes(), s.Total.Retired.FormatTonnes(), s.Notes)
	}
}

// The table was made by hand: 30 t of Guyana's forest, of which 20 t are
// labelled and 5 t of those adjusted, and 20 t of wind in Croatia.
func TestDisclosureSharesAgreeWithATableMadeByHand(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Facts = model.NewBuyerFacts([]model.BuyerFact{
		fact(model.OfProject, "wind", model.Removal, model.ReducesEmissions),
		fact(model.OfSerial, "ART-GY-102-2019-3-1 to 20", model.CCP, model.Labelled),
		fact(model.OfSerial, "ART-GY-102-2019-3-16 to 20", model.Article6, "adjusted"),
		fact(model.OfVintage, "w20", model.CCP, model.NotLabelled),
	})
	want := []model.DisclosureShare{
		{Name: "standard", Parts: []model.SharePart{{Value: "ART", Grams: 30e6}, {Value: "Gold Standard", Grams: 20e6}}},
		{Name: "country_group", Parts: []model.SharePart{{Value: "European Union", Grams: 20e6}, {Value: "elsewhere", Grams: 30e6}}},
		{Name: "removal", Parts: []model.SharePart{{Value: "reduction", Grams: 20e6}}, Unclassified: 30e6},
		{Name: "ccp", Parts: []model.SharePart{{Value: "no", Grams: 20e6}, {Value: "yes", Grams: 20e6}}, Unclassified: 10e6},
		{Name: "article6", Parts: []model.SharePart{{Value: "adjusted", Grams: 5e6}}, Unclassified: 45e6},
	}
	if got := statement(t, source).Shares; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	source.Projects = nil
	if got := statement(t, source).Shares[1]; got.Unclassified != 50e6 || got.Parts != nil {
		t.Errorf("countries of projects that are not known: %+v", got)
	}
}

func TestAStatementThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	huge := buy("2026-01-01", 9_223_372_036_854, 1)
	source.Inventory.Projects[0].Vintages[0].Wallets[0].Trades = []model.Trade{huge, huge}
	if _, err := model.NewStatement(source); err != model.ErrOverflow {
		t.Errorf("error is %v", err)
	}
}

func TestProjectsStandInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.By = model.PerProject
	for wind, want := range map[string][]string{"": {"forest", "wind"}, "An old wind farm": {"wind", "forest"}, "an older one": {"wind", "forest"}} {
		source.Projects["forest"] = model.Project{ID: "forest", Name: "Bale Mountains"}
		source.Projects["wind"] = model.Project{ID: "wind", Name: wind}
		var keys []string
		for _, row := range statement(t, source).Rows {
			keys = append(keys, row.Key)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%q: %q, want %q", wind, keys, want)
		}
	}
}
