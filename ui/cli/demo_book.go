package cli

import (
	"context"
	"slices"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
)

// The demo remembers its book for bookPast: by the hour for bookHourly, and by the
// day before that.
const (
	bookPast   = 44 * 24 * time.Hour
	bookHourly = 13 * 24 * time.Hour
)

// recordBook remembers what the book was worth in the past weeks, up to the hour
// of now.
func (d *demoMarket) recordBook(ctx context.Context, now time.Time) error {
	prices := slices.Clone(d.prices)
	slices.SortStableFunc(prices, func(a, b demo.Price) int { return a.At.Compare(b.At) })
	asks := make(map[model.VintageKey]model.PriceCents)
	for at := now.Add(-bookPast).Truncate(24 * time.Hour); at.Before(now.Truncate(time.Hour)); at = at.Add(bookStep(now.Sub(at))) {
		for len(prices) > 0 && !prices[0].At.After(at) {
			asks[prices[0].Vintage] = prices[0].BestAsk
			prices = prices[1:]
		}
		value, err := bookAt(d.held, asks, at)
		if err != nil {
			return err
		}
		if err := d.store.KeepValue(ctx, d.baseURL, at, value); err != nil {
			return err
		}
	}
	return nil
}

// bookStep is how far the next value is from one of some time ago.
func bookStep(ago time.Duration) time.Duration {
	if ago > bookHourly {
		return 24 * time.Hour
	}
	return time.Hour
}

// bookAt is what was held at a time, as far as the trades since tell, at the best
// asks of then. The error is model.ErrOverflow.
func bookAt(now *model.Inventory, asks map[model.VintageKey]model.PriceCents, at time.Time) (book model.BookValue, err error) {
	then := heldAt(now, at)
	positions := model.NewPositions(then, then)
	for i := range positions.Len() {
		p := positions.At(i)
		ask, offered := asks[p.Key.VintageKey]
		if !offered {
			ask = model.UnknownPrice
		}
		if err := book.AddPosition(p, ask, model.Start{}); err != nil {
			return book, err
		}
	}
	return book, nil
}

// heldAt is an inventory without what was bought after a time. What was retired
// since is told by no trade: it is not in it.
func heldAt(now *model.Inventory, at time.Time) *model.Inventory {
	then := &model.Inventory{Projects: slices.Clone(now.Projects)}
	for i := range then.Projects {
		vintages := slices.Clone(then.Projects[i].Vintages)
		for j := range vintages {
			wallets := slices.Clone(vintages[j].Wallets)
			for k := range wallets {
				unbuy(&wallets[k], at)
			}
			vintages[j].Wallets = wallets
		}
		then.Projects[i].Vintages = vintages
	}
	return then
}

// unbuy takes what was bought after a time out of a wallet, whose trades are newest
// first.
func unbuy(w *model.Wallet, at time.Time) {
	for len(w.Trades) > 0 && w.Trades[0].ExecutionDate.Time.After(at) {
		w.Quantity = max(0, w.Quantity-w.Trades[0].Quantity)
		w.Trades = w.Trades[1:]
	}
}
