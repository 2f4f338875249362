package market

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Session is what the tab needs of a session.
type Session interface {
	Record()
	ShowProjects(ids []string)
	LoadPrices(key model.VintageKey)
	Watch(key model.VintageKey, on bool)
	AddRule(key model.VintageKey, rule model.Rule)
	RemoveRule(key model.VintageKey, rule model.Rule)
	RemoveRequestRule(a store.RequestAlert)
	SeeAlerts(id int64)
	Choose(name, value string)
}

func (t *Tab) receive(e session.Event) effect.Effect {
	next := *t.rows
	switch e := e.(type) {
	case session.MarketEvent:
		if e.Market == nil || e.Market == t.rows.market {
			return nil
		}
		next.market, next.partial = e.Market, e.Partial
		next.settleOrder(false)
		t.note(e)
		return t.replace(&next)
	case session.LastPaidEvent:
		next.paid, next.held = e.Prices, e.Balances
		return t.replace(&next)
	case session.ProjectsEvent:
		next.projects = e.Projects
		next.settleOrder(false)
		return t.replace(&next)
	case session.WatchlistEvent:
		return t.showWatchlist(e)
	case session.TrendsEvent:
		t.trends, t.since, next.opened = e.Prices, e.Since, e.Opened
		return t.replace(&next)
	case session.LedgerEvent:
		if t.watch.requests = e.Requests; len(t.watch.Requests)+len(t.alerts.fired) > 0 {
			t.listWatched()
		}
	case session.AnnotationsEvent:
		next.facts = e.Facts
		t.watch.journal = e.Journal
		return t.replace(&next)
	case session.PricesEvent:
		t.history.prices = e
	case session.MissedMovesEvent:
		t.panes.changes.recordAway(e)
	case session.FiredEvent:
		return t.announce(e.Fired)
	case session.HistoryEvent:
		return t.showHistory(e)
	case session.ChoicesEvent:
		t.choose(e.Choices)
	case session.StoreEvent:
		return t.complain(e)
	}
	return nil
}

func (t *Tab) complain(e session.StoreEvent) effect.Effect {
	var told []effect.Effect
	for _, f := range e.Failed {
		if f.Subject == session.WatchlistWrites {
			told = append(told, effect.Warn("The watch list was not saved: "+f.Err.Error()+"."))
		}
	}
	if e.Lost != nil {
		told = append(told, effect.Warn(tab.Sentence(e.Lost)))
	}
	if e.Problem != nil {
		t.problem = e.Problem
		told = append(told, effect.Warn("Prices and watched vintages are kept for this run only: c says why."))
	}
	return effect.Batch(told...)
}

func (t *Tab) headMoves() {
	title := "Δ DAY"
	if !t.since.IsZero() {
		title = "Δ " + t.view.SinceHeading(t.since)
	}
	if title != t.sinceTitle {
		t.sinceTitle = title
		t.table.Retitle("delta", title)
	}
}

func (t *Tab) note(e session.MarketEvent) {
	now := t.view.Now()
	if !t.view.NoMotion {
		t.marks.add(e.Changes, now)
	}
	t.panes.changes.record(e.Changes, e.Before, now)
}
