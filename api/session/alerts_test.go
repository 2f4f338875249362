package session_test

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

func TestTheHistoryOutlivesTheSessionAndKnowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500, 450)}, store.Open(path))
		r.Record()
		if e := must[session.AlertsEvent](r); len(e.Alerts) != 0 {
			t.Errorf("at first the history is %+v", e)
		}
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		pause()
		e := must[session.AlertsEvent](r)
		if len(e.Alerts) != 1 || e.Alerts[0].Facts.BestAsk != 450 || e.Alerts[0].Was.BestAsk != 500 || e.Alerts[0].Seen {
			t.Fatalf("the history is %+v", e)
		}
		r.SeeAlerts(e.Alerts[0].ID, false)
		if now := must[session.AlertsEvent](r); !now.Alerts[0].Seen || e.Alerts[0].Seen {
			t.Errorf("seen is %+v, what was sent before %+v", now, e)
		}
		r.end()
		next := begin(t, &fake{market: offers(450)}, store.Open(path))
		next.Record()
		if e := must[session.AlertsEvent](next); len(e.Alerts) != 1 || !e.Alerts[0].Seen {
			t.Errorf("after a restart the history is %+v", e)
		}
	})
}

func TestAlertsOfOtherProgramsAreReported(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		pause()
		r.news()
		other := store.Open(path)
		defer other.Close()
		_, err := other.Of(origin).Alerts.Check(t.Context(), time.Now(), func(model.VintageKey) alert.Facts {
			return alert.Facts{BestAsk: 450, LastPaid: model.UnknownPrice}
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		e := must[session.AlertsEvent](r)
		if len(e.Fired) != 1 || len(e.Alerts) != 1 || e.Alerts[0].Facts.BestAsk != 450 {
			t.Errorf("%d fired, the history is %+v", len(e.Fired), e.Alerts)
		}
	})
}

func TestRequestsAreSeenByThemselves(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := open(t, &fake{market: offers(450), retirement: stateAfter(time.Hour)}, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		r.AddRule(onRequests(t, "changes"))
		r.Add(session.Entry{ID: "M1"})
		time.Sleep(3 * time.Hour)
		e := must[session.AlertsEvent](r)
		if len(e.Alerts) != 2 || e.Alerts[0].Request != "M1" {
			t.Fatalf("the history is %+v", e)
		}
		r.SeeAlerts(e.Alerts[0].ID, true)
		if e := must[session.AlertsEvent](r); !e.Alerts[0].Seen || e.Alerts[1].Seen {
			t.Errorf("seen is %+v", e)
		}
		kept, err := r.store.Of(origin).Alerts.After(t.Context(), 0)
		if err != nil || !kept[0].Seen || kept[1].Seen {
			t.Errorf("kept is %+v, %v", kept, err)
		}
	})
}

func TestRulesOnRequestsStandOnTheWatchList(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path, changes := file(t), onRequests(t, "changes")
		r := begin(t, &fake{}, store.Open(path))
		r.Record()
		r.AddRule(changes)
		r.AddRule(changes)
		complete := onRequests(t, "COMPLETE")
		r.AddRule(complete)
		e := must[session.WatchlistEvent](r)
		if len(e.Rules) != 2 || e.Edits != 3 {
			t.Errorf("the list is %+v", e)
		}
		r.RemoveRule(complete)
		r.end()
		next := begin(t, &fake{}, store.Open(path))
		next.Record()
		if now := must[session.WatchlistEvent](next); len(now.Rules) != 1 || now.Rules[0] != changes || len(e.Rules) != 2 {
			t.Errorf("the list is %+v, what was sent before %+v", now, e)
		}
	})
}

func TestAChoiceIsThereTheNextTime(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{}, store.Open(path))
		r.Record()
		if e := must[session.ChoicesEvent](r); len(e.Choices) != 0 {
			t.Errorf("at first %v is chosen", e.Choices)
		}
		r.Choose("market.desk", "on")
		r.end()
		next := begin(t, &fake{}, store.Open(path))
		next.Record()
		if e := must[session.ChoicesEvent](next); e.Choices["market.desk"] != "on" {
			t.Errorf("chosen is %v", e.Choices)
		}
	})
}
