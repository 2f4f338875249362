package market

import (
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Palette returns the projects that match a text, and the command for a rule on the selected vintage.
func (t *Tab) Palette(typed string) []keymap.Binding {
	rule := keymap.Command{Name: "alert", Usage: "RULE",
		Help:     "add a rule on the selected vintage, such as below last paid",
		Complete: func(typed string) []keymap.Binding { return ruleCommands(t, typed) }}
	return append(rule.For(typed), t.view.Jumps(typed, t.list.rows.market.ProjectIDs(), t.jump)...)
}

// Seek goes to a vintage that matches a text.
func (t *Tab) Seek(typed string, step int) (effect.Effect, bool) {
	t.panes.focus(false)
	found := t.list.table.Seek(typed, step)
	return t.moved(), found
}

// jump goes to a vintage of a project, or to the first one. It shows all vintages if the filter hides it.
func (t *Tab) jump(project string, year int) effect.Effect {
	find := func() (key model.VintageKey, found bool) {
		for key, r := range t.list.table.Rows() {
			if key.ProjectID == project && (year == 0 || r.year() == year) {
				return key, true
			}
		}
		return key, false
	}
	key, found := find()
	var shown effect.Effect
	if !found && t.list.narrowed() {
		t.list.only = false
		shown = effect.Batch(t.relabel(), t.list.filter.Clear())
		key, found = find()
	}
	if !found {
		return effect.Batch(shown, effect.Say(t.view.Projects.Name(project)+" has no vintage "+tab.Year(year)+" for sale."))
	}
	return effect.Batch(shown, t.goTo(key))
}

// ruleExamples are rules for the completion of the command alert.
var ruleExamples = []string{"below last paid", "5% above last paid", "within 2% of last paid", "drops 10%", "price < 5",
	"500 t", "sold out"}

func ruleCommands(t *Tab, typed string) (all []keymap.Binding) {
	texts := ruleExamples
	if typed != "" {
		texts = append([]string{typed}, texts...)
	}
	for _, text := range texts {
		all = append(all, keymap.Binding{Action: "alert " + text, Help: "alert " + text,
			Why: func() string {
				if t.recorded() {
					return isRecorded
				}
				if !t.list.selected() {
					return noVintage
				}
				_, problem := parseRule(text)
				return problem
			}, Do: func() effect.Effect {
				r, _ := t.list.table.Current()
				return t.ruleOn(r.key(), text)
			}})
	}
	return all
}
