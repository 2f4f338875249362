package inventory

import (
	"testing"
	"testing/synctest"

	"tonne/api/session"
	"tonne/model/longtest"
	"tonne/ui/uitest"
)

// This test measures memory, so it does not run in parallel.
func TestInventoryTabRunsForWeeksInFlatMemory(t *testing.T) {
	longtest.Only(t)
	if longtest.Race {
		t.Skip("takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRobot(t)
		const polls = 6_000
		uitest.Soak(t, r.Robot, polls, func(_ int, news []session.Event) {
			r.Hear(news...)
			r.tab.Layout(120, 32)
			r.tab.Expire(r.Now)
		})
	})
}
