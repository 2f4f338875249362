package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

func pendingCommand(a *command.App) *cobra.Command {
	return command.RowsCommand(a, &cobra.Command{
		Use:   "pending",
		Short: "Print the calls with unknown outcome",
		Long: "Prints the calls of the journal whose outcome is unknown. This includes abandoned calls until\n" +
			"you record their outcome, calls that you confirmed but that were not sent yet, and calls that\n" +
			"another program is sending. The service is not queried.",
		Example: "  tonne retire pending\n  tonne retire resume\n  tonne retire abandon tonne-5f0c…",
	}, pendingColumns, func(ctx context.Context, format output.Format) error {
		return withJournal(ctx, a, func(w *retire.Workflow) error {
			calls, err := w.Unsettled(ctx)
			if err != nil {
				return err
			}
			in := listing.NewFormats(a, pendingColumns, slices.Values(calls))
			in.None = "the outcome of every call is known"
			return in.Print(format)
		})
	})
}

var pendingColumns = field.Columns[retire.Call]{
	{Name: "external_id", Is: "string", Title: "EXTERNAL ID",
		Value: func(c retire.Call) field.Value { return field.Text(c.ExternalID) }},
	{Name: "batch", Title: "BATCH", Shrink: 8, Drop: 3,
		Value: func(c retire.Call) field.Value { return field.Optional(c.Batch) }},
	{Name: "reference", Title: "REFERENCE", Shrink: 8,
		Value: func(c retire.Call) field.Value { return field.Optional(c.Reference) }},
	{Name: "vintage_id", Is: "string",
		Value: func(c retire.Call) field.Value { return field.Text(wire.Clean(c.Plan.VintageID)) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true,
		Value: func(c retire.Call) field.Value { return field.Grams(c.Plan.Quantity) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true, Drop: 4,
		Value: func(c retire.Call) field.Value { return field.Cost(c.Plan.Cost) }},
	{Name: "state", Is: "string", Title: "STATE",
		Value: func(c retire.Call) field.Value { return field.Text(pendingState(c)) }},
	{Name: "tries", Is: "number", Title: "TRIES", Right: true, Drop: 2,
		Value: func(c retire.Call) field.Value { return field.Number(c.Tries) }},
	{Name: "made_at", Is: "string",
		Value: func(c retire.Call) field.Value { return field.Text(command.Rfc3339(c.MadeAt)) }},
	{Name: "made_by", Value: func(c retire.Call) field.Value { return field.Optional(wire.Clean(c.MadeBy)) }},
	{Name: "error", Title: "ERROR", Shrink: 12, Drop: 1,
		Value: func(c retire.Call) field.Value { return field.Optional(wire.Clean(c.Remark().String())) }},
}

func pendingState(c retire.Call) string {
	if c.State == retire.Sent && !c.Doubtful() {
		return string(retire.StatusNotSent)
	}
	return string(c.State)
}

func withJournal(ctx context.Context, a *command.App, fn func(*retire.Workflow) error) error {
	s, err := a.Settings()
	if errors.Is(err, command.ErrNotConfigured) {
		return command.NotConfigured(advice.Format("name it with --base-url, or run %s", advice.Tonne("auth login")),
			"no marketplace is configured")
	}
	if err != nil {
		return err
	}
	// With a key, the account includes the calls of that key under other profiles.
	_ = a.FindKey(s)
	a.Announce()
	w, err := retiring.Open(ctx, a, s)
	if err != nil {
		return err
	}
	return errors.Join(fn(w), w.Close(terminal.Patience))
}

type resumeOptions struct {
	sender
	format output.Format
}

func resumeCommand(a *command.App) *cobra.Command {
	o := &resumeOptions{sender: sender{app: a}}
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
	o.sender.addFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect:    command.Irrevocable,
		Arguments: []command.Argument{{Name: "ID", Description: "external id of a call", Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")},
			command.RowForm("", resultColumns.RowFields(), output.CSV),
		},
	})
}

func (o *resumeOptions) run(ctx context.Context, cmd *cobra.Command, ids []string) error {
	if err := o.open(ctx, cmd); err != nil {
		return err
	}
	defer o.close()
	o.app.Terminal.Patient.Store(true)
	open, err := openCalls(ctx, o.flow, ids)
	if err == nil {
		err = o.app.CanAsk(o.yes, advice.Format("look at the calls with %s", pending))
	}
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
	err = o.resume(ctx, calls)
	o.remember(ctx, calls)
	if printed := printCalls(o.app, o.format, append(calls, planned...), 0); err == nil {
		err = printed
	}
	after := newAdvice(onlyAsks, calls)
	if err != nil {
		return after.ifHarmful(err)
	}
	if err := unfinished(ctx, calls, after); err != nil || len(planned) == 0 {
		return err
	}
	kept := sum(planned, isAny)
	return &command.Failure{
		What: advice.Format("%s were confirmed but not sent, in %d of the calls that %s lists", kept.quantity.FormatTonnes(),
			kept.n, pending),
		Todo: advice.Format("the same command with its --reference plans them again; %s sends a call as planned, %s "+
			"abandons it",
			advice.Tonne("retire resume ID"), advice.Tonne("retire abandon ID")),
		Status: command.StatusFailed,
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
	return command.Unmet("not_found", advice.Format("%s lists them", advice.Tonne("retire pending")),
		"there is no call %s with an unknown outcome", id)
}

const requestLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

type abandonOptions struct {
	app     *command.App
	id      string
	request string
	nothing bool
	yes     bool
}

func abandonCommand(a *command.App) *cobra.Command {
	o := &abandonOptions{app: a}
	cmd := &cobra.Command{
		Use:   "abandon ID",
		Short: "Abandon a call with unknown outcome, or record its outcome",
		Long: "Records in the journal that a call is not sent again. The call may already have taken effect;\n" +
			"its outcome stays unknown in the results. Nothing more is retired for it, and its batch, or the\n" +
			"same command, still exits with status 5.\n\n" +
			"Ask the operator of the service for the outcome and record it, now or later:\n" +
			"--carried-out REQUEST marks the call as done. tonne looks the request up and checks that it\n" +
			"has the vintage of the call; if the service does not answer, tonne warns and records it anyway.\n" +
			"--not-carried-out lets the same command plan the line again, with a new id. If this is wrong,\n" +
			"the quantity is retired twice. You confirm at the terminal, or with --yes.",
		Example: "  tonne retire abandon tonne-5f0c… --yes\n" +
			"  tonne retire abandon tonne-5f0c… --carried-out 00mretirement000001 --yes\n" +
			"  tonne retire abandon tonne-5f0c… --not-carried-out --yes",
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.request, "carried-out", "", "record that the call was carried out, in the retirement `REQUEST`")
	f.BoolVar(&o.nothing, "not-carried-out", false, "record that the call was not carried out and never will be")
	command.YesFlag(cmd, &o.yes, "do not ask for confirmation")
	return a.Describe(cmd, command.Description{
		Effect:    command.Irrevocable,
		Arguments: []command.Argument{{Name: "ID", Description: "external id of the call", Required: true}},
	})
}

func (o *abandonOptions) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	switch {
	case !cmd.Flags().Changed("carried-out"):
	case o.nothing:
		return command.Usage("give one of them", "--carried-out and --not-carried-out exclude each other")
	case strings.Trim(o.request, requestLetters) != "":
		return command.Usage("give the id of a retirement request, such as 00mretirement000001",
			"--carried-out is not the id of a retirement request")
	}
	o.id = args[0]
	return withJournal(ctx, o.app, func(w *retire.Workflow) error {
		call, err := w.Call(ctx, o.id)
		if err == nil {
			err = o.check(ctx, call)
		}
		switch {
		case err != nil:
		case o.nothing || o.request != "":
			call, err = w.Settle(ctx, o.id, o.request)
		default:
			call, err = w.Abandon(ctx, o.id)
		}
		switch {
		case errors.Is(err, retire.ErrNoCall), errors.Is(err, retire.ErrEnded):
			return notOpen(ctx, w, o.id)
		case err != nil:
			return journal.Unsent(err)
		}
		what := "abandoned"
		if call.State == retire.Done || call.State == retire.Refused {
			what = "settled"
		}
		fmt.Fprintf(o.app.Stderr, "The call %s is %s. %s\n", o.app.Clean(o.id), what,
			o.app.Clean(o.app.Advice(call.Effect())))
		return nil
	})
}

// check looks up the request of a call that was carried out, and asks the user to confirm.
func (o *abandonOptions) check(ctx context.Context, call retire.Call) error {
	settles := o.nothing || o.request != ""
	switch {
	case !settles && !call.Open(), call.State == retire.Done, call.State == retire.Refused:
		return retire.ErrEnded
	case o.request != "" && call.State != retire.Prepared:
		// If it was never sent, Settle returns that error.
		if err := checkRequest(ctx, o.app, call, o.request); err != nil {
			return err
		}
	}
	if err := o.app.CanAsk(o.yes, advice.Format("look at the call with %s", pending)); err != nil {
		return err
	}
	return o.app.Ask(ctx, o.yes, o.question(call))
}

func (o *abandonOptions) question(call retire.Call) command.Question {
	of := fmt.Sprintf("The call %s retires %s of %s; its state is %s%s.", o.app.Clean(o.id),
		call.Plan.Quantity.FormatTonnes(),
		o.app.Clean(call.Plan.VintageID), pendingState(call), o.app.OnProduction())
	q := command.Question{Word: "yes", Not: "nothing was recorded: it was not confirmed"}
	switch {
	case o.nothing:
		q = typeQuantity(call.Plan.Quantity, "confirm that it was not")
		q.Not = "nothing was recorded: the quantity was not confirmed"
		q.Text = fmt.Sprintf("%s\nIf it was carried out after all, %s may be retired twice.", of,
			call.Plan.Quantity.FormatTonnes())
	case o.request != "":
		q.What = "record that it was carried out, in the request " + o.request
		q.Text = of + " An outcome that is recorded cannot be changed."
	default:
		q.What = "abandon it"
		q.Text = of + " It is not sent again; what it may have done stays."
	}
	return q
}

// checkRequest fails if the service does not know the request, or if the request has
// another vintage. If the service does not answer, checkRequest only warns.
func checkRequest(ctx context.Context, a *command.App, call retire.Call, id string) error {
	client, _, err := a.Connect()
	var request retirement.Request
	if err == nil {
		defer a.Disconnect(client)
		request, err = client.Retirement(ctx, id)
	}
	kind := api.KindOf(err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case kind == api.NotFound || kind == api.Invalid:
		return command.Unmet("not_found",
			"ask the operator of the service for the id, and use an API key of the tenant that made the call",
			"the marketplace has no retirement request %s for this API key; nothing was recorded", id)
	case err != nil:
		a.Warn("the retirement request %s could not be looked up and is recorded unchecked: %v", id, err)
	case request.VintageID != call.Plan.VintageID:
		return command.Failed("ask the operator of the service once more for the request of "+call.ExternalID,
			"the retirement request %s has the vintage %s, but the call has the vintage %s; nothing was recorded", id,
			request.VintageID, call.Plan.VintageID)
	}
	return nil
}
