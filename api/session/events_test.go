package session_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
)

// eventText returns the kind of an event and what it says.
func eventText(e session.Event) string {
	w := &line{}
	switch e := e.(type) {
	case session.MarketEvent:
		w.market(e)
	case session.PortfolioEvent:
		w.portfolio(e)
	case session.InventoryEvent:
		w.inventory(e)
	case session.ProjectsEvent:
		w.projects(e)
	case session.LedgerEvent:
		w.ledger(e)
	case session.AnnotationsEvent:
		w.annotations(e)
	case session.TrendsEvent:
		w.trends(e)
	case session.PricesEvent:
		w.recorded(e)
	case session.WatchlistEvent:
		w.watchlist(e)
	case session.AlertsEvent:
		w.fired(e)
	case session.HoldingEvent:
		w.add(true, "holding")
		w.alerts(e.Holding)
		w.err(e.Err)
	case session.CertificateEvent:
		w.add(true, "certificate %s %d/%d", e.ID, e.Received, e.Total)
		w.add(e.Saved != nil, "saved")
		w.err(e.Err)
	case session.VerifiedEvent:
		w.add(true, "verified %s %s served %.4s", e.ID, statuses[e.FileStatus], e.Served)
		w.err(e.Err)
	case session.PresenceEvent:
		w.add(true, "presence")
		for _, p := range e.People {
			w.add(true, "%s", p.Name)
		}
	case session.StoreEvent:
		w.add(true, "store")
		w.add(e.Problem != nil, "problem")
		w.add(e.Lost != nil, "lost")
		for _, f := range e.Failed {
			w.add(true, "%s not saved", f.Subject)
		}
	case session.ChoicesEvent:
		w.add(true, "choices %v", e.Choices)
	case session.PortfolioValueEvent:
		v := e.Value
		w.add(true, "value at %s: %d, over cost %d, today %d of %d", at(e.At), v.Value, v.OverCost, v.Today, v.Moved)
		w.add(!e.Moves, "no moves")
		w.err(e.Err)
	case session.PortfolioHistoryEvent:
		w.add(true, "history")
		w.values(e.Points)
		w.add(e.Err != nil, "not written")
	case session.MissedMovesEvent:
		w.add(true, "missed %s–%s", at(e.Since), at(e.At))
		for _, m := range e.Moves {
			w.add(true, "%s:%d→%d", m.Now.Vintage.ProjectID, m.Was.BestAsk, m.Now.BestAsk)
		}
	default:
		w.add(true, "%T", e)
	}
	return w.text.String()
}

func (w *line) market(e session.MarketEvent) {
	w.status("market", e.Status)
	w.add(e.Generation > 0, "#%d", e.Generation)
	w.add(e.Market != nil && e.Partial, "part")
	if e.Market != nil {
		for i := range e.Market.Vintages() {
			w.add(true, "%s=%d", e.Market.Key(i).ProjectID, e.Market.Vintage(i).BestAsk)
		}
	}
	for _, c := range e.Changes.Asks {
		w.add(true, "%s:%d→%d", c.Vintage.ProjectID, c.Was, c.Now)
	}
	for _, c := range e.Changes.Orders {
		w.add(c.Kind == market.Appeared, "+%s", c.Now.ID)
		w.add(c.Kind == market.Vanished, "-%s", c.Was.ID)
	}
	w.add(!e.Before.IsZero(), "since %s", at(e.Before))
}

func (w *line) portfolio(e session.PortfolioEvent) {
	w.status("portfolio", e.Status)
	w.add(e.Partial, "part")
	for _, k := range sorted(e.LastPaid) {
		w.add(true, "%s=%dx%d", k.ProjectID, e.LastPaid[k].Price, e.Balances[k])
	}
	w.add(e.LastPaid != nil && len(e.LastPaid) == 0, "empty")
	if e.Positions != nil {
		w.add(true, "%d wallets", e.Positions.Len())
	}
}

func (w *line) inventory(e session.InventoryEvent) {
	w.status("page", e.Status)
	w.add(true, "query %d%s", e.Query.Page, e.Query.TradeType)
	if e.Inventory != nil {
		w.add(true, "%s", e.Inventory.ProjectIDs())
	}
	if e.Purchases != nil {
		w.add(true, "purchases %s", e.Purchases.ProjectIDs())
	}
}

func (w *line) projects(e session.ProjectsEvent) {
	w.add(true, "projects")
	for _, id := range slices.Sorted(maps.Keys(e.Projects)) {
		w.add(len(e.Projects) < 5, "%s=%s", id, e.Projects[id].Name)
	}
	w.add(len(e.Projects) >= 5, "%d known", len(e.Projects))
	w.add(len(e.Fetched) > 0, "%d fetched", len(e.Fetched))
	w.err(e.Err)
}

func (w *line) annotations(e session.AnnotationsEvent) {
	w.add(true, "annotations")
	for _, o := range e.Observations {
		w.add(true, "%s seen by %s", o.Subject, o.Who)
	}
	for _, id := range slices.Sorted(maps.Keys(e.Journal)) {
		w.add(true, "%s made as %s", id, e.Journal[id].Reference())
	}
	if e.Facts != nil {
		w.add(true, "%v", e.Facts.Labels(key("P")))
	}
}

func (w *line) trends(e session.TrendsEvent) {
	w.add(true, "trends at %s", at(e.At))
	for _, k := range sorted(e.Prices) {
		w.add(true, "%s=%d", k.ProjectID, e.Prices[k])
	}
	for _, k := range sorted(e.Opened) {
		w.add(true, "opened %s=%d at %s", k.ProjectID, e.Opened[k], at(e.Since))
	}
}

