package session_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
)

// render returns an event as a line of text.
func (s *script) render(e session.Event) string {
	w := &line{}
	switch e := e.(type) {
	case session.MarketEvent:
		w.status("market", e.Status)
		w.add(e.Generation > 0, "#%d", e.Generation)
		if e.Market != nil {
			w.add(e.Partial, "part")
			for i := range e.Market.Vintages() {
				w.add(true, "%s=%d", e.Market.Key(i).ProjectID, e.Market.Vintage(i).BestAsk)
			}
		}
		for _, c := range e.Changes.Asks {
			w.add(true, "%s:%d→%d", c.Vintage.ProjectID, c.Was, c.Now)
		}
		for _, c := range e.Changes.Orders {
			w.add(c.Kind != market.Repriced, "%s%s",
				map[market.ChangeKind]string{market.Appeared: "+", market.Vanished: "-"}[c.Kind], max(c.Was.ID, c.Now.ID))
		}
		w.add(!e.Before.IsZero(), "since %s", at(e.Before))
	case session.PortfolioEvent:
		w.status("portfolio", e.Status)
		w.add(e.Partial, "part")
		for _, k := range sorted(e.LastPaid) {
			w.add(true, "%s=%dx%d", k.ProjectID, e.LastPaid[k].Price, e.Balances[k])
		}
		w.add(e.LastPaid != nil && len(e.LastPaid) == 0, "empty")
		if e.Positions != nil {
			w.add(true, "%d wallets", e.Positions.Len())
		}
	case session.InventoryEvent:
		w.status("page", e.Status)
		w.add(true, "query %d%s", e.Query.Page, e.Query.TradeType)
		if e.Inventory != nil {
			w.add(true, "%s", e.Inventory.ProjectIDs())
		}
		if e.Purchases != nil {
			w.add(true, "purchases %s", e.Purchases.ProjectIDs())
		}
	case session.ProjectsEvent:
		w.add(true, "projects")
		for _, id := range slices.Sorted(maps.Keys(e.Projects)) {
			w.add(len(e.Projects) < 5, "%s=%s", id, e.Projects[id].Name)
		}
		w.add(len(e.Projects) >= 5, "%d known", len(e.Projects))
		w.add(len(e.Fetched) > 0, "%d fetched", len(e.Fetched))
		w.err(e.Err)
	case session.CertificateEvent:
		w.add(true, "certificate %s %d/%d", e.ID, e.Received, e.Total)
		w.add(e.Saved != nil, "saved")
		w.err(e.Err)
	case session.VerifiedEvent:
		w.add(true, "verified %s %s served %.4s", e.ID, statuses[e.FileStatus], e.Served)
		w.err(e.Err)
	case session.WatchlistEvent:
		w.add(true, "watchlist")
		for _, k := range sorted(e.Watched) {
			w.add(e.Watched[k], "%s", k.ProjectID)
		}
		for _, r := range e.Rules {
			w.add(true, "%q", r.String())
		}
		w.add(true, "edits %d", e.Edits)
	case session.AlertsEvent:
		w.add(true, "alerts")
		w.alerts(e.Alerts)
		w.add(len(e.Fired) > 0, "fired")
		w.alerts(e.Fired)
	case session.HoldingEvent:
		w.add(true, "holding")
		w.alerts(e.Holding)
		w.err(e.Err)
	case session.TrendsEvent:
		w.add(true, "trends at %s", at(e.At))
		for _, k := range sorted(e.Prices) {
			w.add(true, "%s=%d", k.ProjectID, e.Prices[k])
		}
		for _, k := range sorted(e.Opened) {
			w.add(true, "opened %s=%d at %s", k.ProjectID, e.Opened[k], at(e.Since))
		}
	case session.PricesEvent:
		w.add(true, "prices")
		for _, k := range sorted(e.Observations) {
			w.add(true, "%s", k.ProjectID)
			for _, o := range e.Observations[k] {
				w.add(true, "%d", o.BestAsk)
			}
		}
		for _, g := range e.Gaps {
			w.add(true, "gap %s–%s", at(g.From), at(g.Until))
		}
		w.err(e.Err)
	case session.LedgerEvent:
		w.add(true, "ledger")
		w.ledger(e)
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
		w.add(true, "value at %s: %d, over cost %d, today %d of %d", at(e.At), e.Value.Value, e.Value.OverCost, e.Value.Today,
			e.Value.Moved)
		w.add(!e.Moves, "no moves")
		w.err(e.Err)
	case session.PortfolioHistoryEvent:
		w.add(true, "history")
		for _, p := range e.Points {
			w.add(true, "%s=%d/%d", at(p.At), p.Value.Value, p.Value.Cost)
		}
		w.add(e.Err != nil, "not written")
	case session.MissedMovesEvent:
		w.add(true, "missed %s–%s", at(e.Since), at(e.At))
		for _, m := range e.Moves {
			w.add(true, "%s:%d→%d", m.Now.Vintage.ProjectID, m.Was.BestAsk, m.Now.BestAsk)
		}
	case session.AnnotationsEvent:
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
	default:
		w.add(true, "%T", e)
	}
	return w.text.String()
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
	failed := 0
	for _, r := range e.Requests {
		w.add(len(e.Requests) < 10, "%s", requestText(r))
		if r.Err != nil {
			failed++
		}
	}
	if len(e.Requests) >= 10 {
		w.add(true, "%d requests, %d answered, %d failed", len(e.Requests), len(e.Answered), failed)
		return
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
}

func requestText(r *session.Request) string {
	w := &line{}
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
	return w.text.String() + "]"
}

func sorted[V any](of map[model.VintageKey]V) []model.VintageKey {
	return slices.SortedFunc(maps.Keys(of),
		func(a, b model.VintageKey) int { return strings.Compare(a.ProjectID, b.ProjectID) })
}

// renderStore returns parts of what a store has: prices, gaps, requests, alerts, values, watched, snapshots.
func (s *script) renderStore(o *store.Store, parts []string) (out []string, err error) {
	of, ctx := o.Of(origin), s.t.Context()
	for _, part := range parts {
		w := &line{}
		part, account, named := strings.Cut(part, "@")
		if !named {
			account = origin
		}
		w.add(true, "%s", part)
		switch part {
		case "prices":
			observations, e := of.History.Prices(ctx, key("P"), time.Time{})
			gaps, other := of.History.Gaps(ctx, time.Time{})
			for _, o := range observations {
				w.add(true, "%d", o.BestAsk)
			}
			for _, g := range gaps {
				w.add(true, "gap %s–%s", at(g.From), at(g.Until))
			}
			err = errors.Join(err, e, other)
		case "requests":
			entries, e := of.Ledger.Entries(ctx)
			for _, r := range entries {
				w.add(true, "[%s %q %s at %s %s%.4s]", r.ID, r.Label, r.Status, at(r.AnsweredAt), r.Error, r.Certificate.SHA256)
			}
			err = errors.Join(err, e)
		case "alerts":
			all, e := of.Alerts.After(ctx, 0)
			w.alerts(all)
			err = errors.Join(err, e)
		case "values":
			points, e := o.Of(account).History.Values(ctx, time.Time{})
			for _, p := range points {
				w.add(true, "%s=%d/%d", at(p.At), p.Value.Value, p.Value.Cost)
			}
			err = errors.Join(err, e)
		case "watched":
			watched, e := of.Alerts.Watched(ctx)
			for _, k := range sorted(watched) {
				w.add(true, "%s", k.ProjectID)
			}
			err = errors.Join(err, e)
		case "snapshot":
			body, when, e := o.Of(account).Cache.Snapshot(ctx, "market", "k")
			w.add(body != nil, "%d bytes of %s", len(body), at(when))
			err = errors.Join(err, e)
		}
		out = append(out, w.text.String())
	}
	return out, err
}
