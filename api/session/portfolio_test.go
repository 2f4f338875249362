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
	"tonne/model/portfolio"
	"tonne/model/store"
)

// owning answers with an inventory of one wallet, which holds two tonnes of the
// vintage that is offered, bought at a price.
func owning(paid model.PriceCents) func(func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	return func(func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		return twoTonnes(paid), nil
	}
}

func twoTonnes(paid model.PriceCents) *portfolio.Inventory {
	w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: 2_000_000, Trades: []portfolio.Trade{{Quantity: 2_000_000, Price: paid, Type: portfolio.Buy}}}
	return &portfolio.Inventory{Projects: []portfolio.Project{{ID: vintage.ProjectID, Vintages: []portfolio.Vintage{{ID: vintage.VintageID, Wallets: []portfolio.Wallet{w}}}}}}
}

func TestTheBookIsValuedWithEachMarket(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := beginKeeping(t, &fake{market: offers(500, 620), whole: owning(450)}, store.Open(""))
		r.Record()
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
		r := beginKeeping(t, &fake{market: offers(500), whole: func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
			each(twoTonnes(450), model.Page{Current: 1, TotalPages: 2, TotalItems: 2})
			return nil, failing(api.Unreachable)
		}}, store.Open(""))
		pause()
		if e, found := latest[session.PortfolioValueEvent](r); found {
			t.Errorf("event is %+v", e)
		}
		if values, err := r.store.Of(origin).History.Values(t.Context(), time.Time{}); err != nil || len(values) > 0 {
			t.Errorf("%+v, %v", values, err)
		}
	})
}

func TestWhatTheBookWasWorthIsRememberedAndTold(t *testing.T) {
	t.Parallel()
	path := file(t)
	in(t, func(t *testing.T) {
		r := beginKeeping(t, &fake{market: offers(500), whole: owning(450)}, store.Open(path))
		if e := must[session.PortfolioHistoryEvent](r); len(e.Points) != 1 || e.Points[0].Value.Value != 1000 || e.Points[0].Value.Cost != 900 {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(150 * time.Minute)
		if e := must[session.PortfolioHistoryEvent](r); len(e.Points) != 3 {
			t.Errorf("%d points after two hours and a half, want one an hour", len(e.Points))
		}
		r.end()
		next := beginKeeping(t, &fake{}, store.Open(path))
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
		r := beginKeeping(t, &fake{market: offers(500), whole: owning(450)}, store.Open(path))
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
			if err := s.Of(origin).History.KeepValues(t.Context(), store.ValuePoint{At: time.Now().Add(at), Value: portfolio.BookValue{Value: 1}}); err != nil {
				t.Fatal(err)
			}
		}
		r := beginKeeping(t, &fake{}, s)
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
				Session: session.New(&fake{market: offers(500), whole: owning(paid)}, session.Options{Origin: origin, Account: account, Store: s, Portfolio: true}),
				t:       t, store: s, ended: make(chan error, 1),
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() { r.ended <- r.Run(ctx) }()
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
		r := beginKeeping(t, &fake{market: offers(math.MaxInt64), whole: owning(450)}, store.Open(""))
		if e := must[session.PortfolioValueEvent](r); !errors.Is(e.Err, model.ErrOverflow) || e.Value != (portfolio.BookValue{}) {
			t.Errorf("event is %+v", e)
		}
		if values, err := r.store.Of(origin).History.Values(t.Context(), time.Time{}); err != nil || len(values) > 0 {
			t.Errorf("%+v, %v", values, err)
		}
	})
}
