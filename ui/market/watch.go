package market

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// watchlist is the vintages that are watched, with the rules on them. Its map
// and its list are never changed: the table and the store read them.
type watchlist struct {
	watched map[model.VintageKey]bool
	alerts  []store.Alert
	// edits counts what the person changed.
	edits int
	// only says that the table shows nothing else.
	only bool
}

// set takes what the store says.
func (w *watchlist) set(list watchlist) { w.watched, w.alerts = list.watched, list.alerts }

// mark puts a vintage on the list or takes it off, with its rules.
func (w *watchlist) mark(key model.VintageKey, on bool) {
	next := maps.Clone(w.watched)
	if next == nil {
		next = make(map[model.VintageKey]bool)
	}
	if on {
		next[key.Clone()] = true
	} else {
		delete(next, key)
		w.drop(func(a store.Alert) bool { return a.Vintage == key })
	}
	w.watched = next
	w.edits++
}

// drop takes rules off.
func (w *watchlist) drop(gone func(store.Alert) bool) {
	var left []store.Alert
	for _, a := range w.alerts {
		if !gone(a) {
			left = append(left, a)
		}
	}
	w.alerts = left
	w.edits++
}

// keep changes the watch list in the store.
func (t *Tab) keep(change func(ctx context.Context) error) effect.Effect {
	return t.memory.run(func() effect.Work {
		return func(ctx context.Context) any {
			err := change(ctx)
			if ctx.Err() != nil {
				err = nil
			}
			return listKept{err}
		}
	})
}

// listKept says that the watch list was written to the store, or why not.
type listKept struct{ err error }

func (t *Tab) kept(r listKept) effect.Effect {
	if r.err != nil {
		return effect.Warn("The watch list was not saved: " + r.err.Error() + ".")
	}
	return t.memory.complain()
}

// toggleWatch watches the selected vintage, or does so no longer.
func (t *Tab) toggleWatch() effect.Effect {
	r, _ := t.selected()
	key := r.key()
	if t.watch.watched[key] {
		return t.unwatch(key)
	}
	t.watch.mark(key, true)
	return effect.Batch(t.relabel(), t.storeWatch(key, true), effect.Say("Watching "+t.label(key)+". a adds a rule."))
}

func (t *Tab) unwatch(key model.VintageKey) effect.Effect {
	rules := 0
	for _, a := range t.watch.alerts {
		if a.Vintage == key {
			rules++
		}
	}
	said := t.label(key) + " is not watched any more."
	if rules > 0 {
		said = t.label(key) + " is not watched any more, nor " + tab.Count(rules, "rule", "rules") + " on it."
	}
	t.watch.mark(key, false)
	return effect.Batch(t.relabel(), t.storeWatch(key, false), effect.Say(said))
}

func (t *Tab) storeWatch(key model.VintageKey, on bool) effect.Effect {
	s, origin := t.memory.store, t.memory.origin
	return t.keep(func(ctx context.Context) error { return s.SetWatched(ctx, origin, key, on) })
}

// toggleOnly narrows the table to the watch list, or widens it again.
func (t *Tab) toggleOnly() effect.Effect {
	t.watch.only = !t.watch.only
	return t.relabel()
}

// relabel brings the table up to date with the watch list and the names.
func (t *Tab) relabel() effect.Effect {
	t.table.Show("watch", len(t.watch.watched) > 0)
	t.matchWatched()
	t.pane.watched.list()
	next := *t.rows
	next.projects = t.view.Projects
	return t.replace(&next)
}

// matchWatched narrows the table to what is watched now.
func (t *Tab) matchWatched() {
	if !t.watch.only {
		t.table.SetMatch(nil)
		return
	}
	watched := t.watch.watched
	t.table.SetMatch(func(r row) bool { return watched[r.key()] })
}

// label names a vintage in a sentence.
func (t *Tab) label(key model.VintageKey) string {
	return t.view.Projects.Name(key.ProjectID) + " " + t.view.VintageName(key)
}

// askRule lets the person type a rule on the selected vintage.
func (t *Tab) askRule() effect.Effect {
	r, _ := t.selected()
	key := r.key()
	return effect.Prompt{
		Title: "Tell me about " + t.label(key) + " when", Hint: "best ask <= 6.00    5% under last paid    available > 1000 t",
		Parse: func(typed string) (any, string) {
			rule, err := model.ParseRule(typed)
			switch {
			case errors.Is(err, model.ErrNotARule):
				return nil, "Like this: best ask <= 6.00 · 5% under last paid · available > 1000 t"
			case err != nil:
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
	t.watch.mark(key, true)
	t.watch.drop(func(a store.Alert) bool { return a.Vintage == key && a.Rule == rule })
	t.watch.alerts = append(t.watch.alerts, store.Alert{Vintage: key, Rule: rule})
	s, origin := t.memory.store, t.memory.origin
	add := t.keep(func(ctx context.Context) error { return s.AddRule(ctx, origin, key, rule) })
	return effect.Batch(t.relabel(), add, t.memory.survey(), effect.Say("Rule on "+t.label(key)+": "+rule.String()+". w lists the rules."))
}

func (t *Tab) removeRule(a store.Alert) effect.Effect {
	t.watch.drop(func(b store.Alert) bool { return a.Vintage == b.Vintage && a.Rule == b.Rule })
	s, origin := t.memory.store, t.memory.origin
	remove := t.keep(func(ctx context.Context) error { return s.RemoveRule(ctx, origin, a.Vintage, a.Rule) })
	return effect.Batch(t.relabel(), remove, effect.Say("The rule is removed. "+t.label(a.Vintage)+" is still watched."))
}

// loud is how many crossings are told one by one.
const loud = 3

// announce tells of rules that hold now and did not before.
func (t *Tab) announce(crossed []store.Alert) effect.Effect {
	var told []string
	for _, a := range crossed {
		told = append(told, t.label(a.Vintage)+": "+a.Rule.String()+t.fact(a))
	}
	switch {
	case len(told) == 0:
		return nil
	case len(told) > loud:
		return effect.Notify{Text: strconv.Itoa(len(told)) + " rules hold now. w lists them."}
	}
	return effect.Notify{Text: strings.Join(told, " | ")}
}

// fact says what a rule looks at, behind the rule.
func (t *Tab) fact(a store.Alert) string {
	facts := t.facts(a.Vintage)
	switch {
	case a.Rule.Measure == model.Available:
		return " · now " + t.view.Quantity(facts.Available)
	case facts.BestAsk.Known():
		return " · now " + facts.BestAsk.FormatDollars()
	}
	return ""
}
