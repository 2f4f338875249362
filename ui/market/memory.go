package market

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/chart"
	"tonne/ui/tab"
)

// The TREND column shows the best asks of the last day, one a cell.
const (
	trendTime  = 24 * time.Hour
	trendCells = 8
	// trendsAge is how old they become while no best ask moves.
	trendsAge = time.Minute
)

// memory is what the tab knows from the store, which it asks away from the
// screen.
type memory struct {
	tab     *Tab
	store   *store.Store
	origin  string
	errands tab.Errands
	// trends are sparklines of the best ask as of a poll; moved says that a
	// best ask was another one since.
	trends   map[model.VintageKey]string
	trendsAt time.Time
	moved    bool
	// surveying says that a survey waits for its turn.
	surveying bool
	// surveyed is the last market that was observed.
	surveyed *model.Market
	// saved are the projects whose details the store has from this run.
	saved map[string]bool
	// told says that the store's problem was told.
	told bool
}

// newMemory returns a memory of this run alone where there is no store.
func newMemory(t *Tab, o Options) *memory {
	m := &memory{tab: t, store: o.Store, origin: o.Origin, saved: make(map[string]bool)}
	if m.store == nil {
		m.store = store.Open("")
		context.AfterFunc(t.view.Context, func() { _ = m.store.Close() })
	}
	return m
}

func (m *memory) run(e tab.Errand) tea.Cmd { return m.errands.Run(m.tab.view.Context, e) }

// recall reads what earlier runs have left.
func (m *memory) recall() tea.Cmd {
	return m.run(func() func(context.Context) func() tea.Cmd {
		edits := m.tab.watch.edits
		return func(ctx context.Context) func() tea.Cmd {
			projects, _ := m.store.Projects(ctx, m.origin)
			list, err := readWatchlist(ctx, m.store, m.origin)
			return func() tea.Cmd {
				m.tab.view.Recall(projects)
				if err == nil && edits == m.tab.watch.edits {
					m.tab.watch.set(list)
				}
				return tea.Batch(m.tab.relabel(), m.complain())
			}
		}
	})
}

// complain tells once why nothing outlives this run.
func (m *memory) complain() tea.Cmd {
	if m.told || m.store.Problem() == nil {
		return nil
	}
	m.told = true
	return tab.Complain("Prices and watched vintages are kept for this run only: c says why.")
}

// survey observes the newest market, holds the rules against it and reads the
// trends. One that waits for its turn is enough.
func (m *memory) survey() tea.Cmd {
	if m.surveying {
		return nil
	}
	m.surveying = true
	return m.run(m.beginSurvey)
}

// findings are what a survey leads to.
type findings struct {
	trends  map[model.VintageKey]string
	crossed []store.Alert
	list    watchlist
	err     error
}

func (m *memory) beginSurvey() func(context.Context) func() tea.Cmd {
	m.surveying = false
	event, paid := m.tab.view.Market, m.tab.view.LastPaid.Prices
	if event.Market == nil || event.Partial {
		return nil
	}
	edits, observed := m.tab.watch.edits, m.surveyed == event.Market
	m.surveyed = event.Market
	drawn := !m.moved && event.At.Sub(m.trendsAt).Abs() < trendsAge
	m.moved = false
	return func(ctx context.Context) func() tea.Cmd {
		if !observed {
			// What cannot be kept now is observed again with the next poll.
			_ = m.store.Observe(ctx, m.origin, store.Observations(event.Market, event.At))
		}
		found := m.look(ctx, event, paid)
		if !drawn {
			found.trends = m.draw(ctx, event.At)
		}
		return func() tea.Cmd {
			if found.trends != nil {
				m.trends, m.trendsAt = found.trends, event.At
			}
			// What a person changed meanwhile is newer than what was read.
			var changed tea.Cmd
			if found.err == nil && edits == m.tab.watch.edits && !m.tab.watch.same(found.list) {
				m.tab.watch.set(found.list)
				changed = m.tab.relabel()
			}
			return tea.Batch(changed, m.tab.announce(found.crossed), m.tab.pane.history.again(), m.complain())
		}
	}
}

// look asks the store what it makes of a market.
func (m *memory) look(ctx context.Context, event feed.MarketEvent, paid model.LastPaidPrices) (found findings) {
	facts := func(key model.VintageKey) model.Facts { return event.Market.Facts(key, paid) }
	found.crossed, _ = m.store.Crossed(ctx, m.origin, facts)
	found.list, found.err = readWatchlist(ctx, m.store, m.origin)
	return found
}

// draw makes the sparklines as of a poll, nil where they cannot be read.
func (m *memory) draw(ctx context.Context, at time.Time) map[model.VintageKey]string {
	prices, err := m.store.Trends(ctx, m.origin, at.Add(-trendTime), at, trendCells)
	if err != nil {
		return nil
	}
	return sparklines(prices)
}

func sparklines(prices map[model.VintageKey][]model.PriceCents) map[model.VintageKey]string {
	trends := make(map[model.VintageKey]string, len(prices))
	values := make([]int64, trendCells)
	for key, course := range prices {
		for i, p := range course {
			values[i] = int64(p)
		}
		trends[key] = chart.Sparkline(values[:len(course)], trendCells)
	}
	return trends
}

// save keeps the details of projects that the service sent.
func (m *memory) save(sent []model.Project) tea.Cmd {
	var fresh []model.Project
	for _, p := range sent {
		if !m.saved[p.ID] {
			m.saved[p.ID] = true
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	now := m.tab.view.Now()
	return m.run(func() func(context.Context) func() tea.Cmd {
		return func(ctx context.Context) func() tea.Cmd {
			err := m.store.PutProjects(ctx, m.origin, fresh, now)
			return func() tea.Cmd {
				if err != nil {
					for _, p := range fresh {
						delete(m.saved, p.ID)
					}
				}
				return m.complain()
			}
		}
	})
}

// readWatchlist reads the vintages that are watched and the rules on them.
func readWatchlist(ctx context.Context, s *store.Store, origin string) (watchlist, error) {
	watched, err := s.Watched(ctx, origin)
	if err != nil {
		return watchlist{}, err
	}
	alerts, err := s.Alerts(ctx, origin)
	return watchlist{watched: watched, alerts: slices.Clip(alerts)}, err
}

// same reports whether two lists say the same.
func (w watchlist) same(other watchlist) bool {
	return maps.Equal(w.watched, other.watched) && slices.Equal(w.alerts, other.alerts)
}
