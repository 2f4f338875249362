package market

import (
	"strconv"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// loud is how many crossings are told one by one.
const loud = 3

func (t *Tab) announce(fired []session.Fired) effect.Effect {
	var told []string
	for _, f := range fired {
		name, rule := t.label(f.Alert.Vintage), f.Alert.Rule.String()
		if f.Already {
			// A line that is cut has what came of it in front.
			told = append(told, "Holds already: "+rule+t.fact(f)+" · "+name+" · rule added")
			continue
		}
		told = append(told, rule+" fired: "+name+t.fact(f))
	}
	news := func() bool { return !t.onHistory() }
	switch {
	case len(told) == 0:
		return nil
	case len(told) > loud:
		return effect.Notify{Text: strconv.Itoa(len(told)) + " rules hold now", Hint: "w lists them", Holds: news}
	}
	return effect.Notify{Text: strings.Join(told, " | "), Hint: "w shows it", Holds: news}
}

func (t *Tab) fact(f session.Fired) string {
	said := ""
	if value := watched(t.view, f.Alert.Rule, f.Facts); value != "" {
		said = " · now " + value
	}
	if !f.Since.IsZero() {
		said += " · some time " + t.view.Between(f.Since, f.At)
	}
	return said
}

// watched is what a rule looks at, empty where nothing is known of it.
func watched(v *tab.View, r model.Rule, f model.Facts) string {
	switch {
	case r.Measure == model.Available && f.Available.Known():
		return v.Quantity(f.Available)
	case r.Measure != model.Available && f.BestAsk.Known():
		return f.BestAsk.FormatDollars()
	}
	return ""
}

// alerts are the rules that began to hold, as far as they are remembered.
type alerts struct {
	// fired is newest first.
	fired []store.Fired
	// heard says that what is remembered has come.
	heard bool
	// fresh are the entries that nobody had looked at when the history was opened:
	// they are marked until it is closed.
	fresh map[int64]bool
	// marked are the vintages of the entries that are marked.
	marked map[model.VintageKey]bool
}

func (t *Tab) showHistory(e session.HistoryEvent) effect.Effect {
	first := !t.alerts.heard
	t.alerts.heard, t.alerts.fired = true, e.Fired
	if t.onHistory() {
		t.lookAtAlerts()
	}
	t.alerts.mark()
	if n := t.alerts.waiting(); first && n > 0 {
		waiting := func() bool { return t.alerts.waiting() > 0 }
		return effect.Batch(t.relabel(), effect.Notify{Text: model.Count(n, "rule", "rules") + " fired while you were away", Hint: "w lists them", Quiet: true, Holds: waiting})
	}
	return t.relabel()
}

func (t *Tab) onHistory() bool { return t.shown && t.panes.shown == pane(t.panes.fired) }

// lookAtAlerts notes that the person has the history before their eyes.
func (t *Tab) lookAtAlerts() {
	unseen := false
	for _, f := range t.alerts.fired {
		if f.Seen {
			continue
		}
		if t.alerts.fresh == nil {
			t.alerts.fresh = make(map[int64]bool)
		}
		unseen = unseen || !t.alerts.fresh[f.ID]
		t.alerts.fresh[f.ID] = true
	}
	if unseen {
		t.session.SeeAlerts(t.alerts.fired[0].ID)
	}
}

func (t *Tab) leaveAlerts() {
	if t.alerts.fresh == nil || t.onHistory() {
		return
	}
	t.alerts.fresh = nil
	t.alerts.mark()
	t.listWatched()
	t.showMarks()
}

func (a *alerts) isNew(f store.Fired) bool { return !f.Already && (!f.Seen || a.fresh[f.ID]) }

func (a *alerts) isWaiting(f store.Fired) bool { return a.isNew(f) && !a.fresh[f.ID] }

func (a *alerts) mark() {
	a.marked = make(map[model.VintageKey]bool)
	for _, f := range a.fired {
		if f.Request == "" && a.isNew(f) {
			a.marked[f.Vintage] = true
		}
	}
}

// waiting counts the entries that nobody has looked at.
func (a *alerts) waiting() (n int) {
	for _, f := range a.fired {
		if a.isWaiting(f) {
			n++
		}
	}
	return n
}

func (a *alerts) badge() string {
	n := 0
	for _, f := range a.fired {
		if f.Request == "" && a.isWaiting(f) {
			n++
		}
	}
	return tab.NewsBadge(n)
}

func (a *alerts) last(key model.VintageKey, rule model.Rule) (store.Fired, bool) {
	for _, f := range a.fired {
		if f.Request == "" && f.Vintage == key && f.Rule == rule {
			return f, true
		}
	}
	return store.Fired{}, false
}

func (a *alerts) lastOn(rule store.RequestAlert) (store.Fired, bool) {
	for _, f := range a.fired {
		if f.Request != "" && f.RequestRule == rule.Rule && (rule.Request == "" || rule.Request == f.Request) {
			return f, true
		}
	}
	return store.Fired{}, false
}
