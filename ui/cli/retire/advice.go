package retire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// OnRepeat is what a command that retires does if it is run once more.
type OnRepeat int8

const (
	// RetiresAll is a single retirement without a reference: it plans the whole
	// quantity, whatever was retired.
	RetiresAll OnRepeat = iota
	// PlansRest is a single retirement with a reference.
	PlansRest
	// AsksAndPlansRest is a batch: it also sends calls that are open.
	AsksAndPlansRest
	// OnlyAsks is `tonne retire resume`: it sends calls of the journal.
	OnlyAsks
)

// RetireAdvice is what the advice after calls that retire depends on.
type RetireAdvice struct {
	Repeat OnRepeat
	// Command is the command line that made the calls, whole what it retires; they
	// are empty for onlyAsks.
	Command string
	Whole   model.Grams
	// Quantities of calls: done; refused; open, to be sent with the same id because
	// the outcome is unknown or they were turned away; given up with an unknown
	// outcome; confirmed, in the journal and never sent; not sent and not kept.
	done, refused, open, givenUp, kept, unsent model.Grams
	// counted says that a refused call has a reference, by which its own command
	// counts what is done. others are the refused calls without one, as flags.
	counted bool
	others  []string
}

func (a *RetireAdvice) Count(calls []*retire.Call) {
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
}

func (a *RetireAdvice) served() model.Grams { return a.done + a.open + a.givenUp }

func (a *RetireAdvice) isHarmful() bool {
	return a.Repeat == RetiresAll && a.served()+a.kept > 0 || a.Repeat == OnlyAsks && len(a.others) > 0
}

func (a *RetireAdvice) steps() (steps []string) {
	if a.open > 0 && a.Repeat != AsksAndPlansRest {
		steps = append(steps, "run `tonne retire resume`: it sends the same id, which retires nothing twice")
	}
	if a.givenUp > 0 {
		steps = append(steps, "ask the operator of the service, and say what became of each: `tonne retire abandon ID --carried-out REQUEST` or `--not-carried-out`")
	}
	switch left := a.refused + a.unsent; {
	case a.Repeat == OnlyAsks:
		return append(steps, a.ofResumed()...)
	case a.isHarmful():
		return append(steps, a.theRest()...)
	case a.Repeat == AsksAndPlansRest && a.open > 0:
		steps = append(steps, "run `"+a.Command+"` again: it sends the same ids, which retires nothing twice, and plans the rest")
	case a.Repeat != RetiresAll && left+a.kept > 0:
		steps = append(steps, "run `"+a.Command+"` again: it counts what is retired and plans the rest")
	case left > 0:
		steps = append(steps, "run `"+a.Command+"` again: nothing was retired, and it makes a new plan")
	}
	return steps
}

func (a *RetireAdvice) theRest() (steps []string) {
	if a.kept > 0 {
		steps = append(steps, a.keptCalls())
	}
	if rest := a.Whole - a.served() - a.kept; rest > 0 {
		return append(steps, fmt.Sprintf("give --grams %s, the rest: the same command would retire %s more", rest, a.Whole.FormatTonnes()))
	}
	if len(steps) == 0 && a.open+a.givenUp == 0 {
		steps = append(steps, fmt.Sprintf("nothing is left to retire: the same command would retire %s more", a.Whole.FormatTonnes()))
	}
	return steps
}

func (a *RetireAdvice) keptCalls() string {
	return fmt.Sprintf("`tonne retire pending` lists the %s that were confirmed and not sent, and `tonne retire resume ID` sends them", a.kept.FormatTonnes())
}

func (a *RetireAdvice) ofResumed() (steps []string) {
	if len(a.others) > 0 {
		steps = append(steps, "give "+strings.Join(a.others, ", and ")+" for what was refused: the command that planned it would retire all of its quantity")
	}
	if a.counted {
		steps = append(steps, "the command with the same --reference, or the batch, plans what was refused")
	}
	return steps
}

// ifHarmful returns an error that ended a command with advice that retires nothing
// twice. Where repeating the command does no harm, the error says what to do.
func (a *RetireAdvice) ifHarmful(err error) error {
	if !a.isHarmful() {
		return err
	}
	return a.Advised(err)
}

func (a *RetireAdvice) Advised(err error) error {
	f := *command.Explain(command.CommandError{Err: err})
	steps := a.steps()
	if a.isHarmful() && a.Whole > 0 && a.done > 0 {
		f.What += fmt.Sprintf("; %s of %s are retired", a.done.FormatTonnes(), a.Whole.FormatTonnes())
	}
	if f.Todo != "" {
		steps = slices.Insert(steps, 0, f.Todo)
	}
	f.Todo, f.Again, f.Harmful, f.Cause = strings.Join(steps, "; "), "", a.isHarmful(), err
	return &f
}

func (r *RetireRun) adviceOn() *RetireAdvice {
	a := &RetireAdvice{Repeat: RetiresAll, Command: r.commandLine}
	switch {
	case r.Batch != "":
		a.Repeat = AsksAndPlansRest
	case r.Lines[0].Reference != "":
		a.Repeat = PlansRest
	}
	for _, line := range r.Lines {
		a.Whole = a.Whole.AddUpTo(line.Request.Quantity)
	}
	a.Count(r.All())
	return a
}

func typedCommand(cmd *cobra.Command) string {
	text := cmd.CommandPath()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch value := f.Value.String(); {
		case f.Name == "dry-run":
		case f.Value.Type() == "bool" && value == "true":
			text += " --" + f.Name
		case f.Value.Type() == "bool":
			text += " --" + f.Name + "=" + value
		default:
			text += " --" + f.Name + " " + command.ShellWord(value)
		}
	})
	return text
}

// refusalFlags say with which flags the advice on a refusal is followed.
var refusalFlags = map[string]string{
	"FRAC_QUANT_INVALID_NUMBER":   ", such as --grams 20",
	"VINTAGE_ID_NOT_EXISTS":       ": `tonne market` lists the vintages that are for sale",
	"QUANT_TONNES_INVALID_NUMBER": " with --tonnes",
	"QUANT_TONNES_TOO_LOW":        " with --tonnes",
}

func refusalTodo(err error) string {
	r := api.RefusalOf(err)
	if r.OtherOrder {
		return r.Todo + ": leave --order out, or name another one"
	}
	return r.Todo + refusalFlags[r.Code]
}
