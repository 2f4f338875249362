package retire

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/ui/cli/command"
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

var pendingColumns = output.Columns[retire.Call]{
	{Name: "external_id", Is: "string", Title: "EXTERNAL ID", Value: func(c retire.Call) output.Value { return output.Text(c.ExternalID) }},
	{Name: "batch", Title: "BATCH", Shrink: 8, Drop: 3, Value: func(c retire.Call) output.Value { return output.Optional(c.Batch) }},
	{Name: "reference", Title: "REFERENCE", Shrink: 8, Value: func(c retire.Call) output.Value { return output.Optional(c.Reference) }},
	{Name: "vintage_id", Is: "string", Value: func(c retire.Call) output.Value { return output.Text(wire.Clean(c.Plan.VintageID)) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true, Value: func(c retire.Call) output.Value { return output.Grams(c.Plan.Quantity) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true, Drop: 4, Value: func(c retire.Call) output.Value { return output.Cost(c.Plan.Cost) }},
	{Name: "state", Is: "string", Title: "STATE", Value: func(c retire.Call) output.Value { return output.Text(pendingState(c)) }},
	{Name: "tries", Is: "number", Title: "TRIES", Right: true, Drop: 2, Value: func(c retire.Call) output.Value { return output.Number(c.Tries) }},
	{Name: "made_at", Is: "string", Value: func(c retire.Call) output.Value { return output.Text(command.Rfc3339(c.MadeAt)) }},
	{Name: "made_by", Value: func(c retire.Call) output.Value { return output.Optional(wire.Clean(c.MadeBy)) }},
	{Name: "error", Title: "ERROR", Shrink: 12, Drop: 1, Value: func(c retire.Call) output.Value { return output.Optional(wire.Clean(c.Remark())) }},
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
		return command.NotConfigured("name it with --base-url, or run `tonne auth login`", "no marketplace is configured")
	}
	if err != nil {
		return err
	}
	// With a key, calls that it made under another profile are the account's too.
	_ = a.FindKey(s)
	a.Announce()
	w, err := retiring.Open(ctx, a, s)
	if err != nil {
		return err
	}
	return errors.Join(fn(w), w.Close(terminal.Patience))
}
