package session

import (
	"context"
	"time"

	"tonne/api/wire"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
)

const keepListingsEvery = 5 * time.Minute

// snapshots keeps the listings for later runs.
type snapshots struct {
	*env
	kept store.Cache
	// key identifies the API key. If it is empty, nothing is kept.
	key string
	// market and book are in the store since at.
	market *market.Market
	book   *portfolio.Positions
	at     time.Time
}

// save writes the listings that are new, from time to time and when the session ends.
func (s *snapshots) save(m MarketEvent, p PortfolioEvent, ending bool) {
	now := s.now()
	if s.key == "" || !ending && now.Sub(s.at).Abs() < keepListingsEvery {
		return
	}
	s.at = now
	if m.Market != nil && !m.Earlier && (ending || m.Market != s.market) {
		s.market = m.Market
		s.put("market", m.At, func() []byte { return wire.AppendMarket(nil, m.Market) })
	}
	if p.Positions != nil && !p.Earlier && (ending || p.Positions != s.book) {
		s.book = p.Positions
		s.put("inventory", p.At, func() []byte {
			return wire.AppendInventory(nil, p.Positions.Inventory().Projects, wire.OnePage)
		})
	}
}

func (s *snapshots) put(name string, at time.Time, encode func() []byte) {
	s.write(func(ctx context.Context) error {
		return s.kept.PutSnapshot(ctx, name, s.key, at, encode())
	}, func(error) {})
}

// load reads a listing of an earlier run, and its time. It is called from any goroutine.
func (s *snapshots) load(ctx context.Context, name string) ([]byte, time.Time) {
	body, at, err := s.kept.Snapshot(ctx, name, s.key)
	if err != nil || at.After(s.now().Add(aheadAtMost)) {
		s.log.Warn("a listing is not used", "name", name, "at", at, "error", err)
		return nil, at
	}
	return body, at.In(s.now().Location())
}
