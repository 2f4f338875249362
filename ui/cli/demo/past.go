package demo

import (
	"context"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/store"
)

// recordPast fills the store as if the dashboard had run until now.
func (s *syntheticMarket) recordPast(ctx context.Context, now time.Time) error {
	if err := s.store.Of(s.baseURL).History.Saw(ctx, now); err != nil {
		return err
	}
	past := make([]store.Observation, len(s.prices))
	for i, p := range s.prices {
		past[i] = store.Observation(p)
	}
	return s.store.Of(s.baseURL).History.Observe(ctx, past)
}

// The demo remembers its book for bookPast: by the hour for bookHourly, and by the
// day before that.
const (
	bookPast   = 44 * 24 * time.Hour
	bookHourly = 13 * 24 * time.Hour
)

func (s *syntheticMarket) recordBook(ctx context.Context, now time.Time) error {
	prices := make(map[model.VintageKey][]demo.Price)
	for _, p := range s.prices {
		prices[p.Vintage] = append(prices[p.Vintage], p)
	}
	wallets, step := portfolio.NewPositions(s.held, s.held), 24*time.Hour
	var points []store.ValuePoint
	for at := now.Add(-bookPast).Truncate(step); at.Before(now.Truncate(time.Hour)); at = at.Add(step) {
		point := store.ValuePoint{At: at}
		for i := range wallets.Len() {
			w, ask := wallets.At(i), model.UnknownPrice
			for _, p := range prices[w.Key.VintageKey] {
				if !p.At.After(at) {
					ask = p.BestAsk
				}
			}
			if err := point.Value.AddPosition(w, ask, portfolio.Start{}); err != nil {
				return err
			}
		}
		points = append(points, point)
		if now.Sub(at) <= bookHourly {
			step = time.Hour
		}
	}
	return s.store.Of(s.baseURL).History.KeepValues(ctx, points...)
}
