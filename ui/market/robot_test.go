package market

import (
	"maps"
	"slices"
	"testing"
	"time"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// robot is somebody at the keyboard of the tab.
type robot struct {
	*uitest.Robot
	tab        *Tab
	generation uint64
	market     *model.Market
}

const width, height = 120, 32

func newRobot(t testing.TB, s *store.Store) *robot {
	r := &robot{Robot: uitest.NewRobot(t, width, height)}
	r.tab = New(r.View, Options{Origin: "https://market.example", Store: s})
	r.Show(r.tab)
	return r
}

// settled is a robot in front of a market with names and last paid prices.
func settled(t testing.TB) *robot {
	r := newRobot(t, store.Open(""))
	r.know()
	r.poll(uitest.Market(0))
	return r
}

// know sends the names and what is owned.
func (r *robot) know() {
	inv := uitest.Inventory()
	r.Hear(feed.ProjectsEvent{Projects: uitest.Projects(), Fetched: slices.Collect(maps.Values(uitest.Projects()))})
	r.Hear(feed.LastPaidEvent{Status: uitest.Live(), Prices: inv.LastPaid(), Balances: inv.Balances()})
}

// poll is the next complete market.
func (r *robot) poll(m *model.Market) {
	r.generation++
	e := feed.MarketEvent{Status: feed.Status{State: feed.Live, At: r.Now}, Generation: r.generation, Market: m}
	if r.market != nil {
		e.Changes = m.Since(r.market)
	}
	r.market = m
	r.Hear(e)
}

// later moves the clock.
func (r *robot) later(d time.Duration) {
	r.Now = r.Now.Add(d)
	r.tab.Expire(r.Now)
}
