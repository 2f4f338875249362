package ui

import (
	"context"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/store"
	"tonne/ui/uitest"
)

func (r *robot) Fires() {
	r.hear(session.AlertsEvent{Fired: []store.Alert{{Rule: alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.AtMost, Price: 600}, Facts: alert.Facts{BestAsk: 590}, At: r.now}}})
}

func (r *robot) below() string { return strings.Split(r.Text(), "\n")[1] }

func TestAlertDoesNotReplaceStatusOrKeys(t *testing.T) {
	t.Parallel()
	for _, size := range [...][2]int{{60, 15}, {80, 24}, {120, 36}, {160, 45}} {
		for _, tab := range []string{"1", "2", "3"} {
			r := newRobotWith(t, size[0], size[1], func(o *Options) {
				o.Alarm = true
				o.Unfinished = func(context.Context) (int, error) { return 12, nil }
			})
			r.run(r.app.Init())
			r.settle()
			r.ShowInventory()
			r.Press(tab)
			footer := r.hints()
			r.Fires()
			uitest.Exact(t, r.frame(), size[0], size[1])
			line := r.below()
			must.Equal(t, r.hints(), footer, size, tab)
			must.Hold(t, strings.Contains(line, " ▲ best ask") &&
				strings.HasPrefix(line, " READ-ONLY · 12 unresolved ") && strings.Contains(r.Text(), production),
				size, tab, line)
			must.Hold(t, (size[0] != 80 || strings.Contains(line, "best ask ≤ $6.00 fired")) && (size[0] < 120 ||
				strings.Contains(line, "fired: Bale Mountains 2019")),
				size, tab, line)
			hint := map[string]string{"1": " · w shows it", "2": " · 1 w shows it", "3": " · 1 w shows it"}[tab]
			must.Hold(t, size[0] < 120 || strings.Contains(line, hint), size, tab, hint, line)
		}
	}
}
