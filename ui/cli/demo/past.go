package demo

import (
	"context"
	"slices"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/store"
)

// recordPast fills the store with the prices of the past weeks, for trends and
// charts, as if somebody had looked until now.
func (s *syntheticMarket) recordPast(ctx context.Context, now time.Time) error {
	if err := s.store.Saw(ctx, s.baseURL, now); err != nil {
		return err
	}
	past := make([]store.Observation, len(s.prices))
	for i, p := range s.prices {
		past[i] = store.Observation(p)
	}
	return s.store.Observe(ctx, s.baseURL, past)
}

// move is what a vintage was offered at before its price moved last, and then.
type move struct{ before, then demo.Price }

// How many rules the demo has that held while nobody looked, and on how much at
// most the others wait.
const (
	heldMeanwhile = 2
	stillWaiting  = 1
)

// lastMoves returns vintages of different projects for the rules of the demo:
// some whose price fell last, and some whose price rose.
func lastMoves(prices []demo.Price) (chosen []move) {
	fell, rose := heldMeanwhile, stillWaiting
	project := ""
	for i := 1; i < len(prices) && fell+rose > 0; i++ {
		m := move{prices[i-1], prices[i]}
		last := i+1 == len(prices) || prices[i+1].Vintage != m.then.Vintage
		if !last || m.before.Vintage != m.then.Vintage || m.then.Vintage.ProjectID == project {
			continue
		}
		switch {
		case m.then.BestAsk < m.before.BestAsk && fell > 0:
			fell--
		case m.then.BestAsk > m.before.BestAsk && rose > 0:
			rose--
		default:
			continue
		}
		project = m.then.Vintage.ProjectID
		chosen = append(chosen, m)
	}
	return chosen
}

// rule is one that fires at the lower price of a move, or waits a little below it
// if the price rose.
func (m move) rule() model.Rule {
	limit := m.then.BestAsk
	if limit > m.before.BestAsk {
		limit = m.before.BestAsk - m.before.BestAsk/20
	}
	return model.Rule{Measure: model.BestAsk, Compare: model.AtMost, Price: limit}
}

// recordRules sets the rules, and holds them against the market as if somebody had
// looked at it all the time.
func (s *syntheticMarket) recordRules(ctx context.Context, now time.Time) error {
	moves := lastMoves(s.prices)
	looks := []time.Time{now}
	for _, m := range moves {
		if err := s.store.AddRule(ctx, s.baseURL, store.Alert{Vintage: m.then.Vintage, Rule: m.rule()}); err != nil {
			return err
		}
		looks = append(looks, m.then.At.Add(-time.Minute), m.then.At)
	}
	slices.SortFunc(looks, time.Time.Compare)
	for _, at := range looks {
		if _, err := s.store.Crossed(ctx, s.baseURL, at, func(key model.VintageKey) model.Facts { return factsAt(moves, key, at) }); err != nil {
			return err
		}
	}
	return nil
}

func factsAt(moves []move, key model.VintageKey, at time.Time) model.Facts {
	facts := model.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
	for _, m := range moves {
		if m.then.Vintage != key {
			continue
		}
		p := m.then
		if at.Before(p.At) {
			p = m.before
		}
		facts.BestAsk, facts.Available = p.BestAsk, p.Available
	}
	return facts
}
