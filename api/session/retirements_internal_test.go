package session

import (
	"fmt"
	"testing"

	"tonne/model"
	"tonne/model/store"
)

func TestRequestsThatNobodyWaitsForAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRetirements(nil)
	r.request("followed").followed = true
	r.request("under way").news.Fetching = true
	r.lookUp("asked")
	for n := range 50 * mostAnswers {
		r.request(fmt.Sprint("R", n))
	}
	if len(r.requests) > mostAnswers {
		t.Errorf("%d are remembered", len(r.requests))
	}
	for _, id := range []string{"followed", "under way", "asked"} {
		if r.requests[id] == nil {
			t.Errorf("what is %s is forgotten", id)
		}
	}
}

func TestFiredRequestsThatNobodyReadAreNotLost(t *testing.T) {
	t.Parallel()
	changes := model.Rule{Measure: model.State}
	first, second := FiredEvent{Fired: []store.Fired{{ID: 1, Rule: changes}}}, FiredEvent{Fired: []store.Fired{{ID: 2, Rule: changes}}}
	both := second.after(first).(FiredEvent)
	if len(both.Fired) != 2 || both.Fired[0].ID != 1 || len(first.Fired) != 1 || len(second.Fired) != 1 {
		t.Errorf("%+v", both)
	}
}
