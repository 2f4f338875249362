package session_test

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
)

func onRequests(t *testing.T, text string) alert.Rule {
	t.Helper()
	r, err := alert.ParseRequestRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARequestThatChangesItsStateFires(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := open(t, &fake{market: offers(500), retirement: stateAfter(time.Hour)}, store.Open(""))
		r.Record()
		r.AddRule(onRequests(t, "changes"))
		r.Add(session.Entry{ID: "M1"})
		time.Sleep(30 * time.Minute)
		if e, fired := fires(r); fired {
			t.Errorf("fired before anything changed: %+v", e)
		}
		time.Sleep(2 * time.Hour)
		e := must[session.AlertsEvent](r)
		if len(e.Fired) != 1 || e.Fired[0].Request != "M1" || e.Fired[0].Was.Status != retirement.Open || e.Fired[0].Facts.Status != retirement.Complete {
			t.Errorf("%+v", e.Fired)
		}
		all, err := r.store.Of(origin).Alerts.After(t.Context(), 0)
		if err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestAStateThatLastsFiresWithinAMinute(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := open(t, &fake{market: offers(500), retirement: stateAfter(1000 * time.Hour)}, store.Open(""))
		r.Record()
		r.Add(session.Entry{ID: "M1"})
		r.AddRule(onRequests(t, "OPEN for 5 hours"))
		time.Sleep(5*time.Hour - time.Minute)
		if e, fired := fires(r); fired {
			t.Errorf("fired too early: %+v", e)
		}
		time.Sleep(3 * time.Minute)
		if e := must[session.AlertsEvent](r); len(e.Fired) != 1 || e.Fired[0].Rule.String() != "OPEN for 5 hours" {
			t.Errorf("%+v", e.Fired)
		}
	})
}

func TestNoRuleOnRequestsIsHeldThatNobodyAskedForOrThatIsGone(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		for _, c := range []struct{ record, remove, fires bool }{{false, false, false}, {true, true, false}, {true, false, true}} {
			r := open(t, &fake{market: offers(500)}, store.Open(""))
			if c.record {
				r.Record()
			}
			complete := onRequests(t, "COMPLETE")
			complete.Request = "M1"
			r.AddRule(complete)
			if c.remove {
				r.RemoveRule(complete)
			}
			time.Sleep(time.Second)
			r.Add(session.Entry{ID: "M1"})
			time.Sleep(5 * time.Minute)
			if e, fired := fires(r); fired != c.fires {
				t.Errorf("%+v: %+v", c, e)
			}
			r.end()
		}
	})
}
