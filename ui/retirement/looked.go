package retirement

import (
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/importer"
	"tonne/ui/retirement/ledger"
)

// looked is the request that the person looks at, and the state in which they
// looked at it before: that is told for as long as they stay.
type looked struct {
	id     string
	before model.RetirementStatus
}

func (l looked) was(r ledger.Row) model.RetirementStatus {
	switch {
	case r.Changed():
		return r.Looked
	case r.ID == l.id && r.Answer != nil && r.Answer.Status != l.before:
		return l.before
	}
	return ""
}

func (t *Tab) look() {
	r, ok := t.ledger.Selected()
	if !ok || r.ID == t.looked.id && !r.Changed() {
		return
	}
	t.looked = looked{id: r.ID}
	if r.Changed() {
		t.looked.before = r.Looked
		t.session.Look(r.ID)
	}
}

type leftOut struct {
	lines []string
	// shown says that the person has seen them.
	shown bool
}

func (l *leftOut) take(found importer.Found) {
	if len(found.IDs)+len(found.Left) > 0 {
		*l = leftOut{found.Left, found.Told}
	}
}

func (t *Tab) showLeft() effect.Effect {
	t.left.shown = true
	return importer.ShowLeft(t.left.lines)
}

func (t *Tab) whyNothingLeft() string {
	if len(t.left.lines) == 0 {
		return "Nothing was left out."
	}
	return ""
}

func (t *Tab) whyNotSeen() string {
	switch r, ok := t.ledger.Selected(); {
	case !ok || r.Answer == nil:
		return "Only a request that was found can be seen."
	case t.o.Who == "":
		return "It is not known who you are: set USER."
	}
	return ""
}

type confirmed struct{ model.BuyerFact }

func (t *Tab) askConfirm() effect.Effect {
	fact, _ := t.details.Proposal()
	return effect.Prompt{
		Title: "Confirm " + string(fact.Attribute) + ": " + fact.Value, Hint: "the address of a page that says so", Value: t.details.Page(),
		Parse: func(typed string) (any, string) {
			checked, problem := details.CheckedToday(fact, typed, t.view.Now())
			if problem != "" {
				return nil, problem
			}
			return confirmed{checked}, ""
		},
	}
}

func (t *Tab) confirm(fact confirmed) effect.Effect {
	t.session.Tell(fact.BuyerFact)
	return effect.Say("Kept: " + string(fact.Attribute) + " is " + fact.Value + ", for the whole project.")
}

func (t *Tab) whyNotConfirm() string {
	if _, ok := t.details.Proposal(); !ok || !t.focused {
		return "Walk to one that proposes a value."
	}
	return ""
}

func (t *Tab) openPage() effect.Effect { return effect.Open{URL: t.details.Page()} }

func (t *Tab) whyNoPage() string {
	if t.details.Page() == "" {
		return "No public page of its registry is known."
	}
	return ""
}
