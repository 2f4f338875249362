package market

import (
	"strings"
	"testing"
	"testing/synctest"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// This test measures memory, so it does not run in parallel.
func TestMemoryStaysFlatOverMonthsOfPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRobot(t, nil)
		polls := longtest.Runs(800, 60_000)
		uitest.Soak(t, r.Robot, polls, func(n int, news []session.Event) {
			for _, e := range news {
				r.View.Receive(e)
				cmd := r.tab.receive(e)
				if n%(polls/100) == 0 {
					r.Run(cmd)
					r.tab.Layout(width, height)
				}
			}
			r.tab.Expire(r.Now)
		})
	})
}

// An id is a slice of the text of a snapshot and would keep all of it in memory.
func TestChangesDoNotKeepSnapshotsAlive(t *testing.T) {
	r := newRobot(t, nil)
	const text, polls = 1 << 20, 60
	still := []byte(strings.Repeat("x", text))
	before := uitest.InUse()
	for n := range polls {
		part := &market.Page{}
		part.AddProject("p")
		part.AddVintage("v", 2020)
		part.AddOrder(string(still), 5_000_000, 900)
		part.AddOrder("o", 5_000_000, model.PriceCents(500+n))
		r.poll(market.New(part))
	}
	grown := uitest.InUse().Heap - before.Heap
	must.Hold(t, grown <= 10*text, grown>>20, polls)
	r.Press("v")
	r.Sees("▲ dearer")
}
