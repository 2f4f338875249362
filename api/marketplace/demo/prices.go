package demo

import (
	"slices"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// In minutes: how far back the prices of the demo go, and the time in which
// moves become twice as rare.
const (
	pastMinutes = 45 * 24 * 60
	doubling    = 8 * 60
)

// Price is what a vintage of the demo was offered at from a moment on,
// until the next one of the same vintage. The service does not keep what is no
// longer for sale: this is what somebody who watched would remember.
type Price struct {
	Vintage   model.VintageKey
	At        time.Time
	BestAsk   model.PriceCents
	Available model.Grams
}

func (d *loader) addPrices() error {
	asks, err := exchange.Asks(d)
	for _, a := range asks {
		d.prices = append(d.prices, d.past(Price{Vintage: a.Vintage, BestAsk: a.Best, Available: a.Available})...)
	}
	return err
}

func (d *loader) past(now Price) []Price {
	var prices []Price
	for minutes := int64(0); minutes < pastMinutes; {
		minutes += d.between(20, 150) * (doubling + minutes) / doubling
		now.At = d.now.Add(-time.Duration(minutes) * time.Minute)
		prices = append(prices, now)
		now.BestAsk = max(1, tick(int64(now.BestAsk)*(1000+d.between(-18, 18))/1000))
		now.Available = model.Grams(d.vary(now.Available.Tonnes(), 12)) * model.GramsPerTonne
	}
	slices.Reverse(prices)
	return prices
}
