package market

import (
	"errors"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// Alert fires a rule on a vintage that is not selected.
func (r *robot) Alert() {
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j", "a")
	r.Reply("price < 7")
	r.later(3 * time.Minute)
	r.poll(uitest.Market(-30))
	r.Press("j", "w")
}

func restarted(r *robot) *robot {
	next := newRobot(r.T, r.session.store)
	next.Now = r.Now.Add(time.Hour)
	next.Know()
	next.session.tellHistory(nil)
	next.listen()
	next.poll(uitest.Market(-30))
	return next
}

func TestHistorySurvivesRestartAndEnterGoesToVintage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("j", "a")
	r.Reply("price > 6.85")
	r.poll(uitest.Market(0))
	r.later(time.Minute)
	r.poll(priced(700))
	next := restarted(r)
	must.Equal(t, uitest.LastOf(next.Said), "1 rule fired while you were away", "at the start")
	next.Press("w", "enter")
	next.Sees("Bale Mountains · 2020  order book")
	key, _ := next.tab.list.table.CurrentKey()
	must.Hold(t, key == uitest.Key("003bale", 1) && !next.tab.panes.focused, "↵ went to", key)
	again := restarted(next)
	must.Hold(t, len(again.Said) == 0 && again.tab.Info().Badge == "",
		"seen alert notified again", again.Said, again.tab.Info().Badge)
}

func priced(price model.PriceCents) *market.Market {
	var part market.Page
	part.AddProject("003bale")
	for n, ask := range []model.PriceCents{620, price} {
		part.AddVintage(uitest.Key("003bale", n).VintageID, 2019+n)
		part.AddOrder(string(rune('a'+n)), 400*model.GramsPerTonne, ask)
	}
	return market.New(&part)
}

// FiredOnRequests sends alerts of rules on requests, of which the ledger knows three.
func (r *robot) FiredOnRequests() {
	var fired []store.Alert
	var ledger []*session.Request
	for n, id := range []string{"00m1", "00m2", "00m3", "00m4"} {
		fired = append(fired, store.Alert{
			Rule:  alert.Rule{Request: id, Measure: alert.State, Status: retirement.InProgress},
			ID:    int64(4 - n),
			At:    r.Now,
			Facts: alert.FactsOf(retirement.InProgress),
			Was:   alert.FactsOf(retirement.NothingToProcess),
			Seen:  true,
		})
		ledger = append(ledger, &session.Request{ID: id, Answer: &retirement.Request{ID: id, ProjectID: "003bale"}})
	}
	ledger[0].Label, ledger[3].Answer = "Q3 flights", nil
	r.Hear(
		session.AlertsEvent{Alerts: fired}, session.LedgerEvent{Requests: ledger},
		session.AnnotationsEvent{Journal: map[string]retirement.Journaled{"00m1": {References: []string{"x"}},
			"00m2": {References: []string{"order 7"}}}},
	)
}

// RequestChanges lets a rule on all requests fire in the store.
func (r *robot) RequestChanges() {
	of, ctx := r.session.store.Of(origin), r.T.Context()
	for n, status := range []retirement.Status{retirement.Open, retirement.Closed} {
		at := r.Now.Add(time.Duration(n) * time.Hour)
		err := errors.Join(
			of.Ledger.Remember(ctx, at, "00m1"),
			of.Ledger.Record(ctx, store.LookUp{ID: "00m1", At: at, Answer: &retirement.Request{ID: "00m1", Status: status}}),
			of.Alerts.AddRule(ctx, alert.Rule{Measure: alert.State}),
		)
		_, held := of.Alerts.Check(ctx, at, nil)
		must.Need(r.T, err == nil && held == nil, err, held)
	}
	r.session.tellHistory(nil)
	r.listen()
}

// Cheap is a market on which nine vintages cost a cent.
func (r *robot) Cheap() {
	var part market.Page
	for _, project := range []string{"003bale", "003baum", "003cabo"} {
		part.AddProject(project)
		for n := range 3 {
			part.AddVintage(uitest.Key(project, n).VintageID, 2020)
			part.AddOrder(project+string(rune('0'+n)), 5*model.GramsPerTonne, 1)
		}
	}
	r.poll(market.New(&part))
}

// DeskFires lets the first rule of the desk view and one of two on requests fire, an hour ago.
func (r *robot) DeskFires(seen bool) {
	closed := alert.Rule{Request: "00mclosed", Measure: alert.State, Status: retirement.Closed}
	complete := alert.Rule{Request: "00mcomplete", Measure: alert.State, Status: retirement.Complete}
	list, at := r.tab.watch.Watchlist, uitest.Now.Add(-time.Hour)
	r.Hear(
		session.WatchlistEvent{Edits: 2, Watchlist: list.WithRule(closed).WithRule(complete)},
		session.AlertsEvent{Alerts: []store.Alert{
			{Rule: list.Rules[0], ID: 2, At: at, Facts: alert.Facts{BestAsk: 599}, Seen: seen},
			{Rule: closed, ID: 1, At: at, Facts: alert.FactsOf(retirement.Closed), Seen: true},
		}},
		session.LedgerEvent{Requests: []*session.Request{{ID: "00mclosed", Label: "Q3 flights"}, {ID: "00mcomplete"},
			{ID: "00mother", Label: "no rule"}}},
		session.AnnotationsEvent{Journal: map[string]retirement.Journaled{"00mcomplete": {References: []string{"order 7"}}}},
	)
}
