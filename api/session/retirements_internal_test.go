package session

import (
	"testing"

	"tonne/model/alert"
	"tonne/model/store"
)

func TestFiredRequestsThatNobodyReadAreNotLost(t *testing.T) {
	t.Parallel()
	changes := alert.Rule{Measure: alert.State}
	first, second := AlertsEvent{Fired: []store.Alert{{Rule: changes, ID: 1}}}, AlertsEvent{Fired: []store.Alert{{Rule: changes, ID: 2}}}
	both := second.after(first).(AlertsEvent)
	if len(both.Fired) != 2 || both.Fired[0].ID != 1 || len(first.Fired) != 1 || len(second.Fired) != 1 {
		t.Errorf("%+v", both)
	}
}
