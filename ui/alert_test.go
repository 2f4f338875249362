package ui

import (
	"context"
	"strings"
	"testing"
	"time"

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

func TestAlertJourneys(t *testing.T) {
	t.Parallel()
	// keeps checks that the footer has the keys, and nothing was sent to the terminal.
	keeps := func(r *robot) {
		if !strings.Contains(r.hints(), "? help") || len(r.raw) > 0 {
			r.T.Errorf("footer %q, sent to the terminal: %q", r.hints(), r.raw)
		}
	}
	uitest.Journeys[*robot]{
		"an alert stays until the history is opened": {
			{Do: (*robot).fires},
			{Keys: "j 2 1", Line: "READ-ONLY|fired: Bale Mountains 2019"},
			{Do: hears(whatFired(1))},
			{Keys: "w", Line: "READ-ONLY", Lacks: "fired: Bale"},
		},
		"an alert stays for a minute": {
			{Do: (*robot).fires, Sees: "fired: Bale"},
			{Do: func(r *robot) { r.now = r.now.Add(time.Minute) }},
			{Keys: "j", Lacks: "fired: Bale"},
		},
		"alerts while away are shown without a notification": {
			{Do: hears(whatFired(2)), Line: "READ-ONLY|▲ 2 rules fired while you were away · w lists them"},
			{Do: keeps},
			// Their count does not replace an alert.
			{Do: (*robot).fires},
			{Do: hears(whatFired(3)), Line: "READ-ONLY|fired: Bale Mountains 2019"},
		},
	}.Each(t, ready)
}
