package retire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// requestLetters are the characters that the id of a retirement request may contain.
const requestLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// abandonOptions contain the outcome that the user records.
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
			"the quantity is retired twice, so you confirm by typing it, or with --yes.",
		Example: "  tonne retire abandon tonne-5f0c…\n" +
			"  tonne retire abandon tonne-5f0c… --carried-out 00mretirement000001\n" +
			"  tonne retire abandon tonne-5f0c… --not-carried-out --yes",
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.request, "carried-out", "", "record that the call was carried out, in the retirement `REQUEST`")
	f.BoolVar(&o.nothing, "not-carried-out", false, "record that the call was not carried out and never will be")
	f.BoolVar(&o.yes, "yes", false, "do not ask for confirmation of --not-carried-out")
	return a.Describe(cmd, command.Description{
		Effect: command.Irrevocable, Arguments: []command.Argument{{Name: "ID", Description: "external id of the call", Required: true}},
	})
}

func (o *abandonOptions) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	switch {
	case !cmd.Flags().Changed("carried-out"):
	case o.nothing:
		return command.Usage("give one of them", "--carried-out and --not-carried-out exclude each other")
	case o.request == "" || strings.Trim(o.request, requestLetters) != "":
		return command.Usage("give the id of a retirement request, such as 00mretirement000001", "--carried-out is not the id of a retirement request")
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
			return retiring.Unsent(err)
		}
		what := "abandoned"
		if call.State == retire.Done || call.State == retire.Refused {
			what = "settled"
		}
		fmt.Fprintf(o.app.Stderr, "The call %s is %s. %s\n", o.app.Clean(o.id), what, o.app.Clean(call.Effect()))
		return nil
	})
}

// check looks up the request of a call that was carried out. If a call had no effect,
// the user has to confirm it, because its line may then be sent again.
func (o *abandonOptions) check(ctx context.Context, call retire.Call) error {
	switch {
	case o.request == "" && (!o.nothing || o.yes):
		return nil
	case call.State == retire.Done, call.State == retire.Refused:
		return retire.ErrEnded
	case o.request != "" && call.State == retire.Prepared:
		// It was never sent: Settle returns that error.
		return nil
	case o.request != "":
		return checkRequest(ctx, o.app, call, o.request)
	case !terminal.IsTerminal(o.app.Stdin):
		return command.Usage("ask the operator of the service once more, then add --yes", "--not-carried-out needs confirmation at a terminal, and standard input is not a terminal")
	}
	quantity := call.Plan.Quantity
	return typeQuantity(ctx, o.app, quantity, fmt.Sprintf("If %s was carried out after all, %s may be retired twice%s.\nType %s to confirm that it was not: ",
		o.app.Clean(o.id), quantity.FormatTonnes(), o.app.OnProduction(), toType(quantity)))
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
		return command.Unmet("not_found", "ask the operator of the service for the id, and use an API key of the tenant that made the call",
			"the marketplace has no retirement request %s for this API key; nothing was recorded", id)
	case err != nil:
		a.Warn("the retirement request %s could not be looked up and is recorded unchecked: %v", id, err)
	case request.VintageID != call.Plan.VintageID:
		return command.Failed("ask the operator of the service once more for the request of "+call.ExternalID,
			"the retirement request %s has the vintage %s, but the call has the vintage %s; nothing was recorded", id, request.VintageID, call.Plan.VintageID)
	}
	return nil
}
