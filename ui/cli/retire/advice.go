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

// onRepeat is what a command that retires does if it is run once more.
type onRepeat int8

const (
	// retiresAll is a single retirement without a reference: it plans the whole
	// quantity, whatever was retired.
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
	// command is the command line that made the calls, whole what it retires; they
	// are empty for onlyAsks.
	command string
	whole   model.Grams
	// Quantities of calls: done; refused; open, to be sent with the same id because
	// the outcome is unknown or they were turned away; given up with an unknown
	// outcome; confirmed, in the journal and never sent; not sent and not kept.
	done, refused, open, givenUp, kept, unsent model.Grams
	// counted says that a refused call has a reference, by which its own command
	// counts what is done. others are the refused calls without one, as flags.
	counted bool
	others  []string
}

func (a *advice) count(calls []*retire.Call) {
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

func (a *advice) served() model.Grams { return a.done + a.open + a.givenUp }

func (a *advice) isHarmful() bool {
	return a.repeat == retiresAll && a.served()+a.kept > 0 || a.repeat == onlyAsks && len(a.others) > 0
}

func (a *advice) steps() (steps []string) {
	if a.open > 0 && a.repeat != asksAndPlansRest {
		steps = append(steps, "run `tonne retire resume`: it sends the same id, which retires nothing twice")
	}
	if a.givenUp > 0 {
		steps = append(steps, "ask the operator of the service, and say what became of each: `tonne retire abandon ID --carried-out REQUEST` or `--not-carried-out`")
	}
	switch left := a.refused + a.unsent; {
	case a.repeat == onlyAsks:
		return append(steps, a.ofResumed()...)
	case a.isHarmful():
		return append(steps, a.theRest()...)
	case a.repeat == asksAndPlansRest && a.open > 0:
		steps = append(steps, "run `"+a.command+"` again: it sends the same ids, which retires nothing twice, and plans the rest")
	case a.repeat != retiresAll && left+a.kept > 0:
		steps = append(steps, "run `"+a.command+"` again: it counts what is retired and plans the rest")
	case left > 0:
		steps = append(steps, "run `"+a.command+"` again: nothing was retired, and it makes a new plan")
	}
	return steps
}

func (a *advice) theRest() (steps []string) {
	if a.kept > 0 {
		steps = append(steps, a.keptCalls())
	}
	if rest := a.whole - a.served() - a.kept; rest > 0 {
		return append(steps, fmt.Sprintf("give --grams %s, the rest: the same command would retire %s more", rest, a.whole.FormatTonnes()))
	}
	if len(steps) == 0 && a.open+a.givenUp == 0 {
		steps = append(steps, fmt.Sprintf("nothing is left to retire: the same command would retire %s more", a.whole.FormatTonnes()))
	}
	return steps
}

func (a *advice) keptCalls() string {
	return fmt.Sprintf("`tonne retire pending` lists the %s that were confirmed and not sent, and `tonne retire resume ID` sends them", a.kept.FormatTonnes())
}

func (a *advice) ofResumed() (steps []string) {
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
func (a *advice) ifHarmful(err error) error {
	if !a.isHarmful() {
		return err
	}
	return a.advised(err)
}

func (a *advice) advised(err error) error {
	f := *command.Explain(command.CommandError{Err: err})
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

func (r *run) adviceOn() *advice {
	a := &advice{repeat: retiresAll, command: r.commandLine}
	switch {
	case r.Batch != "":
		a.repeat = asksAndPlansRest
	case r.Lines[0].Reference != "":
		a.repeat = plansRest
	}
	for _, line := range r.Lines {
		a.whole = a.whole.AddUpTo(line.Request.Quantity)
	}
	a.count(r.All())
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
