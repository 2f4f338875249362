package execution

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
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
	return cmp.Or(err, command.CheckExcluded(cmd, "reason", "from", "to", "like", "pdf", "xlsx", "overwrite", "output",
		"columns", "sort"))
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
	case strings.ContainsAny(e.bought, ".,"):
		return p.Vintage.VintageID == r.vintage && p.At().UnixMilli() == e.at.UnixMilli()
	}
	// A time without a fraction means its whole second.
	return p.Vintage.VintageID == r.vintage && p.At().Truncate(time.Second).Equal(e.at)
}

// find returns the selected purchases. The purchases of a --bought have the same time.
func (e *explanation) find(r *run, all []execution.Purchase) ([]execution.Purchase, error) {
	found := slices.DeleteFunc(all, func(p execution.Purchase) bool { return !e.selects(p, r) })
	if len(found) == 0 {
		return nil, e.notFound(r)
	}
	var times []string
	for _, p := range found {
		times = append(times, model.At(p.At()).Text)
	}
	if times = model.Unique(times); e.bought != "" && len(times) > 1 {
		return nil, command.Usage("give --bought one of these times, with its milliseconds",
			"%d purchases of the vintage %s were made within this second: at %s", len(found), r.vintage,
			strings.Join(times, ", "))
	}
	return found, nil
}

func (e *explanation) notFound(r *run) error {
	todo := listsPurchases()
	switch {
	case e.externalID != "":
		return command.Unmet("not_found", todo,
			"no purchase of the inventory was made by a call of this machine with the external id %s", e.externalID)
	case r.request != "":
		return command.Unmet("not_found", todo, noneOfRequest, r.request)
	}
	return command.Unmet("not_found", todo, "no purchase of the vintage %s was made at %s", r.vintage, e.bought)
}

// save keeps the reason of the selected purchases.
func (e *explanation) save(ctx context.Context, r *run, reading *listing.Connection, inv *portfolio.Inventory) error {
	calls, err := journal.Entries(r.app, reading.BaseURL)(ctx)
	if err != nil {
		return err
	}
	purchases, err := e.find(r, execution.Purchases(inv, calls))
	if err != nil {
		// The purchase may be in the part that was not read.
		return cmp.Or(reading.Unseen(), err)
	}
	local := reading.ProjectDetails.Store
	notes := local.Of(reading.ProjectDetails.Origin).Annotations
	before, err := notes.Reasons(ctx)
	if err != nil {
		return err
	}
	reason := command.OneLine(e.text)
	replaced := make(map[store.Bought]bool)
	for _, p := range purchases {
		of := store.NewBought(p.Vintage, p.At())
		if err := notes.AddReason(ctx, of, reason, r.app.Now()); err != nil {
			return err
		}
		if old := before[of]; old != "" && old != reason {
			replaced[of] = true
		}
	}
	if local.Problem() != nil {
		return command.Failed("repair or move the file; it contains the reasons", "%v", local.Problem())
	}
	text := "The reason of " + model.Count(len(purchases), "purchase", "purchases") + " is saved."
	if kept := len(replaced); kept > 0 {
		text += " " + model.Count(kept, "earlier reason is", "earlier reasons are") + " kept, and no longer shown."
	}
	r.app.Say(text + "\n")
	return reading.Unseen()
}
