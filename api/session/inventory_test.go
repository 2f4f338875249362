package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
)

// holding is an inventory that names the page it belongs to.
func holding(page int) *portfolio.Inventory {
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: fmt.Sprintf("p%d", page)}}}
}

func TestInventoryIsNotPolledUntilItIsShown(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(time.Minute)
		if _, found := latest[session.InventoryEvent](read); found || len(f.called("inventory")) > 0 {
			t.Error("the inventory is polled")
		}
	})
}

func TestAnswersInTheWrongOrderAreDropped(t *testing.T) {
	t.Parallel()
	f := &fake{inventory: func(_ context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
		time.Sleep(time.Duration(10-q.Page) * time.Second) // deaf to being cancelled
		return holding(q.Page), nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.ShowInventory(api.InventoryQuery{Page: 1})
		time.Sleep(time.Second)
		d.ShowInventory(api.InventoryQuery{Page: 8})
		if e := must[session.InventoryEvent](read); e.Query.Page != 8 || e.Inventory != nil || !e.Fetching || e.State != session.Loading {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(2 * time.Second)
		if e := must[session.InventoryEvent](read); e.Inventory.Projects[0].ID != "p8" || e.Page.Current != 8 || e.State != session.Live {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(8 * time.Second)
		if e, found := latest[session.InventoryEvent](read); found {
			t.Errorf("a late response is sent: %+v", e)
		}
	})
}

func TestTabSwitchedInFlightCancelsTheRequest(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{})
	f := &fake{inventory: func(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.ShowInventory(api.InventoryQuery{Page: 1})
		read.news()
		d.HideInventory()
		<-cancelled
		time.Sleep(time.Minute)
		if e, found := latest[session.InventoryEvent](read); found || len(f.called("inventory")) != 1 {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestInventoryIsFetchedAtOnceAlsoWhilePaused(t *testing.T) {
	t.Parallel()
	f := &fake{inventory: func(_ context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
		return holding(q.Page), nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Pause(true)
		for page := 1; page <= 3; page++ {
			d.ShowInventory(api.InventoryQuery{Page: page})
			if e := must[session.InventoryEvent](read); e.Page.Current != page || e.Inventory == nil || e.State != session.Paused {
				t.Errorf("event is %+v", e)
			}
		}
		time.Sleep(time.Hour)
		if n := len(f.called("inventory")); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestShowingTheSamePageAgainKeepsIt(t *testing.T) {
	t.Parallel()
	f := &fake{inventory: func(_ context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
		return holding(q.Page), nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		for range 50 {
			d.ShowInventory(api.InventoryQuery{Page: 1})
			if e, found := latest[session.InventoryEvent](read); found && e.Inventory == nil {
				t.Fatalf("event is %+v", e)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(f.called("inventory")); n > 6 {
			t.Errorf("%d requests in five seconds", n)
		}
	})
}

func TestFiltersOfTradesDoNotHidePurchases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		shown, also api.InventoryQuery
	}{
		{"all trades", api.InventoryQuery{Page: 2}, api.InventoryQuery{}},
		{"BUY", api.InventoryQuery{Page: 2, TradeType: portfolio.Buy}, api.InventoryQuery{}},
		{"non-empty wallets", api.InventoryQuery{Page: 2, WalletMinQuantity: 1}, api.InventoryQuery{}},
		{"SELL", api.InventoryQuery{Page: 2, TradeType: portfolio.Sell}, api.InventoryQuery{Page: 2, TradeType: portfolio.Buy}},
		{"the last three", api.InventoryQuery{Page: 2, TradesPerWallet: 3, WalletMinQuantity: 1}, api.InventoryQuery{Page: 2, WalletMinQuantity: 1}},
	} {
		var asked []api.InventoryQuery
		answers := map[api.InventoryQuery]*portfolio.Inventory{c.shown: {}, c.also: {}}
		f := &fake{inventory: func(_ context.Context, q api.InventoryQuery) (*portfolio.Inventory, error) {
			asked = append(asked, q)
			return answers[q], nil
		}}
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
			d.ShowInventory(c.shown)
			e := must[session.InventoryEvent](read)
			if e.Inventory != answers[c.shown] || len(asked) == 0 || asked[0] != c.shown {
				t.Errorf("%s: asked %+v", c.name, asked)
			}
			second := c.also != api.InventoryQuery{}
			if second != (len(asked) == 2) || second && (asked[1] != c.also || e.Purchases != answers[c.also]) || !second && e.Purchases != nil {
				t.Errorf("%s: asked %+v, purchases %v", c.name, asked, e.Purchases)
			}
		})
	}
}

func TestBalancesComeWithTheLastPaidPrices(t *testing.T) {
	t.Parallel()
	key := model.VintageKey{ProjectID: "p", VintageID: "v"}
	f := &fake{
		lastPaid: func(context.Context) (portfolio.LastPaidPrices, error) {
			return portfolio.LastPaidPrices{key: {Price: 595}}, nil
		},
		balances: portfolio.Balances{key: 20},
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.PortfolioEvent](read); e.LastPaid[key].Price != 595 || e.Balances[key] != 20 {
			t.Errorf("event is %+v", e)
		}
		if n := len(f.called("last paid")); n != 1 {
			t.Errorf("%d sweeps", n)
		}
	})
}
