package retirement

import (
	"maps"
	"slices"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

type rules struct {
	// unseen are those that nobody has looked at, newest first, but for those that
	// were set on what was so already.
	unseen []store.Fired
	// marked are the requests of those that came up since the person left the tab.
	marked map[string]bool
	// set are the rules that are kept.
	set []store.RequestAlert
}

func (r *rules) take(e session.HistoryEvent, active bool) {
	r.unseen = slices.DeleteFunc(slices.Clone(e.Fired), func(f store.Fired) bool { return f.Request == "" || f.Seen || f.Already })
	marked := make(map[string]bool)
	if active {
		maps.Copy(marked, r.marked)
	}
	for _, f := range r.unseen {
		marked[f.Request] = true
	}
	r.marked = marked
}

func (t *Tab) askRule() effect.Effect {
	r, _ := t.ledger.Selected()
	return effect.Prompt{
		Title: "Tell me about " + r.Name() + " when", Hint: "changes    COMPLETE    CLOSED for 14 days    all COMPLETE: any request",
		Parse: func(typed string) (any, string) {
			a := store.RequestAlert{Request: r.ID}
			if rest, all := strings.CutPrefix(strings.ToLower(strings.TrimSpace(typed)), "all "); all {
				a.Request, typed = "", rest
			}
			var err error
			if a.Rule, err = model.ParseRequestRule(typed); err == nil && a.Request != "" && r.Answer != nil {
				err = a.Rule.Check(r.Answer.Status)
			}
			if err != nil {
				return nil, err.Error()
			}
			return ruleTyped(a), ""
		},
	}
}

type ruleTyped store.RequestAlert

func (t *Tab) addRule(typed ruleTyped) effect.Effect {
	on := "every request"
	if typed.Request != "" {
		on = t.name(typed.Request)
	}
	if slices.Contains(t.rules.set, store.RequestAlert(typed)) {
		return effect.Say("The rule on " + on + " is there already: " + typed.Rule.String() + ". w on the Market tab lists the rules.")
	}
	t.rules.set = append(slices.Clip(t.rules.set), store.RequestAlert(typed))
	t.session.AddRequestRule(store.RequestAlert(typed))
	return effect.Say("Rule added on " + on + ": " + typed.Rule.String() + ". w on the Market tab lists the rules.")
}

func (t *Tab) name(id string) string {
	if r, there := t.ledger.Find(id); there {
		return r.Name()
	}
	return id
}

func (t *Tab) fired(e session.RequestsFiredEvent) effect.Effect {
	news := slices.DeleteFunc(slices.Clone(e.Fired), func(f store.Fired) bool { return f.RequestRule.For == 0 && !f.Already })
	if len(news) == 0 {
		return nil
	}
	return effect.Notify{Text: t.sayFired(news)}
}

// history takes what fired: what fires before the eyes of the person is seen.
func (t *Tab) history(e session.HistoryEvent) effect.Effect {
	t.rules.take(e, t.active)
	if t.active {
		t.seeRules()
	}
	return t.markRules()
}

func (t *Tab) markRules() effect.Effect {
	if !t.ledger.MarkFired(t.rules.marked) {
		return nil
	}
	return t.show()
}

func (t *Tab) seeRules() {
	if len(t.rules.unseen) > 0 {
		t.session.SeeRequestAlerts(t.rules.unseen[0].ID)
		t.rules.unseen = nil
	}
}

func (t *Tab) lookAtRules() effect.Effect {
	if len(t.rules.unseen) == 0 {
		return nil
	}
	said := t.sayFired(t.rules.unseen)
	t.seeRules()
	return effect.Say(said)
}

// loudRules is how many rules are told one by one.
const loudRules = 3

func (t *Tab) sayFired(fired []store.Fired) string {
	if len(fired) > loudRules {
		return model.Count(len(fired), "rule", "rules") + " on requests fired. w on the Market tab lists them."
	}
	var said []string
	for _, f := range fired {
		says := t.name(f.Request) + ": " + f.RequestRule.Words()
		switch {
		case f.Already:
			says = "Holds already: " + f.RequestRule.Words() + " · " + t.name(f.Request) + " · rule added"
		case f.Since.IsZero():
			says += " · now " + f.Status.Words()
		}
		if !f.Since.IsZero() {
			says += " · seen " + f.Status.Words() + " for " + tab.Age(f.At.Sub(f.Since))
		}
		said = append(said, says)
	}
	return strings.Join(said, " | ")
}
