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
	"tonne/ui/tab"
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

func TestFiredRuleShowsBadgeAndMarkUntilSeen(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	r.Reply("price < 6")
	r.Press("j")
	if badge := r.tab.Info().Badge; badge != "" {
		t.Errorf("badge before a rule fired: %q", badge)
	}
	r.later(3 * time.Minute)
	r.poll(uitest.Market(-30))
	if badge := r.tab.Info().Badge; badge != "•1" || !strings.Contains(r.Line("$5.90"), "●") {
		t.Errorf("the badge is %q, the row %q", badge, r.Line("$5.90"))
	}
	r.Press("w")
	if badge := r.tab.Info().Badge; badge != "" || len(r.session.seen) != 1 {
		t.Errorf("history open: badge %q, seen %v", badge, r.session.seen)
	}
	r.Sees("Fired rules  history")
	if line := r.Line("best ask < $6.00"); !strings.Contains(line, "●") || !strings.Contains(line, "09:17 UTC") || !strings.Contains(line, "$5.90") || !strings.Contains(line, "$6.20") {
		t.Errorf("history line: %q", line)
	}
	r.Press("w")
	r.Sees("Watch list")
	r.SeesNot("●")
	r.Press("w", "w")
	r.Sees("Fired rules")
	r.SeesNot("●")
}

func TestRuleFiringWhileHistoryIsOpenIsSeen(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.alert()
	r.Press("esc", "esc", "k", "k", "a")
	r.Reply("price > 6.50")
	r.Press("w")
	r.later(time.Minute)
	r.poll(uitest.Market(70))
	r.Sees("best ask > $6.50")
	if badge := r.tab.Info().Badge; badge != "" || len(r.session.seen) != 2 {
		t.Errorf("the badge is %q, seen %v", badge, r.session.seen)
	}
	r.tab.Handle(tab.Hidden{})
	r.later(time.Minute)
	r.poll(uitest.Market(0))
	r.poll(uitest.Market(70))
	if badge := r.tab.Info().Badge; badge != "•1" {
		t.Errorf("fired on a hidden tab: badge %q", badge)
	}
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

func TestRequestRulesAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	r := settled(t)
	closed, err := alert.ParseRequestRule("CLOSED for 14 days")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []alert.Rule{closed.OnRequest("00m1"), alert.Rule{Measure: alert.State}} {
		r.session.edit(r.session.list.WithRule(a), r.session.store.Of(origin).Alerts.AddRule(t.Context(), a))
	}
	r.listen()
	r.Press("f", "w")
	r.Sees("00m1", "CLOSED for 14 days", "all retirements", "changes state")
	r.Press("enter", "G", "x")
	r.SeesNot("all retirements")
	r.Press("x")
	r.SeesNot("CLOSED for 14 days")
	if left, err := r.session.store.Of(origin).Alerts.Rules(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("stored rules: %v (%v)", left, err)
	}
	r.Sees("no rule yet")
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

func TestWatchListShowsWhenRequestRuleLastFired(t *testing.T) {
	t.Parallel()
	r := settled(t)
	closed := alert.Rule{Measure: alert.State, Status: retirement.Closed}
	for _, a := range []alert.Rule{closed.OnRequest("00m1"), closed.OnRequest("00m2"), closed} {
		r.session.edit(r.session.list.WithRule(a), nil)
	}
	r.session.put(nil, session.AlertsEvent{Alerts: []store.Alert{
		{Rule: closed.OnRequest("00m3"), ID: 2, At: r.Now, Seen: true},
		{Rule: closed.OnRequest("00m1"), ID: 1, At: r.Now.Add(-time.Hour), Since: r.Now.Add(-3 * time.Hour), Facts: alert.FactsOf(retirement.Closed), Seen: true},
	}})
	r.listen()
	r.Press("w")
	if line := r.Line("00m1"); !strings.Contains(line, "2 Nov 2026 08:14 UTC") || !strings.Contains(line, "CLOSED, seen for 2h") {
		t.Errorf("history line: %q", line)
	}
	r.Press("w")
	for on, want := range map[string]string{"00m1": "fired 1h ago", "00m2": "not yet", "all retirements": "fired 0s ago"} {
		if line := r.Line(on); !strings.Contains(line, want) {
			t.Errorf("rule on %s: line %q, want %q", on, line, want)
		}
	}
}

func TestAddingADuplicateRuleIsReported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for typed, want := range map[string]string{"price < 5": "best ask < $5.00", "drops 10%": "drops 10.0%"} {
		for _, says := range []string{"Rule added on Bale Mountains 2019: ", "The rule on Bale Mountains 2019 already exists: " + want + "."} {
			r.Press("a")
			if problem := r.Reply(typed); problem != "" || !strings.HasPrefix(uitest.LastOf(r.Said), says) {
				t.Errorf("%q: %s, says %q, want %q", typed, problem, uitest.LastOf(r.Said), says)
			}
		}
	}
	if n := len(r.session.list.Rules); n != 2 {
		t.Errorf("got %d rules", n)
	}
}

func TestRuleThatCanNeverFireIsRejected(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	if problem := r.Reply("price < 0"); problem != `"best ask < $0.00" never holds: no price is below $0.00` || len(r.session.list.Rules) != 0 {
		t.Errorf("problem: %q", problem)
	}
}
