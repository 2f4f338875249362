package retire

import (
	"fmt"
	"slices"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// onRepeat is what a command that retires does if it is run once more.
type onRepeat int8

const (
	// retiresAll is a single retirement without a reference, which plans all again.
	retiresAll onRepeat = iota
	// plansRest is a single retirement with a reference.
	plansRest
	// asksAndPlansRest is a batch: it also sends calls that are open.
	asksAndPlansRest
	// onlyAsks is `tonne retire resume`: it sends calls of the journal.
	onlyAsks
)

// advice is what the advice after calls that retire depends on.
type advice struct {
	repeat onRepeat
	// whole is what the command retires; 0 for onlyAsks.
	whole model.Grams
	// Quantities of calls: done; refused; open, to be sent with the same id because
	// the outcome is unknown or they were turned away; given up with an unknown
	// outcome; confirmed, in the journal and never sent; not sent and not kept.
	done, refused, open, givenUp, kept, unsent model.Grams
	// counted says that a refused call has a reference, by which its own command
	// counts what is done. others are the refused calls without one, as flags.
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
		*sum = sum.AddUpTo(c.Plan.Quantity)
	}
	return a
}

func (a *advice) isHarmful() bool {
	return a.repeat == retiresAll && a.done+a.open+a.givenUp+a.kept > 0 || a.repeat == onlyAsks && len(a.others) > 0
}

func (a *advice) steps() (steps []string) {
	if a.open > 0 && a.repeat != asksAndPlansRest {
		steps = append(steps, "run `tonne retire resume`: it sends the same id, which retires nothing twice")
	}
	if a.givenUp > 0 {
		steps = append(steps, retire.AskOperator("ID"))
	}
	if a.kept > 0 && a.repeat == retiresAll {
		steps = append(steps, fmt.Sprintf("`tonne retire pending` lists the %s that were confirmed and not sent, and `tonne retire resume ID` sends them", a.kept.FormatTonnes()))
	}
	rest := a.whole - a.done - a.open - a.givenUp - a.kept
	switch harmful := a.isHarmful(); {
	case a.repeat == onlyAsks:
		if harmful {
			steps = append(steps, "give "+strings.Join(a.others, ", and ")+" for what was refused: the command that planned it would retire all of its quantity")
		}
		if a.counted {
			steps = append(steps, "the command with the same --reference, or the batch, plans what was refused")
		}
	case harmful && rest > 0:
		steps = append(steps, fmt.Sprintf("give --grams %s, the rest: the same command would retire %s more", rest, a.whole.FormatTonnes()))
	case harmful && len(steps) == 0:
		steps = append(steps, fmt.Sprintf("nothing is left to retire: the same command would retire %s more", a.whole.FormatTonnes()))
	case !harmful && (a.refused+a.unsent+a.kept > 0 || a.open > 0 && a.repeat == asksAndPlansRest):
		steps = append(steps, "run the same command again: it retires nothing twice, and plans what is left")
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
