package retire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/output"
)

// recall takes what the journal has of the lines, and warns of calls of others whose
// outcome is not known.
func (r *run) recall(ctx context.Context) error {
	r.Steps, r.Allow = r.flow, r.stillAffordable
	unsettled, err := r.flow.Unsettled(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(retire.NotKnown(unsettled), func(c retire.Call) bool { return r.Batch != "" && c.Batch == r.Batch })
	if len(others) > 0 {
		r.Warn("the outcome of earlier calls is not known: %d; see `tonne retire pending`", len(others))
	}
	if r.Batch != "" {
		return r.recallBatch(ctx)
	}
	return r.recallSingle(ctx)
}

func (r *run) recallBatch(ctx context.Context) error {
	made, err := r.flow.Calls(ctx, retire.OfBatch(r.Batch))
	if err != nil {
		return err
	}
	if err := r.checkElsewhere(ctx, made); err != nil {
		return err
	}
	if changed := r.RecallBatch(made); len(changed) > 0 {
		return command.Usage("bring these lines back to what they were, or give what they wish now a reference of its own",
			"lines were changed after calls were made for them: %s; nothing was sent", filing.SomeOf(changed))
	}
	r.tellDone()
	r.tellGone(made)
	return r.checkSame(ctx)
}

func (r *run) tellGone(made []retire.Call) {
	there := make(map[string]bool)
	for _, line := range r.Lines {
		there[line.Reference] = true
	}
	for _, c := range made {
		if !there[c.Reference] && (c.Open() || c.Doubtful()) {
			r.gone = append(r.gone, c)
		}
	}
	if len(r.gone) > 0 {
		r.Warn("%s not settled whose lines are not in the file any more; they are not sent", model.Count(len(r.gone), "call is", "calls are"))
	}
}

func (r *run) goneUnsettled() error {
	var lines []string
	for _, c := range r.gone {
		lines = append(lines, fmt.Sprintf("%s (%s)", c.Reference, c.ExternalID))
	}
	f := &command.Failure{
		What: "calls are not settled whose lines are not in the file any more: " + filing.SomeOf(lines), Status: command.StatusUnreachable, Code: "unsettled",
		Todo: "put the lines back and run it again, or run `tonne retire resume`, which sends the same ids",
	}
	if slices.ContainsFunc(r.gone, retire.Call.Doubtful) {
		f.Code = "outcome_unknown"
	}
	return f
}

// checkSame tells of lines that are as those of another batch, which may be the
// same file under another name, or as what was retired by itself. Unless a person
// sees it before they confirm, that is a failure.
func (r *run) checkSame(ctx context.Context) error {
	all, err := r.flow.Calls(ctx, retire.OfAccount)
	if err != nil {
		return err
	}
	made := make(map[string]retire.Call)
	for _, c := range all {
		if c.Batch != r.Batch && (c.State == retire.Done || c.Doubtful()) {
			made[c.Reference+"\n"+c.Request] = c
		}
	}
	same, last := 0, retire.Call{}
	for _, line := range r.Lines {
		if c, found := made[line.Reference+"\n"+retire.RequestText(line.Request)]; found && line.Left() > 0 {
			same, last = same+1, c
		}
	}
	if same == 0 {
		return nil
	}
	by, todo := "lines that the batch "+last.Batch, "give the file its name again"
	if last.Batch == "" {
		by, todo = "what a command without a batch", "take the lines out of the file, or give them another reference"
	}
	what := fmt.Sprintf("of %d lines %d have the reference and the wish of %s retired at %s, or may have", len(r.Lines), same, by, command.Rfc3339(last.MadeAt))
	if r.yes && !r.TakeOver && !r.dryRun {
		return command.Usage(todo+"; if these are others, confirm at a terminal or add --take-over", "%s; nothing was sent", what)
	}
	r.Warn("%s: if it is the same, %s", what, todo)
	return nil
}

// tellDone tells of lines that earlier runs retired: the batch of another month
// may have the name of this one.
func (r *run) tellDone() {
	done, last := 0, time.Time{}
	for _, line := range r.Lines {
		if line.Left() > 0 || slices.ContainsFunc(line.Past, func(c *retire.Call) bool { return c.State != retire.Done }) {
			continue
		}
		done++
		for _, c := range line.Past {
			if c.MadeAt.After(last) {
				last = c.MadeAt
			}
		}
	}
	if done > 0 {
		r.Warn("of %d lines %d were retired before, the last at %s; they are not sent again: a new batch needs a file of another name", len(r.Lines), done, command.Rfc3339(last))
	}
}

func (r *permitted) again(ctx context.Context, calls []*retire.Call) error {
	open := slices.DeleteFunc(slices.Clone(calls), func(c *retire.Call) bool { return !c.Open() })
	if len(open) == 0 {
		return nil
	}
	if !r.yes {
		fmt.Fprintf(r.Stderr, "Calls of an earlier run to send with the same ids: %d.\n", len(open))
	}
	if err := r.confirm(ctx, open); err != nil {
		return err
	}
	return r.sendFailure(calls, retire.Resume(ctx, r.flow, open, r.report))
}

func resumeCommand(a *command.App) *cobra.Command {
	r := &permitted{App: a}
	var format output.Format
	cmd := &cobra.Command{
		Use:   "resume [ID...]",
		Short: "Ask again for the outcome of calls that is not known",
		Long: "Sends calls of the journal again, all or those with the external ids: with the same id and\n" +
			"the same body, so that one that had its effect has none again. One that was confirmed and not\n" +
			"sent yet is sent only if its id is given.",
		Example: "  tonne retire resume --yes",
		Args:    cobra.ArbitraryArgs,
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return r.resume(ctx, cmd, args, format)
		}),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &format)
	r.addFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.Irrevocable, Arguments: []command.Argument{{Name: "ID", Description: "external id of a call", Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")}, command.RowForm("", resultColumns.Header(), output.CSV),
		},
	})
}

