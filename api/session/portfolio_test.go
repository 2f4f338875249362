package session_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
)

// owning answers with an inventory of one wallet, which holds two tonnes of the
// vintage that is offered, bought at a price.
func owning(paid model.PriceCents) func(func(*model.Inventory, model.Page)) (*model.Inventory, error) {
	return func(func(*model.Inventory, model.Page)) (*model.Inventory, error) { return twoTonnes(paid), nil }
}

func twoTonnes(paid model.PriceCents) *model.Inventory {
	w := model.Wallet{Type: model.WalletCAAS, Quantity: 2_000_000, Trades: []model.Trade{{Quantity: 2_000_000, Price: paid, Type: model.Buy}}}
	return &model.Inventory{Projects: []model.InventoryProject{{ID: vintage.ProjectID, Vintages: []model.InventoryVintage{{ID: vintage.VintageID, Wallets: []model.Wallet{w}}}}}}
}

func TestTheBookIsValuedWithEachMarket(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 620), inventory: owning(450)}, store.Open(""))
		r.Record()
		r.KeepPortfolio()
		e := must[session.PortfolioValueEvent](r)
		if e.Value.Value != 1000 || e.Value.OverCost != 100 || e.Value.Today != 0 || !e.Moves || e.At.IsZero() {
			t.Errorf("event is %+v", e)
		}
		pause()
		e = must[session.PortfolioValueEvent](r)
		if e.Value.Value != 1240 || e.Value.OverCost != 340 || e.Value.Today != 240 || e.Value.Moved != 2_000_000 {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestAPartOfTheBookIsNotValued(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500), inventory: func(each func(*model.Inventory, model.Page)) (*model.Inventory, error) {
			each(twoTonnes(450), model.Page{Current: 1, TotalPages: 2, TotalItems: 2})
			return nil, failing(api.Unreachable)
		}}, store.Open(""))
		r.KeepPortfolio()
		pause()
		if e, found := latest[session.PortfolioValueEvent](r); found {
			t.Errorf("event is %+v", e)
		}
		if values, err := r.store.Values(t.Context(), origin, time.Time{}); err != nil || len(values) > 0 {
			t.Errorf("%+v, %v", values, err)
		}
	})
}

func TestWhatTheBookWasWorthIsRememberedAndTold(t *testing.T) {
	t.Parallel()
	path := file(t)
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500), inventory: owning(450)}, store.Open(path))
		r.KeepPortfolio()
		if e := must[session.PortfolioHistoryEvent](r); len(e.Points) != 1 || e.Points[0].Value.Value != 1000 || e.Points[0].Value.Cost != 900 {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(150 * time.Minute)
		if e := must[session.PortfolioHistoryEvent](r); len(e.Points) != 3 {
			t.Errorf("%d points after two hours and a half, want one an hour", len(e.Points))
		}
		r.end()
		next := begin(t, &fake{}, store.Open(path))
		next.KeepPortfolio()
		if e := must[session.PortfolioHistoryEvent](next); len(e.Points) < 3 || e.Points[0].Value.Value != 1000 {
			t.Errorf("the next run remembers %+v", e)
		}
	})
}

// A disk that takes nothing more has not lost what it holds.
func TestAValueThatCannotBeWrittenLeavesTheHistory(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500), inventory: owning(450)}, store.Open(path))
		r.KeepPortfolio()
		must[session.PortfolioHistoryEvent](r)
		damage(t, path, `CREATE TRIGGER full BEFORE INSERT ON book_value BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
		time.Sleep(90 * time.Minute)
		if e := must[session.PortfolioHistoryEvent](r); e.Err == nil || len(e.Points) != 1 {
			t.Errorf("event is %+v", e)
		}
	})
}

// A clock that ran ahead left a value of next year: the curve ends now.
func TestAValueOfTheFutureIsNotTold(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := store.Open("")
		for _, at := range []time.Duration{-time.Hour, 30 * time.Minute, 365 * 24 * time.Hour} {
			if err := s.KeepValues(t.Context(), origin, store.ValuePoint{At: time.Now().Add(at), Value: model.BookValue{Value: 1}}); err != nil {
				t.Fatal(err)
			}
		}
		r := begin(t, &fake{}, s)
		r.KeepPortfolio()
		if e := must[session.PortfolioHistoryEvent](r); e.Err != nil || len(e.Points) != 2 {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestTheBooksOfTwoTenantsOfOneServiceAreTwo(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := store.Open("")
		for account, paid := range map[string]model.PriceCents{"": 1, "acme": 2} {
			r := &running{
				Session: session.New(&fake{market: offers(500), inventory: owning(paid)}, session.Options{Origin: origin, Account: account, Store: s}),
				t:       t, store: s, ended: make(chan error, 1),
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { r.ended <- r.Run(ctx) }()
			r.KeepPortfolio()
			if e := must[session.PortfolioHistoryEvent](r); len(e.Points) != 1 || e.Points[0].Value.Cost != model.Cents(2*paid) {
				t.Errorf("%q: %+v", account, e)
			}
			cancel()
			if err := <-r.ended; err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestABookBeyondAnyAmountIsSaidAndNotRemembered(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(math.MaxInt64), inventory: owning(450)}, store.Open(""))
		r.KeepPortfolio()
		if e := must[session.PortfolioValueEvent](r); !errors.Is(e.Err, model.ErrOverflow) || e.Value != (model.BookValue{}) {
			t.Errorf("event is %+v", e)
		}
		if values, err := r.store.Values(t.Context(), origin, time.Time{}); err != nil || len(values) > 0 {
			t.Errorf("%+v, %v", values, err)
		}
	})
}
