package market

import (
	"context"
	"maps"
	"slices"
	"time"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/chart"
	"tonne/ui/effect"
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
	tab    *Tab
	store  *store.Store
	origin string
	// waiting are the jobs whose turn has not come; busy says that one is run.
	waiting []job
	busy    bool
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

// job is work with the store. It begins where state may be read, when its turn
// has come; nil says that there is nothing to do any more.
type job func() effect.Work

// jobDone carries the result of a job to its tab.
type jobDone struct{ result any }

// run takes a job. They are run one after another, in the order in which they
// were given, so that the last wish of a person is the last that is carried
// out. It is nil while another one is under way.
func (m *memory) run(j job) effect.Effect {
	m.waiting = append(m.waiting, j)
	return m.next()
}

func (m *memory) next() effect.Effect {
	for !m.busy && len(m.waiting) > 0 {
		work := m.waiting[0]()
		m.waiting = m.waiting[1:]
		if work != nil {
			m.busy = true
			return effect.Work(func(ctx context.Context) any { return jobDone{work(ctx)} })
		}
	}
	return nil
}

// done takes the result of a job and begins the next.
func (m *memory) done(d jobDone) effect.Effect {
	m.busy = false
	return effect.Batch(m.tab.result(d.result), m.next())
}

// recalled is what earlier runs have left.
type recalled struct {
	projects model.Projects
	list     watchlist
	err      error
	// edits are those of the watch list when the store was asked.
	edits int
}

// recall reads what earlier runs have left.
func (m *memory) recall() effect.Effect {
	return m.run(func() effect.Work {
		edits := m.tab.watch.edits
		return func(ctx context.Context) any {
			projects, _ := m.store.Projects(ctx, m.origin)
			list, err := readWatchlist(ctx, m.store, m.origin)
			return recalled{projects, list, err, edits}
		}
	})
}

func (m *memory) takeRecalled(r recalled) effect.Effect {
	m.tab.view.Recall(r.projects)
	if r.err == nil && r.edits == m.tab.watch.edits {
		m.tab.watch.set(r.list)
	}
	return effect.Batch(m.tab.relabel(), m.complain())
}

// complain tells once why nothing outlives this run.
func (m *memory) complain() effect.Effect {
	if m.told || m.store.Problem() == nil {
		return nil
	}
	m.told = true
	return effect.Warn("Prices and watched vintages are kept for this run only: c says why.")
}

// survey observes the newest market, holds the rules against it and reads the
// trends. One that waits for its turn is enough.
func (m *memory) survey() effect.Effect {
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
	// at is when the market was polled, edits are those of the watch list then.
	at    time.Time
	edits int
}

func (m *memory) beginSurvey() effect.Work {
	m.surveying = false
	event, paid := m.tab.view.Market, m.tab.view.LastPaid.Prices
	if event.Market == nil || event.Partial {
		return nil
	}
	edits, observed := m.tab.watch.edits, m.surveyed == event.Market
	m.surveyed = event.Market
	drawn := !m.moved && event.At.Sub(m.trendsAt).Abs() < trendsAge
	m.moved = false
	return func(ctx context.Context) any {
		if !observed {
			// What cannot be kept now is observed again with the next poll.
			_ = m.store.Observe(ctx, m.origin, store.Observations(event.Market, event.At))
		}
		found := m.look(ctx, event, paid)
		found.at, found.edits = event.At, edits
		if !drawn {
			found.trends = m.draw(ctx, event.At)
		}
		return found
	}
}

func (m *memory) takeFindings(found findings) effect.Effect {
	if found.trends != nil {
		m.trends, m.trendsAt = found.trends, found.at
	}
	// What a person changed meanwhile is newer than what was read.
	var changed effect.Effect
	if found.err == nil && found.edits == m.tab.watch.edits && !m.tab.watch.same(found.list) {
		m.tab.watch.set(found.list)
		changed = m.tab.relabel()
	}
	return effect.Batch(changed, m.tab.announce(found.crossed), m.tab.pane.history.again(), m.complain())
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
func (m *memory) save(sent []model.Project) effect.Effect {
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
	return m.run(func() effect.Work {
		return func(ctx context.Context) any {
			return projectsSaved{fresh, m.store.PutProjects(ctx, m.origin, fresh, now)}
		}
	})
}

// projectsSaved says that the store has the details of projects, or why not.
type projectsSaved struct {
	projects []model.Project
	err      error
}

func (m *memory) takeSaved(r projectsSaved) effect.Effect {
	if r.err != nil {
		for _, p := range r.projects {
			delete(m.saved, p.ID)
		}
	}
	return m.complain()
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
