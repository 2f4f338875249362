package demo

import (
	"context"
	"slices"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/portfolio"
	"tonne/model/store"
)

// recordPast fills the store as if somebody had looked until now.
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

// heldMeanwhile is how many rules the demo has that held while the dashboard was closed.
const heldMeanwhile = 2

func lastFalls(prices []demo.Price) (falls []int) {
	project := ""
	for i := 1; i < len(prices) && len(falls) < heldMeanwhile; i++ {
		before, p := prices[i-1], prices[i]
		last := i+1 == len(prices) || prices[i+1].Vintage != p.Vintage
		if last && before.Vintage == p.Vintage && p.BestAsk < before.BestAsk && p.Vintage.ProjectID != project {
			project = p.Vintage.ProjectID
			falls = append(falls, i)
		}
	}
	return falls
}

// recordRules sets rules that hold since a price fell while the dashboard was closed.
func (s *syntheticMarket) recordRules(ctx context.Context, now time.Time) error {
	falls, looks := lastFalls(s.prices), []time.Time{now}
	for _, i := range falls {
		p := s.prices[i]
		rule := alert.Rule{Measure: alert.BestAsk, Compare: alert.AtMost, Price: p.BestAsk}
		if err := s.store.Of(s.baseURL).Alerts.AddRule(ctx, rule.On(p.Vintage)); err != nil {
			return err
		}
		looks = append(looks, p.At.Add(-time.Minute), p.At)
	}
	slices.SortFunc(looks, time.Time.Compare)
	for _, at := range looks {
		_, err := s.store.Of(s.baseURL).Alerts.Check(ctx, at, func(key model.VintageKey) alert.Facts {
			facts := alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
			for _, i := range falls {
				if s.prices[i].Vintage != key {
					continue
				}
				if at.Before(s.prices[i].At) {
					i--
				}
				facts.BestAsk, facts.Available = s.prices[i].BestAsk, s.prices[i].Available
			}
			return facts
		})
		if err != nil {
			return err
		}
	}
	return nil
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
