package session

import (
	"testing"

	"tonne/model/alert"
	"tonne/model/store"
)

func TestFiredRequestsThatNobodyReadAreNotLost(t *testing.T) {
	t.Parallel()
	changes := alert.Rule{Measure: alert.State}
	first, second := FiredEvent{Fired: []store.Fired{{ID: 1, Rule: changes}}}, FiredEvent{Fired: []store.Fired{{ID: 2, Rule: changes}}}
	both := second.after(first).(FiredEvent)
	if len(both.Fired) != 2 || both.Fired[0].ID != 1 || len(first.Fired) != 1 || len(second.Fired) != 1 {
		t.Errorf("%+v", both)
	}
}
