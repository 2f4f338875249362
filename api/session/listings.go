package session

import (
	"context"
	"time"

	"tonne/api/wire"
	"tonne/model/market"
	"tonne/model/portfolio"
)

const keepListingsEvery = 5 * time.Minute

func (b *portfolioTracker) keepListings(ending bool) {
	now := b.l.now()
	if b.l.options.KeyMark == "" || !ending && now.Sub(b.listed).Abs() < keepListingsEvery {
		return
	}
	b.listed = now
	if m := b.market; m.Market != nil && !m.Earlier && (ending || m.Market != b.keptMarket) {
		b.keptMarket = m.Market
		b.l.keepListing("market", m.At, func() []byte { return wire.AppendMarket(nil, m.Market) })
	}
	if p := b.book; p.Positions != nil && !p.Earlier && (ending || p.Positions != b.keptBook) {
		b.keptBook = p.Positions
		b.l.keepListing("inventory", p.At, func() []byte { return wire.AppendInventory(nil, p.Positions.Inventory().Projects, wire.OnePage) })
	}
}

func (l *loop) keepListing(name string, at time.Time, encode func() []byte) {
	l.write(func(ctx context.Context) error {
		return l.store.Of(l.options.Account).Cache.PutSnapshot(ctx, name, l.options.KeyMark, at, encode())
	}, func(error) {})
}

// recall shows what an earlier run read last, until the service responds.
func (p *polls) recall() {
	if p.recalled || p.l.options.KeyMark == "" || p.market.value != nil && !p.portfolio.status.At.IsZero() {
		return
	}
	p.recalled = true
	p.l.spawn(func() {
		ctx, cancel := context.WithTimeout(p.l.ctx, patience)
		defer cancel()
		body, at := p.l.listing(ctx, "market")
		if page, _, err := wire.DecodeMarket(body); err == nil {
			earlier := market.New(page)
			p.l.whileRunning(func(*loop) {
				if p.market.value == nil {
					p.market.value = earlier
					p.market.recalled(at)
				}
			})
		}
		body, bookAt := p.l.listing(ctx, "inventory")
		if inv, _, err := wire.DecodeInventory(body); err == nil {
			earlier := portfolio.NewPositions(inv, inv)
			p.l.whileRunning(func(*loop) {
				if p.portfolio.value == nil {
					p.portfolio.take(earlier, false)
					p.portfolio.recalled(bookAt)
				}
			})
		}
	})
}

func (s *Session) listing(ctx context.Context, name string) ([]byte, time.Time) {
	body, at, err := s.store.Of(s.options.Account).Cache.Snapshot(ctx, name, s.options.KeyMark)
	if err != nil || at.After(s.now().Add(aheadAtMost)) {
		s.log.Warn("a listing is not used", "name", name, "at", at, "error", err)
		return nil, at
	}
	return body, at.In(s.now().Location())
}
