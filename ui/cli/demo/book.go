package demo

import (
	"context"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/store"
)

// The demo remembers its book for bookPast: by the hour for bookHourly, and by the
// day before that.
const (
	bookPast   = 44 * 24 * time.Hour
	bookHourly = 13 * 24 * time.Hour
)

// recordBook remembers what the book was worth in the past weeks, up to the hour
// of now.
func (s *syntheticMarket) recordBook(ctx context.Context, now time.Time) error {
	var points []store.ValuePoint
	for at := now.Add(-bookPast).Truncate(24 * time.Hour); at.Before(now.Truncate(time.Hour)); at = at.Add(bookStep(now.Sub(at))) {
		points = append(points, store.ValuePoint{At: at})
	}
	prices := make(map[model.VintageKey][]demo.Price)
	for _, p := range s.prices {
		prices[p.Vintage] = append(prices[p.Vintage], p)
	}
	for _, p := range s.held.Projects {
		for _, v := range p.Vintages {
			key := model.VintageKey{ProjectID: p.ID, VintageID: v.ID}
			for _, w := range v.Wallets {
				if err := addWallet(points, key, w, prices[key]); err != nil {
					return err
				}
			}
		}
	}
	return s.store.KeepValues(ctx, s.baseURL, points...)
}

func bookStep(ago time.Duration) time.Duration {
	if ago > bookHourly {
		return 24 * time.Hour
	}
	return time.Hour
}

// addWallet adds what a wallet held, as far as the trades since tell, to points
// that are oldest first, at the best asks of then. What was retired since is told by
// no trade: it is not in it. The error is model.ErrOverflow.
func addWallet(points []store.ValuePoint, key model.VintageKey, w model.Wallet, prices []demo.Price) error {
	then := position(key, w)
	for i := len(points) - 1; i >= 0; i-- {
		at := points[i].At
		if unbuy(&w, at) {
			then = position(key, w)
		}
		for len(prices) > 0 && prices[len(prices)-1].At.After(at) {
			prices = prices[:len(prices)-1]
		}
		ask := model.UnknownPrice
		if len(prices) > 0 {
			ask = prices[len(prices)-1].BestAsk
		}
		if err := points[i].Value.AddPosition(then, ask, model.Start{}); err != nil {
			return err
		}
	}
	return nil
}

func position(key model.VintageKey, w model.Wallet) *model.Position {
	alone := &model.Inventory{Projects: []model.InventoryProject{{ID: key.ProjectID, Vintages: []model.InventoryVintage{{ID: key.VintageID, Wallets: []model.Wallet{w}}}}}}
	return model.NewPositions(alone, alone).At(0)
}

// unbuy takes what was bought after a time out of a wallet, whose trades are newest
// first, and reports whether that is anything.
func unbuy(w *model.Wallet, at time.Time) (bought bool) {
	for len(w.Trades) > 0 && w.Trades[0].ExecutionDate.Time.After(at) {
		w.Quantity = max(0, w.Quantity-w.Trades[0].Quantity)
		w.Trades = w.Trades[1:]
		bought = true
	}
	return bought
}
