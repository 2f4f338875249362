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
	next     watchKey
	// changed shows an edit that was undone.
	changed func() effect.Effect
}

func newWatching(v *tab.View, s Session) *watching {
	return &watching{
		view: v, session: s, list: newWatchlistPane(v), history: newFiredPane(v),
		fresh: make(map[int64]bool),
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

// edit shows a list that the session has not confirmed yet.
func (w *watching) edit(list session.Watchlist) {
	w.Watchlist = list
	w.edits++
}

// undo records how to undo an edit of the watch list.
func (w *watching) undo(what string, do func()) effect.Effect {
	return effect.Undo{What: what, Do: func() effect.Effect {
		do()
		return w.changed()
	}}
}

// toggle watches or unwatches a vintage. It asks before it removes rules.
func (w *watching) toggle(key model.VintageKey) effect.Effect {
	key = key.Clone()
	name := w.view.Label(key)
	if w.Watched[key] {
		if n := len(w.rulesOn(key)); n > 0 {
			return tab.Question{
				Title: "Unwatch " + name, Yes: "removes " + model.Count(n, "rule", "rules"), Lines: w.ruleLines(key),
				Do: func() effect.Effect { return effect.Batch(w.unwatch(key), w.changed()) },
			}.Ask()
		}
		return w.unwatch(key)
	}
	w.watch(key)
	return effect.Batch(effect.Say("Watching "+name+". a adds a rule."),
		w.undo("watching "+name, func() { w.unwatch(key) }))
}

func (w *watching) watch(key model.VintageKey, rules ...alert.Rule) {
	w.session.Watch(key, true)
	w.edit(w.With(key))
	for _, r := range rules {
		w.session.AddRule(r)
		w.edit(w.WithRule(r))
	}
}

func (w *watching) unwatch(key model.VintageKey) effect.Effect {
	rules, name := w.rulesOn(key), w.view.Label(key)
	said := name + " is no longer watched."
	if len(rules) > 0 {
		said = "Unwatched, " + model.Count(len(rules), "rule", "rules") + " removed; Z restores " + name + "."
	}
	w.session.Watch(key, false)
	w.edit(w.Without(key))
	return effect.Batch(effect.Say(said), w.undo("unwatching "+name, func() { w.watch(key, rules...) }))
}

func (w *watching) rulesOn(key model.VintageKey) (rules []alert.Rule) {
	for _, r := range w.Rules {
		if r.Vintage == key {
			rules = append(rules, r)
		}
	}
	return rules
}

func (w *watching) ruleLines(key model.VintageKey) (lines []string) {
	for _, r := range w.rulesOn(key) {
		lines = append(lines, r.WithPrice(w.view.LastPaidPrice(key)))
	}
	return lines
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
	watched := w.Watched[key]
	w.session.AddRule(rule)
	w.next = watchKey{VintageKey: key, rule: rule.String()}
	w.edit(w.WithRule(rule))
	said := "Rule added on " + name + ": " + rule.WithPrice(w.view.LastPaidPrice(key)) + ". w lists the rules."
	return effect.Batch(effect.Say(said), w.undo("the rule on "+name, func() {
		w.removeRule(rule)
		if !watched {
			w.unwatch(key)
		}
	}))
}

// removeRule removes a rule, also if it has received its starting price since.
func (w *watching) removeRule(rule alert.Rule) {
	for _, r := range w.Rules {
		if r == rule || r == rule.From(r.Price) {
			w.edit(w.WithoutRule(r))
		}
	}
	w.session.RemoveRule(rule)
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
	w.removeRule(r.Rule)
	return effect.Batch(effect.Say(said), w.undo("removing the rule "+r.Rule.String(), func() {
		w.session.AddRule(r.Rule)
		w.edit(w.WithRule(r.Rule))
	}))
}

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
