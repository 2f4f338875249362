package retire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// foundOut is what a person found out of a call whose outcome is not known: the
// request that it went into, or that it was never carried out.
type foundOut struct {
	request string
	nothing bool
	// yes says that a second sending need not be confirmed.
	yes bool
}

func abandonCommand(a *command.App) *cobra.Command {
	var found foundOut
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
		Args: cobra.ExactArgs(1),
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("carried-out") && !mayBeRequest(found.request) {
				return command.Usage("give the id of a retirement request, such as 00mretirement000001", "--carried-out names no request")
			}
			return abandon(ctx, a, args[0], found)
		}),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&found.request, "carried-out", "", "it went into the retirement `REQUEST`, as the operator found")
	f.BoolVar(&found.nothing, "not-carried-out", false, "it had no effect and never will, as the operator found")
	f.BoolVar(&found.yes, "yes", false, "do not ask before --not-carried-out: its line may be sent anew")
	cmd.MarkFlagsMutuallyExclusive("carried-out", "not-carried-out")
	return a.Describe(cmd, command.Description{
		Effect: command.Irrevocable, Arguments: []command.Argument{{Name: "ID", Description: "external id of the call", Required: true}},
	})
}

func abandon(ctx context.Context, a *command.App, id string, found foundOut) error {
	return withJournal(ctx, a, func(w *retire.Workflow) error {
		err := checkFound(ctx, a, w, id, found)
		if err != nil {
			return err
		}
		var call retire.Call
		if found.nothing || found.request != "" {
			call, err = w.Settle(ctx, id, found.request)
		} else {
			call, err = w.Abandon(ctx, id)
		}
		switch {
		case errors.Is(err, retire.ErrNoCall), errors.Is(err, retire.ErrEnded):
			return notPending(id)
		case err != nil:
			return retiring.Unsent(a, err)
		}
		what := "given up"
		if call.State == retire.Done || call.State == retire.Refused {
			what = "settled"
		}
		fmt.Fprintf(a.Stderr, "The call %s is %s. %s\n", a.Clean(id), what, a.Clean(whatBecame(call)))
		return nil
	})
}

// checkFound checks what a person found out: the service is asked for the request
// of a call that was carried out; that one had no effect the person confirms, since
// what it was for may then be sent anew.
func checkFound(ctx context.Context, a *command.App, w *retire.Workflow, id string, found foundOut) error {
	if found.request == "" && (!found.nothing || found.yes) {
		return nil
	}
	call, err := w.Call(ctx, id)
	switch {
	case errors.Is(err, retire.ErrNoCall), err == nil && (call.State == retire.Done || call.State == retire.Refused):
		return notPending(id)
	case err != nil:
		return err
	case found.request != "" && call.State == retire.Prepared:
		// It was never sent, which settling it says.
		return nil
	case found.request != "":
		return checkRequest(ctx, a, call, found.request)
	case !terminal.IsTerminal(a.Stdin):
		return command.Usage("ask the operator of the service once more, then add --yes", "--not-carried-out is confirmed at a terminal, and standard input is none")
	}
	r := &permitted{App: a}
	return r.typed(ctx, call.Plan.Quantity, fmt.Sprintf("If %s was carried out after all, %s may be retired twice%s.\nType %s to say that it was not: ",
		a.Clean(id), call.Plan.Quantity.FormatTonnes(), a.OnProduction(), toType(call.Plan.Quantity)))
}

func mayBeRequest(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
	})
}

// checkRequest is a failure if the service says that there is no such request, or
// that it is of another vintage than the call. Where it gives no answer the person
// is believed.
func checkRequest(ctx context.Context, a *command.App, call retire.Call, id string) error {
	client, _, err := a.Connect()
	var request model.Retirement
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

func whatBecame(call retire.Call) string {
	switch {
	case call.State == retire.Done:
		return "It was carried out, in the request " + call.RequestID + "."
	case call.State == retire.Refused && call.Batch == "":
		return "It was not carried out, as you say: retire anew what it was for."
	case call.State == retire.Refused:
		return "It was not carried out, as you say: its line is planned anew by the same batch."
	case call.Unsure:
		return "It may have been carried out. Ask the operator of the service, and say so with --carried-out REQUEST or --not-carried-out."
	case call.State == retire.Sent:
		return "It was not accepted: " + retire.Remark(call) + "."
	}
	return "It was never carried out."
}
