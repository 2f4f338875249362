package market

import (
	"strconv"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
)

// loud is how many crossings are told one by one.
const loud = 3

// announce tells of rules that hold now and did not before.
func (t *Tab) announce(fired []session.Fired) effect.Effect {
	var told []string
	for _, f := range fired {
		told = append(told, t.label(f.Alert.Vintage)+": "+f.Alert.Rule.String()+t.fact(f))
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
func (t *Tab) fact(f session.Fired) string {
	switch {
	case f.Alert.Rule.Measure == model.Available:
		return " · now " + t.view.Quantity(f.Facts.Available)
	case f.Facts.BestAsk.Known():
		return " · now " + f.Facts.BestAsk.FormatDollars()
	}
	return ""
}
