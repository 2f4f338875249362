package retire

import (
	"fmt"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
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

// runAdvice has the data for the advice after a run.
type runAdvice struct {
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

func newAdvice(repeat onRepeat, calls []*retire.Call) *runAdvice {
	a := &runAdvice{repeat: repeat}
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
				a.others = append(a.others,
					fmt.Sprintf("--vintage %s --grams %s", advice.ShellWord(c.Plan.VintageID), c.Plan.Quantity))
			}
		case c.Doubtful():
			sum = &a.givenUp
		}
		*sum = sum.Plus(c.Plan.Quantity)
	}
	return a
}

func (a *runAdvice) isHarmful() bool {
	return a.repeat == retiresAll && a.done+a.open+a.givenUp+a.kept > 0 || a.repeat == onlyAsks && len(a.others) > 0
}

var pending = advice.Tonne("retire pending")

func (a *runAdvice) steps() (steps []advice.Text) {
	step := func(format string, args ...any) { steps = append(steps, advice.Format(format, args...)) }
	if a.open > 0 && a.repeat != asksAndPlansRest {
		step("run %s: it sends the same id, so nothing is retired twice", advice.Tonne("retire resume"))
	}
	if a.givenUp > 0 {
		steps = append(steps, retire.AskOperator("ID"))
	}
	if a.kept > 0 && a.repeat == retiresAll {
		step("%s lists the %s that were confirmed but not sent, and %s sends them", pending, a.kept.FormatTonnes(),
			advice.Tonne("retire resume ID"))
	}
	rest := a.whole - a.done - a.open - a.givenUp - a.kept
	switch harmful := a.isHarmful(); {
	case a.repeat == onlyAsks:
		if harmful {
			step("give %s for the refused part: the original command would retire its whole quantity",
				strings.Join(a.others, ", and "))
		}
		if a.counted {
			step("run the original command with the same --reference, or the batch, to plan the refused part")
		}
	case harmful && rest > 0:
		step("give --grams %s to retire the rest: the same command would retire %s more", rest, a.whole.FormatTonnes())
	case harmful && len(steps) == 0:
		step("nothing is left to retire: the same command would retire %s more", a.whole.FormatTonnes())
	case !harmful && (a.refused+a.unsent+a.kept > 0 || a.open > 0 && a.repeat == asksAndPlansRest):
		step("run the same command again: it retires only what is left")
	}
	return steps
}

func (a *runAdvice) ifHarmful(err error) error {
	if !a.isHarmful() {
		return err
	}
	return a.advised(err)
}

func (a *runAdvice) advised(err error) error {
	f := *command.Explain(err)
	if a.isHarmful() && a.whole > 0 && a.done > 0 {
		f.What = advice.Format("%s; %s of %s are retired", f.What, a.done.FormatTonnes(), a.whole.FormatTonnes())
	}
	f.More, f.Again, f.Harmful, f.Cause = advice.Join("; ", a.steps()...), advice.Text{}, a.isHarmful(), err
	return &f
}