func (w *line) recorded(e session.PricesEvent) {
	w.add(true, "prices")
	for _, k := range sorted(e.Observations) {
		w.add(true, "%s", k.ProjectID)
		for _, o := range e.Observations[k] {
			w.add(true, "%d", o.BestAsk)
		}
	}
	w.gaps(e.Gaps)
	w.err(e.Err)
}

func (w *line) watchlist(e session.WatchlistEvent) {
	w.add(true, "watchlist")
	for _, k := range sorted(e.Watched) {
		w.add(e.Watched[k], "%s", k.ProjectID)
	}
	for _, r := range e.Rules {
		w.add(true, "%q", r.String())
	}
	w.add(true, "edits %d", e.Edits)
}

// fired names the alerts that fired by their ids, because they are among all alerts.
func (w *line) fired(e session.AlertsEvent) {
	w.add(true, "alerts")
	w.alerts(e.Alerts)
	w.add(len(e.Fired) > 0, "fired")
	for _, a := range e.Fired {
		w.add(true, "%d", a.ID)
		w.add(!slices.Contains(e.Alerts, a), "which is not among the alerts")
	}
}

var statuses = map[session.FileStatus]string{
	session.NotVerified: "not verified", session.Unchanged: "unchanged", session.Altered: "altered", session.Gone: "gone",
	session.Unreadable: "unreadable", session.Superseded: "superseded",
}

// at returns a time since the start, in whole seconds.
func at(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Sub(start).Truncate(time.Second).String()
}

type line struct{ text strings.Builder }

func (w *line) add(shown bool, format string, args ...any) {
	if !shown {
		return
	}
	if w.text.Len() > 0 {
		w.text.WriteByte(' ')
	}
	fmt.Fprintf(&w.text, format, args...)
}

func (w *line) err(err error) {
	if err != nil {
		w.add(true, "(%s)", kindOf(err))
	}
}

func (w *line) status(name string, s session.Status) {
	states := [...]string{"loading", "live", "stale", "refused", "paused"}
	w.add(true, "%s %s %s", name, states[s.State], at(s.At))
	w.add(s.Earlier, "earlier")
	w.add(s.Fetching, "fetching %d/%d", s.Done, s.Total)
	w.err(s.Err)
	w.add(s.Asked, "retry at %s", at(s.RetryAt))
	w.add(!s.RetryAt.IsZero() && !s.Asked, "retry")
}

func (w *line) alerts(all []store.Alert) {
	for _, a := range all {
		w.add(true, "[%d %q", a.ID, a.Rule.String())
		if a.OnRequests() {
			w.add(true, "%s:%s→%s", a.Request, a.Was.Status, a.Facts.Status)
		} else {
			w.add(true, "%s:%d→%d", a.Vintage.ProjectID, a.Was.BestAsk, a.Facts.BestAsk)
			w.add(!a.Since.IsZero(), "since %s", at(a.Since))
		}
		w.add(a.Already, "already")
		w.add(a.Seen, "seen")
		w.text.WriteByte(']')
	}
}

// ledger writes each request, or how many there are.
func (w *line) ledger(e session.LedgerEvent) {
	w.add(true, "ledger")
	if len(e.Requests) >= 10 {
		w.add(true, "%d requests, %d answered", len(e.Requests), len(e.Answered))
		return
	}
	for _, r := range e.Requests {
		w.request(r)
	}
	var rest []string
	for _, c := range e.Changed {
		rest = append(rest, fmt.Sprintf("changed %s:%s→%s", c.ID, c.Was, c.Is))
	}
	for _, o := range e.Answered {
		rest = append(rest, "answered "+o.ID)
	}
	slices.Sort(rest)
	w.add(len(rest) > 0, "%s", strings.Join(rest, " "))
	w.err(e.Err)
}

func (w *line) request(r *session.Request) {
	w.add(true, "[%s", r.ID)
	w.add(r.Label != "", "%q", r.Label)
	if r.Answer != nil {
		w.add(true, "%s", r.Answer.Status)
	}
	w.err(r.Err)
	w.add(r.Changed(), "was %s", r.Looked)
	w.add(r.Fetching, "fetching")
	w.add(!r.NextAt.IsZero(), "next")
	w.add(r.Certificate.Path != "", "%s %s", filepath.Base(r.Certificate.Path), statuses[r.FileStatus])
	w.text.WriteByte(']')
}

func sorted[V any](of map[model.VintageKey]V) []model.VintageKey {
	return slices.SortedFunc(maps.Keys(of),
		func(a, b model.VintageKey) int { return strings.Compare(a.ProjectID, b.ProjectID) })
}

func (w *line) gaps(all []store.Gap) {
	for _, g := range all {
		w.add(true, "gap %s–%s", at(g.From), at(g.Until))
	}
}

func (w *line) values(all []store.ValuePoint) {
	for _, p := range all {
		w.add(true, "%s=%d/%d", at(p.At), p.Value.Value, p.Value.Cost)
	}
}

var kinds = map[api.Kind]string{
	api.Unauthorized: "unauthorized", api.Forbidden: "forbidden", api.NotFound: "unknown", api.Invalid: "invalid",
	api.RateLimited: "limited", api.ServerError: "broken", api.NotTheAPI: "foreign", api.Unreachable: "unreachable",
	api.Incomplete: "incomplete",
}

func kindOf(err error) string {
	if kind, ok := kinds[api.KindOf(err)]; ok {
		return kind
	}
	return err.Error()
}
