package retire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// outcomes set a call of one tonne to each possible outcome.
var outcomes = map[string]func(*retire.Call){
	"done":         func(c *retire.Call) { c.State = retire.Done },
	"refused":      func(c *retire.Call) { c.State = retire.Refused },
	"unknown":      func(c *retire.Call) { c.State, c.Unsure = retire.Unknown, true },
	"not accepted": func(c *retire.Call) { c.State = retire.Sent },
	"abandoned":    func(c *retire.Call) { c.State, c.Unsure, c.GivenUp = retire.Unknown, true, true },
	"prepared":     func(c *retire.Call) { c.State, c.Request.Quantity = retire.Prepared, 1 },
	"dropped":      func(c *retire.Call) { c.State, c.GivenUp = retire.Prepared, true },
}

// For every combination of outcomes, the advice must not repeat a command that would retire
// a call twice, and it must name the rest.
func TestAdviceNeverRetiresTwice(t *testing.T) {
	t.Parallel()
	names := []string{"done", "refused", "unknown", "not accepted", "abandoned", "prepared", "dropped"}
	for name, kind := range map[string]struct {
		repeat    onRepeat
		reference string
	}{
		"single": {retiresAll, ""}, "single with a reference": {plansRest, "r"}, "batch": {asksAndPlansRest, "r"},
		"resume": {onlyAsks, ""}, "resume with a reference": {onlyAsks, "r"},
	} {
		for set := 1; set < 1<<len(names); set++ {
			is := make(map[string]bool)
			var calls []*retire.Call
			for i, outcome := range names {
				if is[outcome] = set>>i&1 == 1; is[outcome] {
					c := &retire.Call{Reference: kind.reference}
					c.Plan.VintageID, c.Plan.Quantity = "V", model.GramsPerTonne
					outcomes[outcome](c)
					calls = append(calls, c)
				}
			}
			a := newAdvice(kind.repeat, calls)
			if kind.repeat != onlyAsks {
				a.whole = model.Grams(len(calls)) * model.GramsPerTonne
			}
			cause := &command.Failure{What: advice.Plain("no"), Todo: advice.Plain("wait"), Again: advice.Plain("try it again"),
				Status: command.StatusFailed, Code: "rate_limited"}
			var f *command.Failure
			must.Need(t, errors.As(a.advised(cause), &f), "no failure")
			must.Hold(t, strings.HasPrefix(f.Next().String(), "wait"), "the advice of the cause is missing", f.Next())
			checkAdvice(t, fmt.Sprintf("%s, %v", name, is), kind.repeat, kind.reference, is, f)
		}
	}
}

// checkAdvice compares the advice with what a repeated command would do.
func checkAdvice(t *testing.T, name string, repeat onRepeat, reference string, is map[string]bool, f *command.Failure) {
	t.Helper()
	advice := f.Next().String()
	served := is["done"] || is["unknown"] || is["not accepted"] || is["abandoned"]
	twice := repeat == retiresAll && (served || is["prepared"]) || repeat == onlyAsks && reference == "" && is["refused"]
	names := strings.Contains(advice, "again")
	must.Hold(t, !names || !twice, name, "advice would retire twice", advice)
	must.Hold(t, command.NewFailureJSON(f).Retryable != twice,
		name, "retryable", !twice, "although a repeated command would retire twice", twice)
	for what, wanted := range map[string]bool{
		"run the same command again": repeat != onlyAsks && !twice &&
			(is["refused"] || is["dropped"] || repeat != retiresAll && is["prepared"] ||
				repeat == asksAndPlansRest && (is["unknown"] || is["not accepted"])),
		"`tonne retire resume`":    repeat != asksAndPlansRest && (is["unknown"] || is["not accepted"]),
		"`tonne retire resume ID`": repeat == retiresAll && is["prepared"] && twice,
		"tonne retire abandon ID":  is["abandoned"],
		"--grams ":                 twice && (is["refused"] || repeat == retiresAll && is["dropped"]),
	} {
		must.Hold(t, !wanted || strings.Contains(advice, what), name, what, "is missing", advice)
	}
	rest := strings.Contains(advice, "--grams ")
	must.Hold(t, !rest || twice, name, "names both the rest and the command", advice)
}
