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

// requestLetters are what the id of a retirement request may have.
const requestLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// abandonOptions have what a person found out of the call.
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
		Short: "Give up a call whose outcome is not known, or say what became of it",
		Long: "Writes down that a call will not be sent again. What it may have done stays done, and nobody\n" +
			"knows it: it stays unknown in the results, nothing more is retired for it, and its batch, or the\n" +
			"same command, goes on ending with the exit status 5.\n\n" +
			"Ask the operator of the service what became of it, and say so, now or later: with\n" +
			"--carried-out it counts as done, in that retirement request, which is looked up and must be\n" +
			"of its vintage; without an answer it is taken with a warning. With --not-carried-out its line\n" +
			"is planned anew by the same command, with another id. If that is wrong, it is retired twice: so\n" +
			"it is confirmed by typing the quantity, or by --yes.",
		Example: "  tonne retire abandon tonne-5f0c…\n" +
			"  tonne retire abandon tonne-5f0c… --carried-out 00mretirement000001\n" +
			"  tonne retire abandon tonne-5f0c… --not-carried-out --yes",
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.request, "carried-out", "", "it went into the retirement `REQUEST`, as the operator found")
	f.BoolVar(&o.nothing, "not-carried-out", false, "it had no effect and never will, as the operator found")
	f.BoolVar(&o.yes, "yes", false, "do not ask before --not-carried-out: its line may be sent anew")
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
		return command.Usage("give the id of a retirement request, such as 00mretirement000001", "--carried-out names no request")
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
		what := "given up"
		if call.State == retire.Done || call.State == retire.Refused {
			what = "settled"
		}
		fmt.Fprintf(o.app.Stderr, "The call %s is %s. %s\n", o.app.Clean(o.id), what, o.app.Clean(call.Effect()))
		return nil
	})
}

// check asks the service for the request of a call that was carried out, and the person
// to confirm that one had no effect: what it was for may then be sent anew.
func (o *abandonOptions) check(ctx context.Context, call retire.Call) error {
	switch {
	case o.request == "" && (!o.nothing || o.yes):
		return nil
	case call.State == retire.Done, call.State == retire.Refused:
		return retire.ErrEnded
	case o.request != "" && call.State == retire.Prepared:
		// It was never sent, which settling it says.
		return nil
	case o.request != "":
		return checkRequest(ctx, o.app, call, o.request)
	case !terminal.IsTerminal(o.app.Stdin):
		return command.Usage("ask the operator of the service once more, then add --yes", "--not-carried-out is confirmed at a terminal, and standard input is none")
	}
	quantity := call.Plan.Quantity
	return typeQuantity(ctx, o.app, quantity, fmt.Sprintf("If %s was carried out after all, %s may be retired twice%s.\nType %s to say that it was not: ",
		o.app.Clean(o.id), quantity.FormatTonnes(), o.app.OnProduction(), toType(quantity)))
}

// checkRequest is a failure if the service knows no such request, or one of another
// vintage. If it gives no answer, the person is believed.
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
		return command.Unmet("not_found", "ask the operator of the service for its id, and use the key of the tenant that made the call",
			"the marketplace has no retirement request %s for this API key; nothing is written down", id)
	case err != nil:
		a.Warn("the retirement request %s could not be looked up, and is taken as you say: %v", id, err)
	case request.VintageID != call.Plan.VintageID:
		return command.Failed("ask the operator of the service once more for the request of "+call.ExternalID,
			"the retirement request %s is of the vintage %s, and the call of %s; nothing is written down", id, request.VintageID, call.Plan.VintageID)
	}
	return nil
}
