package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/ui/cli/output"
)

func (a *app) retirePendingCommand() *cobra.Command {
	return a.rowsCommand(&cobra.Command{
		Use:   "pending",
		Short: "Print the calls whose outcome is not known",
		Long: "Prints the calls of the journal whose outcome is not known: also those that were given up until\n" +
			"somebody says what became of them, those that were confirmed and not sent yet, and those that\n" +
			"another program is sending. Nothing is asked of the service.",
		Example: "  tonne retire pending\n  tonne retire resume\n  tonne retire abandon tonne-5f0c…",
	}, objectForm[pendingJSON]("[].", output.JSON), pendingHeader, a.printPending)
}

const pendingHeader = "external_id,batch,reference,vintage_id,quantity_grams,cost_cents,state,tries,made_at,made_by,error"

type pendingJSON struct {
	ExternalID string       `json:"external_id"`
	Batch      output.Value `json:"batch"`
	Reference  output.Value `json:"reference"`
	VintageID  string       `json:"vintage_id"`
	Quantity   output.Value `json:"quantity_grams"`
	Cost       string       `json:"cost_cents"`
	State      string       `json:"state"`
	Tries      output.Value `json:"tries" is:"number"`
	MadeAt     string       `json:"made_at"`
	MadeBy     output.Value `json:"made_by"`
	Error      output.Value `json:"error"`
}

func pendingOut(c retire.Call) pendingJSON {
	return pendingJSON{
		c.ExternalID, output.Optional(c.Batch), output.Optional(c.Reference), wire.Clean(c.Plan.VintageID), output.Grams(c.Plan.Quantity), c.Plan.Cost.String(),
		pendingState(c), output.Number(c.Tries), rfc3339(c.MadeAt), output.Optional(wire.Clean(c.MadeBy)), output.Optional(wire.Clean(pendingWhy(c))),
	}
}

// pendingState is the state of a call; not_sent, as in the results, of one that was
// turned away.
func pendingState(c retire.Call) string {
	if c.State == retire.Sent && !c.Doubtful() {
		return string(callNotSent)
	}
	return string(c.State)
}

// pendingWhy says why a call is in the list, as far as its state does not.
func pendingWhy(c retire.Call) string {
	switch {
	case c.UnderWay:
		return "being sent by a program that runs"
	case c.GivenUp:
		return "given up; ask the operator, then `tonne retire abandon ID --carried-out REQUEST` or `--not-carried-out`"
	case c.Confirmed():
		return partOf(c)
	case c.Unsure && c.Message == "":
		return "the program ended before it was answered"
	}
	return retire.Remark(c)
}

// withJournal calls fn with the workflow of the account that is configured, which
// needs no key.
func (a *app) withJournal(ctx context.Context, fn func(*retire.Workflow) error) error {
	s, err := a.settings()
	if errors.Is(err, errNotConfigured) {
		return notConfigured("name it with --base-url, or run `tonne auth login`", "no marketplace is configured")
	}
	if err != nil {
		return err
	}
	// With a key, calls that it made under another profile are the account's too.
	_ = a.findKey(s)
	a.announce()
	w := a.workflow(s)
	if err := a.openJournal(ctx, w); err != nil {
		return err
	}
	a.warnOfStranded(ctx, w, s)
	return errors.Join(fn(w), w.Close(patience))
}

func (a *app) printPending(ctx context.Context, format output.Format) error {
	return a.withJournal(ctx, func(w *retire.Workflow) error {
		calls, err := w.Unsettled(ctx)
		if err != nil {
			return err
		}
		var rows []pendingJSON
		for _, c := range calls {
			rows = append(rows, pendingOut(c))
		}
		return a.print(format, formats{
			document: func() error { return output.List(a.data(), slices.Values(rows)) },
			header:   pendingHeader,
			rows: func(out output.Rows) {
				for _, p := range rows {
					out.Write(output.Text(p.ExternalID), p.Batch, p.Reference, output.Text(p.VintageID), p.Quantity, output.Text(p.Cost),
						output.Text(p.State), p.Tries, output.Text(p.MadeAt), p.MadeBy, p.Error)
				}
			},
			table: func() *output.Grid { return pendingTable(calls) },
			none:  "the outcome of every call is known",
		})
	})
}

func pendingTable(calls []retire.Call) *output.Grid {
	g := output.NewGrid(
		output.Heading{Title: "EXTERNAL ID"}, output.Heading{Title: "BATCH", Shrink: 8, Drop: 3}, output.Heading{Title: "REFERENCE", Shrink: 8},
		output.Heading{Title: "QUANTITY", Right: true}, output.Heading{Title: "COST", Right: true, Drop: 4}, output.Heading{Title: "STATE"},
		output.Heading{Title: "TRIES", Right: true, Drop: 2}, output.Heading{Title: "ERROR", Shrink: 12, Drop: 1},
	)
	for _, c := range calls {
		g.Add(c.ExternalID, dash(c.Batch), dash(c.Reference), c.Plan.Quantity.FormatTonnes(), c.Plan.Cost.FormatDollars(), pendingState(c),
			fmt.Sprint(c.Tries), dash(pendingWhy(c)))
	}
	return g
}
