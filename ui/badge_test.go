package ui

import (
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// whatFired returns a history of n unseen alerts.
func whatFired(n int) session.AlertsEvent {
	var fired []store.Alert
	for i := range n {
		fired = append(fired, store.Alert{
			Rule:  alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.Below, Price: 700},
			ID:    int64(n - i),
			At:    uitest.Now,
			Facts: alert.Facts{BestAsk: 620},
			Was:   alert.Facts{BestAsk: model.UnknownPrice},
		})
	}
	return session.AlertsEvent{Alerts: fired}
}

func TestBadgeDoesNotMoveTabLabels(t *testing.T) {
	t.Parallel()
	r := ready(t)
	header := func() string { return strings.SplitN(r.Text(), "\n", 2)[0] }
	before := header()
	for n, badge := range []string{"  ", "•1", "•2", 12: "9+"} {
		if badge == "" {
			continue
		}
		r.hear(whatFired(n))
		for _, key := range []string{"1", "3"} {
			r.Press(key)
			got := header()
			must.Hold(t, strings.Contains(got, "Market"+badge+" ") &&
				strings.Index(got, "3 Retirements") == strings.Index(before, "3 Retirements")+len(badge)-2,
				"with", n, key, got, before)
		}
	}
	r.Press("1", "w")
	must.Equal(t, uitest.LastOf(r.feed.Asked), "see alerts 12", "calls after w")
}
