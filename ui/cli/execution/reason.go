package execution

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/execution"
	"tonne/model/file/store"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/listing"
)

// explanation is the buyer's own explanation of purchases, and which they are.
type explanation struct {
	text, externalID, bought string
	at                       time.Time
}

func (e *explanation) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.text, "reason", "", "keep `TEXT` as the reason of the selected purchases, and print nothing")
	f.StringVar(&e.externalID, "external-id", "", "with --reason: the purchase of the call with this `ID`")
	f.StringVar(&e.bought, "bought", "", "with --reason and --vintage: the purchase at `TIME`, for one made elsewhere")
}

func (e *explanation) check(cmd *cobra.Command, r *run) (err error) {
	switch selected := cmd.Flags().Changed; {
	case !selected("reason") && (selected("external-id") || selected("bought")):
		return command.Usage("add --reason TEXT", "--external-id and --bought select a purchase for --reason")
	case !selected("reason"):
		return nil
	case strings.TrimSpace(e.text) == "":
		return command.Usage("give a text", "--reason is empty")
	case count(r.request != "", e.externalID != "", e.bought != "") != 1 || (e.bought == "") != (r.vintage == ""):
		return command.Usage("give --request ID, --external-id ID, or --vintage ID with --bought TIME",
			"--reason needs one purchase or one request")
	case e.bought != "":
		e.at, err = listing.ParseTime("--bought", e.bought)
	}
	return err
}

func count(all ...bool) (n int) {
	for _, yes := range all {
		if yes {
			n++
		}
	}
	return n
}

func (e *explanation) selects(p execution.Purchase, r *run) bool {
	switch {
	case e.externalID != "":
		return p.ExternalID == e.externalID
	case r.request != "":
		return p.RequestID == r.request
	}
	// A time without a fraction means its whole second.
	return p.Vintage.VintageID == r.vintage && (p.At().Equal(e.at) || p.At().Truncate(time.Second).Equal(e.at))
}

// save keeps the reason of the selected purchases.
func (e *explanation) save(ctx context.Context, r *run, reading *listing.Connection, inv *portfolio.Inventory) error {
	calls, err := journal.Entries(r.app, reading.BaseURL)(ctx)
	if err != nil {
		return err
	}
	local := reading.ProjectDetails.Store
	notes := local.Of(reading.ProjectDetails.Origin).Annotations
	before, err := notes.Reasons(ctx)
	if err != nil {
		return err
	}
	saved, kept := 0, 0
	for _, p := range execution.Purchases(inv, calls) {
		if !e.selects(p, r) {
			continue
		}
		of := store.NewBought(p.Vintage, p.At())
		if err := notes.AddReason(ctx, of, command.OneLine(e.text), r.app.Now()); err != nil {
			return err
		}
		saved++
		if before[of] != "" {
			kept++
		}
	}
	switch {
	case saved == 0:
		return command.Unmet("not_found", advice.Format("%s lists the purchases", advice.Tonne("execution -o csv")),
			"no purchase of the inventory was made by this")
	case local.Problem() != nil:
		return command.Failed("repair or move the file; it contains the reasons", "%v", local.Problem())
	}
	text := "The reason of " + model.Count(saved, "purchase", "purchases") + " is saved."
	if kept > 0 {
		text += " " + model.Count(kept, "earlier reason is", "earlier reasons are") + " kept, and no longer shown."
	}
	r.app.Say(text + "\n")
	return nil
}
