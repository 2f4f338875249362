package session

import (
	"context"
	"time"

	"tonne/model"
)

// LoadPrices reads the remembered prices of a vintage, and again whenever more were
// recorded, until it is called with another one. Of many calls in a row only the
// last one counts.
func (s *Session) LoadPrices(key model.VintageKey) {
	s.post(func(l *loop) { l.prices.vintage, l.prices.due = key, true })
}

type prices struct {
	l       *loop
	vintage model.VintageKey
	task
}

func (p *prices) again() { p.due = p.vintage != (model.VintageKey{}) }

func (p *prices) settle() {
	if !p.begin() {
		return
	}
	key := p.vintage
	read(p.l, func(ctx context.Context) (e PricesEvent, err error) {
		if e.Observations, err = p.l.market.Prices(ctx, p.l.origin, key, time.Time{}); err == nil {
			e.Gaps, err = p.l.market.Gaps(ctx, p.l.origin, time.Time{})
		}
		return e, err
	}, func(e PricesEvent, err error) {
		p.busy = false
		if e.Vintage, e.Err = key, err; key == p.vintage {
			p.l.out.put(e)
		}
	})
}
