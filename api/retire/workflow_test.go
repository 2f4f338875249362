package retire

import (
	"context"
	"testing"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// shop is what a marketplace with one vintage lists.
type shop struct {
	// unread is how many sell orders have no price that can be read, early why the
	// market ended early.
	unread int
	early  error
	held   []model.Grams
}

func (s *shop) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	var part market.Page
	part.AddProject("003a")
	part.AddVintage("004a", 2024)
	part.AddOrder("006a", 3*model.GramsPerTonne, 592)
	for range s.unread {
		part.AddOrder("006b", model.GramsPerTonne, model.UnknownPrice)
	}
	return market.New(&part), s.early
}

func (s *shop) Inventory(context.Context, api.InventoryQuery, func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	var wallets []portfolio.Wallet
	for _, g := range s.held {
		wallets = append(wallets, portfolio.Wallet{Quantity: g})
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "003a", Vintages: []portfolio.Vintage{{ID: "004a", Wallets: wallets}, {ID: "004b", Wallets: []portfolio.Wallet{{Quantity: 9}}}}},
	}}, nil
}

func call(id, reference string) Call {
	c := Call{ExternalID: id, Reference: reference, Plan: retirement.Call{VintageID: "004a", Quantity: 20, Price: model.UnknownPrice}}
	c.Request = RequestText(retirement.RetireRequest{VintageID: "004a", Quantity: 20})
	c.Body = wire.AppendRetireCall(nil, id, c.Plan)
	return c
}

func TestASupplyIsTheBookAndAllWalletsOfTheVintage(t *testing.T) {
	s := &script{shop: shop{held: []model.Grams{30, 12}}}
	supply := func(vintage string, want error) Supply {
		t.Helper()
		all, err := (&Workflow{Client: s}).Supplies(t.Context(), vintage)
		must.Fail(t, err, want)
		return all[vintage]
	}
	got := supply("004a", nil)
	must.Hold(t, got.Held == 42 && len(got.Book.Asks) == 1 && got.Book.Asks[0].Tonnes == 3, got)
	got = supply("004z", nil)
	must.Hold(t, got.Held == 0 && got.Book.Asks == nil, "of an unknown vintage", got)
	s.early = &api.Error{Kind: api.Incomplete}
	supply("004a", s.early)
	s.unread, s.early = 1, nil
	supply("004a", ErrBookUnread)
	s.unread, s.held = 0, append(s.held, model.UnknownGrams)
	supply("004a", ErrWalletUnread)
}
