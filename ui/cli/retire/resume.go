package retire

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/retire"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

type resumeOptions struct {
	app    *command.App
	send   sendOptions
	format output.Format
}

func resumeCommand(a *command.App) *cobra.Command {
	o := &resumeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "resume [ID...]",
		Short: "Send calls with unknown outcome again",
		Long: "Sends the calls with unknown outcome again: all of the journal, or those with the given\n" +
			"external ids. Each call has the same id and body as before, so a call that already took effect\n" +
			"is not repeated. A call that was confirmed but never sent is sent only if you give its id.",
		Example: "  tonne retire resume --yes",
		RunE:    command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &o.format)
	o.send.addFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.Irrevocable, Arguments: []command.Argument{{Name: "ID", Description: "external id of a call", Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")}, command.RowForm("", resultColumns.Header(), output.CSV),
		},
	})
}

func (o *resumeOptions) run(ctx context.Context, cmd *cobra.Command, ids []string) error {
	if err := o.send.canConfirm(o.app, "look at the calls with `tonne retire pending`"); err != nil {
		return err
	}
	s, err := newSender(ctx, o.app, cmd, o.send)
	if err != nil {
		return err
	}
	defer s.close()
	o.app.Terminal.Patient.Store(true)
	open, err := openCalls(ctx, s.flow, ids)
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
	err = s.resume(ctx, calls)
	s.remember(ctx, calls)
	if printed := printCalls(o.app, o.format, append(calls, planned...), 0); err == nil {
		err = printed
	}
	advice := newAdvice(onlyAsks, calls)
	if err != nil {
		return advice.ifHarmful(err)
	}
	if err := unfinished(ctx, calls, advice); err != nil || len(planned) == 0 {
		return err
	}
	kept := sum(planned, isAny)
	return &command.Failure{
		What: fmt.Sprintf("%s were confirmed but not sent, in %d of the calls that `tonne retire pending` lists", kept.quantity.FormatTonnes(), kept.n),
		Todo: "the same command with its --reference plans them again; `tonne retire resume ID` sends a call as planned, `tonne retire abandon ID` abandons it", Status: command.StatusFailed,
	}
}

func openCalls(ctx context.Context, w *retire.Workflow, ids []string) (chosen []retire.Call, err error) {
	all, err := w.Unsettled(ctx)
	if err != nil || len(ids) == 0 {
		return slices.DeleteFunc(all, func(c retire.Call) bool { return !c.Open() }), err
	}
	for _, id := range ids {
		at := slices.IndexFunc(all, func(c retire.Call) bool { return c.ExternalID == id })
		if at < 0 || !all[at].Open() {
			return nil, notOpen(ctx, w, id)
		}
		if !slices.ContainsFunc(chosen, func(c retire.Call) bool { return c.ExternalID == id }) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}

func notOpen(ctx context.Context, w *retire.Workflow, id string) error {
	if c, err := w.Call(ctx, id); err == nil && c.GivenUp && c.Doubtful() {
		return command.Unmet("outcome_unknown", retire.AskOperator(id), "%s was abandoned with an unknown outcome", id)
	}
	return command.Unmet("not_found", "`tonne retire pending` lists them", "there is no call %s with an unknown outcome", id)
}
