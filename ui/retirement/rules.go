package retirement

import (
	"maps"
	"slices"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

type rules struct {
	ledger *ledger.Ledger
	// unseen are the alerts that the user has not seen, newest first, except those that were
	// already met when their rule was added.
	unseen []store.Alert
	// marked are the requests with alerts since the user left the tab.
	marked map[string]bool
	set    []alert.Rule
}

func (r *rules) take(e session.AlertsEvent, active bool) {
	r.unseen = slices.DeleteFunc(slices.Clone(e.Alerts),
		func(f store.Alert) bool { return f.Request == "" || f.Seen || f.Already })
	marked := make(map[string]bool)
	if active {
		maps.Copy(marked, r.marked)
	}
	for _, f := range r.unseen {
		marked[f.Request] = true
	}
	r.marked = marked
}

func (t *Tab) askRule(r ledger.Row) effect.Effect {
	return tab.Prompt{
		Title: "Add a rule on " + r.Name(), Hint: "changes · COMPLETE · CLOSED for 14 days · all COMPLETE: any request",
		Enter: func(typed string) (effect.Effect, string) {
			id := r.ID
			if rest, all := strings.CutPrefix(strings.ToLower(strings.TrimSpace(typed)), "all "); all {
				id, typed = "", rest
			}
			rule, err := alert.ParseRequestRule(typed)
			if rule.Request = id; err == nil && id != "" && r.Answer != nil {
				err = rule.Check(r.Answer.Status)
			}
			if err != nil {
				return nil, err.Error()
			}
			said, added := t.rules.add(rule)
			if !added {
				return effect.Say(said), ""
			}
			t.session.AddRule(rule)
			return effect.Batch(effect.Say(said), effect.Undo{What: "the rule " + rule.Words(), Do: func() effect.Effect {
				t.session.RemoveRule(rule)
				t.rules.set = slices.DeleteFunc(slices.Clone(t.rules.set), func(r alert.Rule) bool { return r == rule })
				return nil
			}}), ""
		},
	}.Ask()
}

func (r *rules) add(a alert.Rule) (said string, added bool) {
	on := "every request"
	if a.Request != "" {
		on = r.name(a.Request)
	}
	if slices.Contains(r.set, a) {
		return "The rule on " + on + " already exists: " + a.String() + ". w on the Market tab lists the rules.", false
	}
	r.set = append(slices.Clip(r.set), a)
	return "Rule added on " + on + ": " + a.String() + ". w on the Market tab lists the rules.", true
}

func (r *rules) name(id string) string {
	if of, there := r.ledger.Find(id); there {
		return of.Name()
	}
	return id
}

func (r *rules) fired(e session.AlertsEvent) effect.Effect {
	news := slices.DeleteFunc(slices.Clone(e.Fired),
		func(f store.Alert) bool { return !f.Rule.OnRequests() || f.Rule.For == 0 && !f.Already })
	if len(news) == 0 {
		return nil
	}
	return effect.Notify{Text: r.say(news)}
}

const loudRules = 3

func (r *rules) say(fired []store.Alert) string {
	if len(fired) > loudRules {
		return model.Count(len(fired), "rule", "rules") + " on requests fired. w on the Market tab lists them."
	}
	var said []string
	for _, f := range fired {
		says := r.name(f.Request) + ": " + f.Rule.Words()
		switch {
		case f.Already:
			says = "Already met: " + f.Rule.Words() + " · " + r.name(f.Request) + " · rule added"
		case f.Since.IsZero():
			says += " · now " + f.Facts.Status.Words()
		}
		if !f.Since.IsZero() {
			says += " · seen " + f.Facts.Status.Words() + " for " + tab.Age(f.At.Sub(f.Since))
		}
		said = append(said, says)
	}
	return strings.Join(said, " | ")
}
