package market

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
)

// watchlist is the watch list as the person sees it: an edit shows at once,
// before the session tells it.
type watchlist struct {
	session.Watchlist
	// edits is how many edits the session was asked for.
	edits int
	// only says that the table shows nothing else.
	only bool
	// requests are those of the ledger, journal what this machine has of them.
	requests []*session.Request
	journal  map[string]model.Journaled
	// gone are the rules that went with their vintages in this run.
	gone map[model.VintageKey][]model.Rule
}

// called returns what people call the requests that rules are on, or fired on: by
// their own label, or else by the reference that they were retired for, or by
// their project.
func (w *watchlist) called(fired []store.Fired, projects model.Projects) map[string]string {
	names := make(map[string]string)
	for _, a := range w.Requests {
		names[a.Request] = w.journal[a.Request].Reference()
	}
	for _, f := range fired {
		names[f.Request] = w.journal[f.Request].Reference()
	}
	if len(names) == 0 {
		return nil
	}
	for _, r := range w.requests {
		reference, asked := names[r.ID]
		switch {
		case asked && r.Label != "":
			names[r.ID] = r.Label
		case asked && reference == "" && r.Answer != nil:
			names[r.ID] = projects[r.Answer.ProjectID].Name
		}
	}
	return names
}

func (t *Tab) listWatched() {
	called := t.watch.called(t.alerts.fired, t.view.Projects)
	t.panes.watched.list(t.watch.Watchlist, t.rows, &t.alerts, called)
	t.panes.fired.list(&t.alerts, called)
}

func (t *Tab) showWatchlist(e session.WatchlistEvent) effect.Effect {
	if e.Edits < t.watch.edits {
		return nil
	}
	on, _ := t.panes.watched.table.Current()
	t.watch.Watchlist, t.watch.edits = e.Watchlist, e.Edits
	shown := t.relabel()
	for _, a := range e.Alerts {
		// The session starts a move from a price: it is the same rule.
		if on.ruled && on.Rule.Waits() && a.Vintage == on.Vintage && a.Rule == on.Rule.From(a.Rule.Price) {
			t.panes.watched.table.Select(watchKey{VintageKey: a.Vintage, rule: a.Rule.String()})
		}
	}
	return shown
}

func (t *Tab) edited(list session.Watchlist) effect.Effect {
	t.watch.Watchlist = list
	t.watch.edits++
	return t.relabel()
}

func (t *Tab) toggleWatch() effect.Effect {
	r, _ := t.selected()
	key := r.key().Clone()
	if t.watch.Watched[key] {
		return t.unwatch(key)
	}
	rules, list := t.watch.gone[key], t.watch.With(key)
	delete(t.watch.gone, key)
	t.session.Watch(key, true)
	shown := t.edited(list)
	for _, rule := range rules {
		t.session.AddRule(key, rule)
		list = list.WithRule(key, rule)
		shown = t.edited(list)
	}
	said := "Watching " + t.label(key) + ". a adds a rule."
	if len(rules) > 0 {
		said = "Watching " + t.label(key) + " again, with " + model.Count(len(rules), "rule", "rules") + ". w lists them."
	}
	return effect.Batch(shown, effect.Say(said))
}

func (t *Tab) unwatch(key model.VintageKey) effect.Effect {
	var rules []model.Rule
	for _, a := range t.watch.Alerts {
		if a.Vintage == key {
			rules = append(rules, a.Rule)
		}
	}
	said := t.label(key) + " is not watched any more."
	if len(rules) > 0 {
		if t.watch.gone == nil {
			t.watch.gone = make(map[model.VintageKey][]model.Rule)
		}
		t.watch.gone[key] = rules
		said = "Unwatched, " + model.Count(len(rules), "rule", "rules") + " removed; f brings back " + t.label(key) + "."
	}
	t.session.Watch(key, false)
	return effect.Batch(t.edited(t.watch.Without(key)), effect.Say(said))
}

func (t *Tab) toggleOnly() effect.Effect {
	t.watch.only = !t.watch.only
	return effect.Batch(t.relabel(), t.reckon())
}

func (t *Tab) relabel() effect.Effect {
	t.showMarks()
	t.matchWatched()
	next := *t.rows
	return t.replace(&next)
}

func (t *Tab) showMarks() {
	t.table.Show("watch", len(t.watch.Watched)+len(t.alerts.marked) > 0)
}

func (t *Tab) matchWatched() {
	if !t.watch.only {
		t.table.SetMatch(nil)
		return
	}
	watched := t.watch.Watched
	t.table.SetMatch(func(r row) bool { return watched[r.key()] })
}

func (t *Tab) label(key model.VintageKey) string {
	return t.view.Projects.Name(key.ProjectID) + " " + t.view.VintageName(key)
}

func (t *Tab) askRule() effect.Effect {
	r, _ := t.selected()
	key := r.key()
	return effect.Prompt{
		Title: "Tell me about " + t.label(key) + " when", Hint: "price < 5    drops 10%    5% under last paid    500 tonnes",
		Parse: func(typed string) (any, string) {
			rule, err := model.ParseRule(typed)
			if err == nil {
				err = rule.Check()
			}
			if err != nil {
				return nil, err.Error()
			}
			return ruleTyped{key, rule}, ""
		},
	}
}

// ruleTyped is a rule on a vintage.
type ruleTyped struct {
	vintage model.VintageKey
	rule    model.Rule
}

func (t *Tab) addRule(key model.VintageKey, rule model.Rule) effect.Effect {
	key = key.Clone()
	started := rule.From(t.rows.market.Facts(key, nil).BestAsk)
	for _, a := range t.watch.Alerts {
		if a.Vintage == key && (a.Rule == rule || a.Rule == started) {
			return effect.Say("The rule on " + t.label(key) + " is there already: " + a.Rule.String() + ". w lists the rules.")
		}
	}
	t.session.AddRule(key, rule)
	shown := t.edited(t.watch.WithRule(key, rule))
	t.panes.watched.table.Select(watchKey{VintageKey: key, rule: rule.String()})
	return effect.Batch(shown, effect.Say("Rule added on "+t.label(key)+": "+rule.String()+". w lists the rules."))
}

func (t *Tab) removeRule(key model.VintageKey, rule model.Rule) effect.Effect {
	t.session.RemoveRule(key, rule)
	return effect.Batch(t.edited(t.watch.WithoutRule(key, rule)), effect.Say("The rule is removed. "+t.label(key)+" is still watched."))
}

func (t *Tab) whyNotRemove() string {
	if t.panes.shown != pane(t.panes.watched) {
		return "w lists what is watched; there x removes a rule."
	}
	if t.panes.watched.table.Len() == 0 {
		return "Nothing is watched yet."
	}
	return ""
}

func (t *Tab) remove() effect.Effect {
	switch r, _ := t.panes.watched.table.Current(); {
	case r.onRequests:
		return t.removeRequestRule(r.request)
	case r.ruled:
		return t.removeRule(r.Vintage, r.Rule)
	default:
		return t.unwatch(r.Vintage)
	}
}

func (t *Tab) removeRequestRule(a store.RequestAlert) effect.Effect {
	t.session.RemoveRequestRule(a)
	return effect.Batch(t.edited(t.watch.WithoutRequestRule(a)), effect.Say("The rule is removed."))
}
