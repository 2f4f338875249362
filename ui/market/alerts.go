package market

import (
	"cmp"
	"strconv"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// watching is the watch list and the rules that fired. Edits show at once, before the session confirms them.
type watching struct {
	view    *tab.View
	session Session
	session.Watchlist
	fired []store.Alert
	heard bool
	// fresh are the alerts that were new when the history was opened. They stay marked until it is closed.
	fresh    map[int64]bool
	marked   map[model.VintageKey]bool
	list     *watchlistPane
	history  *firedPane
	edits    int
	requests []*session.Request
	journal  map[string]retirement.Journaled
	// removed are the rules of vintages that are no longer watched. They return if the user watches one again.
	removed map[model.VintageKey][]alert.Rule
	next    watchKey
}

func newWatching(v *tab.View, s Session) *watching {
	return &watching{
		view: v, session: s, list: newWatchlistPane(v), history: newFiredPane(v),
		fresh: make(map[int64]bool), removed: make(map[model.VintageKey][]alert.Rule),
	}
}

// called returns the display names of requests: the label, the reference, or the project.
func (w *watching) called() map[string]string {
	names := make(map[string]string)
	if len(w.Rules)+len(w.fired) == 0 {
		return names
	}
	for id, call := range w.journal {
		names[id] = call.Reference()
	}
	for _, r := range w.requests {
		project := ""
		if r.Answer != nil {
			project = w.view.Projects[r.Answer.ProjectID].Name
		}
		names[r.ID] = cmp.Or(r.Label, names[r.ID], project)
	}
	return names
}

func (w *watching) show(now *rows) {
	called := w.called()
	w.list.list(w, now, called)
	fired := make([]firedRow, len(w.fired))
	for i, f := range w.fired {
		fired[i] = firedRow{f, w.isNew(f), called[f.Request]}
	}
	w.history.table.SetSource(table.List(fired, func(r firedRow) int64 { return r.ID }))
	if w.next != (watchKey{}) {
		w.list.table.Select(w.next)
		w.next = watchKey{}
	}
}

func (w *watching) take(e session.WatchlistEvent) bool {
	if e.Edits < w.edits {
		return false
	}
	on, _ := w.list.table.Current()
	w.Watchlist, w.edits = e.Watchlist, e.Edits
	for _, r := range e.Rules {
		// The session adds the starting price to a rule such as "drops 10%": it is still the same rule.
		if on.ruled && on.Waits() && r == on.From(r.Price) {
			w.next = watchKey{VintageKey: r.Vintage, rule: r.String()}
		}
	}
	return true
}

func (w *watching) edited(list session.Watchlist, said string) effect.Effect {
	w.Watchlist = list
	w.edits++
	return effect.Say(said)
}

func (w *watching) toggle(key model.VintageKey) effect.Effect {
	key = key.Clone()
	if w.Watched[key] {
		return w.unwatch(key)
	}
	rules, list, name := w.removed[key], w.With(key), w.view.Label(key)
	delete(w.removed, key)
	w.session.Watch(key, true)
	for _, rule := range rules {
		w.session.AddRule(rule)
		list = list.WithRule(rule)
		w.edits++
	}
	if len(rules) > 0 {
		return w.edited(list, "Watching "+name+" again, with "+model.Count(len(rules), "rule", "rules")+". w lists them.")
	}
	return w.edited(list, "Watching "+name+". a adds a rule.")
}

func (w *watching) unwatch(key model.VintageKey) effect.Effect {
	rules, said := []alert.Rule(nil), w.view.Label(key)+" is no longer watched."
	for _, r := range w.Rules {
		if r.Vintage == key {
			rules = append(rules, r)
		}
	}
	if len(rules) > 0 {
		w.removed[key] = rules
		said = "Unwatched, " + model.Count(len(rules), "rule", "rules") + " removed; f restores " + w.view.Label(key) + "."
	}
	w.session.Watch(key, false)
	return w.edited(w.Without(key), said)
}

func parseRule(typed string) (rule alert.Rule, problem string) {
	rule, err := alert.ParseRule(typed)
	if err == nil {
		err = rule.Check("")
	}
	if err != nil {
		return rule, err.Error()
	}
	return rule, ""
}

func (w *watching) addRule(key model.VintageKey, rule alert.Rule, ask model.PriceCents) effect.Effect {
	key = key.Clone()
	rule = rule.On(key)
	started, name := rule.From(ask), w.view.Label(key)
	for _, r := range w.Rules {
		if r == rule || r == started {
			return effect.Say("The rule on " + name + " already exists: " + r.String() + ". w lists the rules.")
		}
	}
	w.session.AddRule(rule)
	w.next = watchKey{VintageKey: key, rule: rule.String()}
	paid := w.view.LastPaidPrice(key)
	return w.edited(w.WithRule(rule), "Rule added on "+name+": "+rule.WithPrice(paid)+". w lists the rules.")
}

func (w *watching) remove() effect.Effect {
	r, _ := w.list.table.Current()
	if !r.ruled {
		return w.unwatch(r.Vintage)
	}
	said := "Rule removed."
	if !r.Rule.OnRequests() {
		said += " " + w.view.Label(r.Vintage) + " is still watched."
	}
	w.session.RemoveRule(r.Rule)
	return w.edited(w.WithoutRule(r.Rule), said)
}

func (w *watching) marksAny() bool { return len(w.Watched)+len(w.marked) > 0 }

func (w *watching) markCell(c *style.Cell, r row) {
	switch key := r.key(); {
	case w.marked[key]:
		c.Put(style.Warning, newMark)
	case w.Watched[key]:
		c.Put(style.Accent, "◆")
	}
}

// mostShown limits the fired rules that a notification lists.
const mostShown = 3

func (w *watching) announce(fired []store.Alert, news func() bool) effect.Effect {
	var lines []string
	for _, f := range fired {
		if f.Rule.OnRequests() {
			continue
		}
		name, rule := w.view.Label(f.Vintage), f.WithPrice(f.Facts.LastPaid)
		if f.Already {
			// The outcome comes first, because a long line is cut at its end.
			lines = append(lines, "Already met: "+rule+w.fact(f)+" · "+name+" · rule added")
			continue
		}
		lines = append(lines, rule+" fired: "+name+w.fact(f))
	}
	switch {
	case len(lines) == 0:
		return nil
	case len(lines) > mostShown:
		return effect.Notify{Text: strconv.Itoa(len(lines)) + " rules fired", Hint: "w lists them", Holds: news}
	}
	return effect.Notify{Text: strings.Join(lines, " | "), Hint: "w shows it", Holds: news}
}

func (w *watching) fact(f store.Alert) string {
	said := ""
	if value := watched(f.Rule, f.Facts); !value.IsNull() {
		said = " · now " + value.Format(w.view.Units())
	}
	if !f.Since.IsZero() {
		said += " · some time " + w.view.Between(f.Since, f.At)
	}
	return said
}

func (w *watching) takeHistory(e session.AlertsEvent, looking bool) effect.Effect {
	first := !w.heard
	w.heard, w.fired = true, e.Alerts
	if looking {
		w.look()
	}
	w.mark()
	if _, n := w.waiting(); first && n > 0 {
		said := model.Count(n, "rule", "rules") + " fired while you were away"
		return effect.Notify{Text: said, Hint: "w lists them", Quiet: true, Holds: func() bool {
			_, n := w.waiting()
			return n > 0
		}}
	}
	return nil
}

func (w *watching) look() {
	unseen := false
	for _, f := range w.fired {
		if !f.Seen {
			unseen = unseen || !w.fresh[f.ID]
			w.fresh[f.ID] = true
		}
	}
	if unseen {
		w.session.SeeAlerts(w.fired[0].ID, false)
	}
}

func watched(r alert.Rule, f alert.Facts) field.Value {
	price, quantity, state := r.Watched(f)
	switch {
	case quantity.Known():
		return field.Grams(quantity)
	case price.Known():
		return field.Price(price)
	}
	return field.Optional(string(state))
}

func (w *watching) leave() bool {
	left := len(w.fresh) > 0
	if left {
		clear(w.fresh)
		w.mark()
	}
	return left
}

func (w *watching) isNew(f store.Alert) bool { return !f.Already && (!f.Seen || w.fresh[f.ID]) }

func (w *watching) mark() {
	w.marked = make(map[model.VintageKey]bool)
	for _, f := range w.fired {
		if f.Request == "" && w.isNew(f) {
			w.marked[f.Vintage] = true
		}
	}
}

func (w *watching) waiting() (onVintages, all int) {
	for _, f := range w.fired {
		if w.isNew(f) && !w.fresh[f.ID] {
			all++
			if f.Request == "" {
				onVintages++
			}
		}
	}
	return onVintages, all
}

func (w *watching) last(rule alert.Rule) (store.Alert, bool) {
	for _, f := range w.fired {
		on := f.Rule
		if rule.Request == "" {
			on.Request = ""
		}
		if on == rule {
			return f, true
		}
	}
	return store.Alert{}, false
}