func (r *permitted) resume(ctx context.Context, cmd *cobra.Command, ids []string, format output.Format) error {
	if err := r.canConfirm("look at the calls with `tonne retire pending`"); err != nil {
		return err
	}
	if err := r.open(ctx, cmd); err != nil {
		return err
	}
	defer r.close()
	r.Terminal.Patient.Store(true)
	open, err := pendingOf(ctx, r.flow, ids)
	if err != nil {
		return err
	}
	var calls, planned []*retire.Call
	for _, c := range open {
		if c.Confirmed() && len(ids) == 0 {
			planned = append(planned, &c)
		} else {
			calls = append(calls, &c)
		}
	}
	err = r.again(ctx, calls)
	r.progress.Clear()
	r.remember(ctx, calls)
	if printed := r.printCalls(format, append(calls, planned...), 0); err == nil {
		err = printed
	}
	advice := &advice{repeat: onlyAsks}
	advice.count(calls)
	if err != nil {
		return advice.ifHarmful(err)
	}
	if err := r.ended(ctx, calls, advice); err != nil || len(planned) == 0 {
		return err
	}
	return stillPlanned(planned)
}

func pendingOf(ctx context.Context, w *retire.Workflow, ids []string) ([]retire.Call, error) {
	open, err := w.Unsettled(ctx)
	open = slices.DeleteFunc(open, func(c retire.Call) bool { return !c.Open() })
	if err != nil || len(ids) == 0 {
		return open, err
	}
	byID := make(map[string]retire.Call)
	for _, c := range open {
		byID[c.ExternalID] = c
	}
	var chosen []retire.Call
	for _, id := range ids {
		c, known := byID[id]
		if !known {
			return nil, notPending(id)
		}
		delete(byID, id)
		chosen = append(chosen, c)
	}
	return chosen, nil
}

func notPending(id string) error {
	return command.Unmet("not_found", "`tonne retire pending` lists them", "%s is no call whose outcome is not known", id)
}
