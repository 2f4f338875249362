package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/alert"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

var (
	// wellFormed matches dates with or without a time, and periods.
	wellFormed = regexp.MustCompile(`\d{1,2} [A-Z][a-z]{2} \d{4}(( \d\d:\d\d)?( –| to) \d{1,2} [A-Z][a-z]{2} \d{4})?( \d\d:\d\d(–\d\d:\d\d)?)? UTC`)
	// axis matches the line below a chart.
	axis = regexp.MustCompile(`UTC( {2,}(\d\d:\d\d|\d{4}|(\d{1,2} )?[A-Z][a-z]{2}))+ *($|│)`)
	// dated matches any date or time of day.
	dated = regexp.MustCompile(`(?i)\d{1,2} (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b.{0,20}|\d{4}-\d\d-\d\d.{0,20}|\d\d:\d\d.{0,8}`)
)

// datesOf returns the dates and times in a frame: those in the common format, and the others.
func datesOf(frame string) (good, bad []string) {
	for line := range strings.SplitSeq(frame, "\n") {
		line = axis.ReplaceAllString(line, "")
		good = append(good, wellFormed.FindAllString(line, -1)...)
		bad = append(bad, dated.FindAllString(wellFormed.ReplaceAllString(line, "✓"), -1)...)
	}
	return good, bad
}

// datedScreens are screens that show many dates.
var datedScreens = map[string]func(r *robot){
	"history": func(r *robot) {
		r.settle()
		past := whatFired(3)
		past.Alerts[1].At, past.Alerts[2].Since = uitest.Now.Add(-20*time.Hour), uitest.Now.Add(-20*time.Hour)
		past.Alerts = append(past.Alerts, store.Alert{Rule: alert.Rule{Request: "00mclosed", Measure: alert.State}, ID: 9, At: uitest.Now, Since: uitest.Now.Add(-time.Hour), Facts: alert.FactsOf(retirement.Closed)})
		r.hear(past)
		r.Press("w")
	},
	"watch list": func(r *robot) {
		r.settle()
		r.hear(whatFired(1), session.WatchlistEvent{Watchlist: session.Watchlist{}.WithRule(alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.Below, Price: 700})})
		r.Press("w", "w")
	},
	"changes": func(r *robot) {
		r.settle()
		r.hear(session.MissedMovesEvent{Since: uitest.Now.Add(-10 * time.Hour), At: uitest.Now, Moves: []session.MissedMove{{
			Was: store.Observation{Vintage: uitest.Key("003bale", 0), BestAsk: 600}, Now: store.Observation{Vintage: uitest.Key("003bale", 0), BestAsk: 620},
		}}})
		r.Press("v")
	},
	"moves of another day": func(r *robot) {
		r.settle()
		r.ShowInventory()
		e := uitest.Opened()
		e.Since = e.Since.Add(-40 * time.Hour)
		r.hear(e)
		r.Press("1")
	},
	"paused":    func(r *robot) { r.settle(); r.Press("space", "2") },
	"chart":     func(r *robot) { r.settle(); r.Press("c") },
	"statement": func(r *robot) { r.settle(); r.ShowRetirements(); r.Press("S") },
}

func TestAllScreensUseOneDateFormat(t *testing.T) {
	t.Parallel()
	found := 0
	for _, all := range []map[string]func(r *robot){screens, datedScreens} {
		for name, show := range all {
			for _, size := range sizes {
				r := newRobot(t, size[0], size[1])
				show(r)
				if r.app.dialog.shown() {
					continue // A dialog may cut a date below it.
				}
				good, bad := datesOf(r.Text())
				found += len(good)
				must.Hold(t, len(bad) == 0, name, size[0], size[1], bad)
			}
		}
	}
	r := settled(t, 160, 45)
	r.showDesk()
	_, bad := datesOf(r.Text())
	must.Hold(t, len(bad) == 0, "the desk view: dates in another format", bad)
	must.Hold(t, found >= 50, "only", found)
}
