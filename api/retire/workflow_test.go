package retire

import (
	"context"
	"errors"
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

func (s *shop) Inventory(context.Context, api.InventoryQuery,
	func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	var wallets []portfolio.Wallet
	for _, g := range s.held {
		wallets = append(wallets, portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: g})
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "003a",
			Vintages: []portfolio.Vintage{{ID: "004a", Wallets: wallets},
				{ID: "004b", Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: 9}}}}},
	}}, nil
}

func call(id, reference string) Call {
	c := Call{ExternalID: id, Reference: reference,
		Plan: retirement.Call{VintageID: "004a", Quantity: 20, Price: model.UnknownPrice}}
	c.Request = retirement.RetireRequest{VintageID: "004a", Quantity: 20}
	c.Body = wire.AppendRetireCall(nil, id, c.Plan)
	return c
}

func TestASupplyIsTheBookAndAllWalletsOfTheVintage(t *testing.T) {
	s := &scene{shop: shop{held: []model.Grams{30, 12}}}
	supply := func(vintage string, want error) Supply {
		t.Helper()
		all, err := (&Workflow{Client: s}).Supplies(t.Context(), Need{VintageKey: model.VintageKey{VintageID: vintage}})
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

// A plan counts only wallets that a retirement is known to use, and only those of one project.
func TestASupplyIsOfUsableWalletsOfOneProject(t *testing.T) {
	t.Parallel()
	const caas = portfolio.WalletCAAS
	var page market.Page
	for _, project := range []string{"003a", "003b"} {
		page.AddProject(project)
		page.AddVintage("004x", 2024)
		page.AddOrder("006"+project, 3*model.GramsPerTonne, 592)
	}
	wallets := func(project, vintage string, all ...portfolio.Wallet) portfolio.Project {
		return portfolio.Project{ID: project, Vintages: []portfolio.Vintage{{ID: vintage, Wallets: all}}}
	}
	h := func(needs ...Need) holdings {
		return newHoldings(market.New(&page), &portfolio.Inventory{Projects: []portfolio.Project{
			wallets("003a", "004x", portfolio.Wallet{Type: caas, Quantity: 7}, portfolio.Wallet{Type: "ESCROW", Quantity: 5}),
			wallets("003c", "004y", portfolio.Wallet{Type: "ESCROW", Quantity: model.UnknownGrams},
				portfolio.Wallet{Type: caas, Quantity: 2}),
			wallets("003d", "004z", portfolio.Wallet{Quantity: 9}),
		}}, needs)
	}
	for _, test := range []struct {
		name    string
		need    Need
		project string
		held    model.Grams
		others  int
	}{
		{"named project", Need{VintageKey: model.VintageKey{ProjectID: "003a", VintageID: "004x"}}, "003a", 7, 1},
		{"project of the order", Need{VintageKey: model.VintageKey{VintageID: "004x"}, SellOrderID: "006003b"}, "003b", 0, 0},
		{"unreadable wallet of another type", Need{VintageKey: model.VintageKey{VintageID: "004y"}}, "003c", 2, 1},
		{"wallet without a type", Need{VintageKey: model.VintageKey{VintageID: "004z"}}, "003d", 0, 1},
		{"several projects", Need{VintageKey: model.VintageKey{VintageID: "004x"}}, "", 0, 0},
		{"several projects and an unknown order", Need{VintageKey: model.VintageKey{VintageID: "004x"}, SellOrderID: "006z"},
			"", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := h(test.need)
			project, err := in.project(test.need)
			must.Equal(t, project, test.project)
			if ambiguous, is := errors.AsType[*market.AmbiguousError](err); is {
				must.Equal(t, ambiguous.Projects, []string{"003a", "003b"})
				return
			}
			s, err := in.supply(model.VintageKey{ProjectID: project, VintageID: test.need.VintageID})
			must.Hold(t, err == nil && s.Held == test.held && len(s.Others) == test.others, s, err)
		})
	}
}
