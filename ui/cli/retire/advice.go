package retire

import (
	"fmt"
	"slices"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// onRepeat is the effect of running a command that retires again.
type onRepeat int8

const (
	// retiresAll is a single retirement without a reference: it plans everything again.
	retiresAll onRepeat = iota
	// plansRest is a single retirement with a reference.
	plansRest
	// asksAndPlansRest is a batch: it also sends open calls.
	asksAndPlansRest
	// onlyAsks is `tonne retire resume`: it sends calls of the journal.
	onlyAsks
)

// advice has the data for the advice after a run.
type advice struct {
	repeat onRepeat
	// whole is the quantity that the command retires, or 0 for onlyAsks.
	whole model.Grams
	// Quantities of calls: done; refused; open (to be sent with the same id, because
	// the outcome is unknown or the service rejected them); abandoned with an unknown
	// outcome; confirmed (in the journal, never sent); not sent and not in the journal.
	done, refused, open, givenUp, kept, unsent model.Grams
	// counted reports that a refused call has a reference, so that its command counts done
	// calls. others are the flags of the refused calls without a reference.
	counted bool
	others  []string
}

func newAdvice(repeat onRepeat, calls []*retire.Call) *advice {
	a := &advice{repeat: repeat}
	for _, c := range calls {
		sum := &a.unsent
		switch {
		case c.Resumable():
			sum = &a.open
		case c.Confirmed():
			sum = &a.kept
		case c.State == retire.Done:
			sum = &a.done
		case c.State == retire.Refused:
			sum = &a.refused
			if a.counted = a.counted || c.Reference != ""; c.Reference == "" {
				a.others = append(a.others, fmt.Sprintf("--vintage %s --grams %s", command.ShellWord(c.Plan.VintageID), c.Plan.Quantity))
			}
		case c.Doubtful():
			sum = &a.givenUp
		}
		*sum = sum.Plus(c.Plan.Quantity)
	}
	return a
}

func (a *advice) isHarmful() bool {
	return a.repeat == retiresAll && a.done+a.open+a.givenUp+a.kept > 0 || a.repeat == onlyAsks && len(a.others) > 0
}

func (a *advice) steps() (steps []string) {
	if a.open > 0 && a.repeat != asksAndPlansRest {
		steps = append(steps, "run `tonne retire resume`: it sends the same id, so nothing is retired twice")
	}
	if a.givenUp > 0 {
		steps = append(steps, retire.AskOperator("ID"))
	}
	if a.kept > 0 && a.repeat == retiresAll {
		steps = append(steps, fmt.Sprintf("`tonne retire pending` lists the %s that were confirmed but not sent, and `tonne retire resume ID` sends them", a.kept.FormatTonnes()))
	}
	rest := a.whole - a.done - a.open - a.givenUp - a.kept
	switch harmful := a.isHarmful(); {
	case a.repeat == onlyAsks:
		if harmful {
			steps = append(steps, "give "+strings.Join(a.others, ", and ")+" for the refused part: the original command would retire its whole quantity")
		}
		if a.counted {
			steps = append(steps, "run the original command with the same --reference, or the batch, to plan the refused part")
		}
	case harmful && rest > 0:
		steps = append(steps, fmt.Sprintf("give --grams %s to retire the rest: the same command would retire %s more", rest, a.whole.FormatTonnes()))
	case harmful && len(steps) == 0:
		steps = append(steps, fmt.Sprintf("nothing is left to retire: the same command would retire %s more", a.whole.FormatTonnes()))
	case !harmful && (a.refused+a.unsent+a.kept > 0 || a.open > 0 && a.repeat == asksAndPlansRest):
		steps = append(steps, "run the same command again: it retires only what is left")
	}
	return steps
}

func (a *advice) ifHarmful(err error) error {
	if !a.isHarmful() {
		return err
	}
	return a.advised(err)
}

func (a *advice) advised(err error) error {
	f := *command.Explain(err)
	steps := a.steps()
	if a.isHarmful() && a.whole > 0 && a.done > 0 {
		f.What += fmt.Sprintf("; %s of %s are retired", a.done.FormatTonnes(), a.whole.FormatTonnes())
	}
	if f.Todo != "" {
		steps = slices.Insert(steps, 0, strings.TrimSuffix(f.Todo, "."))
	}
	f.Todo, f.Again, f.Harmful, f.Cause = strings.Join(steps, "; "), "", a.isHarmful(), err
	return &f
}
