package market

import (
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// alert fires a rule on a vintage that is not selected.
func (r *robot) alert() {
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j", "a")
	r.Reply("price < 7")
	r.later(3 * time.Minute)
	r.poll(uitest.Market(-30))
	r.Press("j", "w")
}

func TestRuleAlreadyMetWhenAddedIsNotCountedAsNews(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	r.Reply("price < 7")
	if badge, row := r.tab.Info().Badge, r.Line("$6.20"); badge != "" || strings.Contains(row, newMark) {
		t.Errorf("the badge is %q, the row %q", badge, row)
	}
	if again := restarted(r); len(again.Said) != 0 {
		t.Errorf("at the start: %q", again.Said)
	}
	r.Press("w")
	r.Sees("already met")
	r.SeesNot(newMark)
}

func restarted(r *robot) *robot {
	next := newRobot(r.T, r.session.store)
	next.Now = r.Now.Add(time.Hour)
	next.know()
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
	if said := uitest.LastOf(next.Said); said != "1 rule fired while you were away" {
		t.Errorf("at the start: %q", said)
	}
	next.Press("w", "enter")
	next.Sees("Bale Mountains · 2020  order book")
	if key, _ := next.tab.list.table.CurrentKey(); key != uitest.Key("003bale", 1) || next.tab.panes.focused {
		t.Errorf("↵ went to %v", key)
	}
	if again := restarted(next); len(again.Said) != 0 || again.tab.Info().Badge != "" {
		t.Errorf("seen alert notified again: %q, badge %q", again.Said, again.tab.Info().Badge)
	}
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

func TestRuleWithoutPriceShowsThatItWaits(t *testing.T) {
	t.Parallel()
	r := newRobot(t, nil)
	r.know()
	r.poll(uitest.Market(0))
	r.Press("a")
	r.Reply("drops 10%")
	r.Press("w")
	if line := r.Line("drops 10.0%"); !strings.Contains(line, "waits for an ask") {
		t.Errorf("rule line: %q", line)
	}
}

func TestHistoryListsFiredRequestRule(t *testing.T) {
	t.Parallel()
	r := settled(t)
	s, ctx := r.session.store, t.Context()
	for n, status := range []retirement.Status{retirement.Open, retirement.Closed} {
		at := r.Now.Add(time.Duration(n) * time.Hour)
		err := s.Of(origin).Ledger.Remember(ctx, at, "00m1")
		if err == nil {
			err = s.Of(origin).Ledger.Record(ctx, store.LookUp{ID: "00m1", At: at, Answer: &retirement.Request{ID: "00m1", Status: status}})
		}
		if err == nil {
			err = s.Of(origin).Alerts.AddRule(ctx, alert.Rule{Measure: alert.State})
		}
		if _, held := s.Of(origin).Alerts.Check(ctx, at, nil); err != nil || held != nil {
			t.Fatal(err, held)
		}
	}
	r.session.tellHistory(nil)
	r.listen()
	if badge := r.tab.Info().Badge; badge != "" {
		t.Errorf("Market badge: %q", badge)
	}
	r.Press("w")
	if line := r.Line("00m1"); !strings.Contains(line, "changes state") || !strings.Contains(line, "CLOSED") || !strings.Contains(line, "OPEN") {
		t.Errorf("history line: %q", line)
	}
	r.Press("enter")
	if said := uitest.LastOf(r.Said); said != "The Retirements tab shows 00m1." {
		t.Errorf("↵ says %q", said)
	}
}

func TestHistoryUsesRequestLabelAndStateNames(t *testing.T) {
	t.Parallel()
	r := settled(t)
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
	r.Hear(session.AlertsEvent{Alerts: fired}, session.AnnotationsEvent{Journal: map[string]retirement.Journaled{"00m1": {References: []string{"x"}}, "00m2": {References: []string{"order 7"}}}},
		session.LedgerEvent{Requests: ledger})
	r.Press("w")
	r.SeesNot("00m1", "00m2", "00m3", "IN_PROGRESS", "NOTHING_TO")
	for _, name := range []string{"Q3 flights", "order 7", "Bale Mountains  ", "00m4"} {
		r.Sees(name)
	}
	if line := r.Line("Q3 flights"); !strings.Contains(line, "becomes IN PROGRESS") || !strings.Contains(line, "NOTHING TO PROCESS") {
		t.Errorf("history line: %q", line)
	}
}
