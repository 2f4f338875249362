package ui

import (
	"context"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model/alert"
	"tonne/model/store"
	"tonne/ui/uitest"
)

func (r *robot) fires() {
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
			r.showInventory()
			r.Press(tab)
			footer := r.hints()
			r.fires()
			uitest.Exact(t, r.frame(), size[0], size[1])
			line := r.below()
			if got := r.hints(); got != footer {
				t.Errorf("%v, tab %s: footer %q, before %q", size, tab, got, footer)
			}
			if !strings.Contains(line, " ▲ best ask") || !strings.HasPrefix(line, " READ-ONLY · 12 unresolved ") || !strings.Contains(r.Text(), production) {
				t.Errorf("%v, tab %s: the alert line is %q", size, tab, line)
			}
			if size[0] == 80 && !strings.Contains(line, "best ask ≤ $6.00 fired") || size[0] >= 120 && !strings.Contains(line, "fired: Bale Mountains 2019") {
				t.Errorf("%v, tab %s: the alert is cut: %q", size, tab, line)
			}
			hint := map[string]string{"1": " · w shows it", "2": " · 1 w shows it", "3": " · 1 w shows it"}[tab]
			if size[0] >= 120 && !strings.Contains(line, hint) {
				t.Errorf("%v, tab %s: %q is not in %q", size, tab, hint, line)
			}
		}
	}
}
