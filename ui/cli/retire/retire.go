// Package retire is `tonne retire` with pending, resume and abandon. It reads input,
// asks for confirmation and prints; package api/retire plans, sends and keeps the
// journal.
package retire

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
	"tonne/ui/cli/retiring"
)

// run is one run of `tonne retire`.
type run struct {
	permitted
	vintage, tonnes, grams, order string
	reference                     string
	customer                      model.Retiree
	file, results                 string
	maxPrice, maxCost             string
	format                        output.Format

	*retire.Submission
	// batchHash is the SHA-256 of the file of a batch in hexadecimal.
	batchHash string
	// gone are the calls of the batch that are not settled and whose lines are not
	// in its file any more.
	gone []retire.Call
	// mostCost is what all may cost, or below 0; spent is what it may have cost.
	mostCost model.Cents
	spent    spending
	// short is what cannot be supplied.
	short model.Grams
	// dearer is what one order that has enough costs above the cheapest together.
	dearer model.Cents
	// followed are the calls that are done, with where their grams stand, by
	// external ids.
	followed map[string]model.JournalEntry
}

// Command returns `tonne retire`.
func Command(a *command.App) *cobra.Command {
	r := &run{permitted: permitted{App: a}, Submission: &retire.Submission{}}
	cmd := &cobra.Command{
		Use:   "retire --vintage ID (--tonnes N | --grams N) | retire --file BATCH.csv --results FILE.csv",
		Short: "Retire credits, exactly once",
		Long: "Retires from your inventory first, and buys what is missing in whole tonnes from one sell\n" +
			"order, or from several where none has enough. It cannot be undone, so it is off unless the\n" +
			"profile says allow_retire = true, or --allow-retire is given, and it is confirmed by typing\n" +
			"the quantity, or by --yes.\n\n" +
			"Each call is on disk before it is sent. After a crash, a time-out or a lost connection the\n" +
			"same command with --file, or `tonne retire resume`, asks again until the outcome is known;\n" +
			"nothing is retired or bought twice. With a --reference the same command counts what is\n" +
			"retired already and retires the rest; without one each command is a retirement of its own.\n\n" +
			"The first line of a batch names its columns: reference, vintage_id and quantity_grams, and,\n" +
			"if you like, sell_order_id, max_price_cents, customer_name, customer_tax_id,\n" +
			"customer_country and customer_id. Beside the results stands their evidence: every call that\n" +
			"the journal has of the batch, with who made it and when. What was bought and what it cost\n" +
			"are those of the plan that was confirmed: if somebody else changed the wallet meanwhile, the\n" +
			"invoice may differ. What is not_sent since it was turned away may be in the books.",
		Example: "  tonne retire --vintage 004mrioohazvurrwl6 --tonnes 12 --dry-run\n" +
			"  tonne retire --vintage 004mrioohazvurrwl6 --grams 20 --reference flight-9\n" +
			"  tonne retire --vintage 004mrioohazvurrwl6 --tonnes 3 --customer 'Your Customer Ltd' --tax-id 123 --country GB\n" +
			"  tonne retire --file october.csv --results october-results.csv --max-cost 5000.00 --yes\n" +
			"  tonne retire pending",
		Args: command.OnlyCommands,
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := emptyLimit(cmd.Flags()); err != nil {
				return err
			}
			return r.run(ctx, cmd, args)
		}),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &r.format)
	r.addFlags(cmd)
	r.retireFlags(cmd)
	cmd.AddCommand(pendingCommand(a), resumeCommand(a), abandonCommand(a))
	return a.Describe(cmd, command.Description{Effect: command.Irrevocable, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")},
		{Formats: []output.Format{output.JSON, output.JSONL}, With: "--dry-run", Fields: plannedJSON.Fields("")},
		command.RowForm("", resultColumns.Header(), output.CSV), command.RowForm("--dry-run", resultColumns.Header(), output.CSV),
	}})
}

func (r *run) retireFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.vintage, "vintage", "", "`ID` of the vintage")
	f.StringVar(&r.tonnes, "tonnes", "", "retire `N` whole tonnes")
	f.StringVar(&r.grams, "grams", "", "retire `N` grams")
	f.StringVar(&r.order, "order", "", "buy from the sell order with the `ID` (default the cheapest that covers it)")
	f.StringVar(&r.reference, "reference", "", "`TEXT` of your books that the ledger finds it by")
	f.StringVar(&r.customer.Name, "customer", "", "retire in the `NAME` of a customer; whole tonnes only")
	f.StringVar(&r.customer.TaxID, "tax-id", "", "tax `ID` of the customer")
	f.StringVar(&r.customer.Country, "country", "", "`CODE` of the customer's country, such as GB")
	f.StringVar(&r.customer.ID, "customer-id", "", "`ID` of the customer in your own books")
	f.StringVar(&r.file, "file", "", "retire each line of a `FILE`")
	f.StringVar(&r.results, "results", "", "write what became of each line to a `FILE`")
	f.StringVar(&r.maxPrice, "max-price", "", "send nothing if a tonne costs more than `PRICE`: $6.20, or whole cents")
	f.StringVar(&r.maxCost, "max-cost", "", "send nothing that could make all cost more than `AMOUNT`: $5000.00, or whole cents")
	f.BoolVar(&r.dryRun, "dry-run", false, "print the plan and send nothing")
	f.BoolVar(&r.TakeOver, "take-over", false, "go on with a batch that another machine began and will not go on with, or that looks like another one")
}

func (r *run) read() error {
	mostPrice, mostCost, err := r.limits()
	if err != nil {
		return err
	}
	r.mostCost = mostCost
	if r.file != "" {
		return r.readBatch(mostPrice)
	}
	if r.results != "" {
		return command.Usage("name the batch with --file, or leave --results out", "--results is for a batch")
	}
	quantity, err := r.quantity()
	if err != nil {
		return err
	}
	reference := strings.TrimSpace(r.reference)
	if reference == "" && r.reference != "" {
		return command.Usage("give it a text, or leave it out", "--reference holds nothing but blanks")
	}
	line := &retire.Line{
		Reference: reference, MaxPrice: mostPrice,
		Request: model.RetireRequest{VintageID: r.vintage, Quantity: quantity, Retiree: r.customer, SellOrderID: r.order},
	}
	if err := retire.Check(reference, line.Request); err != nil {
		return command.Usage("see `tonne retire --help`", "%v", err)
	}
	r.Lines = []*retire.Line{line}
	return nil
}

// emptyLimit is a failure if a flag is given without a value that limits what is
// retired or says for whom: a script whose variable is empty means no other
// retirement than one whose variable is set.
func emptyLimit(flags *pflag.FlagSet) error {
	for _, name := range []string{"max-price", "max-cost", "order", "customer", "tax-id", "country", "customer-id", "file"} {
		if flags.Changed(name) && strings.TrimSpace(flags.Lookup(name).Value.String()) == "" {
			return command.Usage("give it a value, or leave it out", "--%s is empty", name)
		}
	}
	return nil
}

func (r *run) limits() (price model.PriceCents, cost model.Cents, err error) {
	price, cost = model.UnknownPrice, -1
	for _, limit := range []struct {
		flag, text string
		set        func(model.Cents)
	}{
		{"--max-price", r.maxPrice, func(n model.Cents) { price = model.PriceCents(n) }},
		{"--max-cost", r.maxCost, func(n model.Cents) { cost = n }},
	} {
		if limit.text == "" {
			continue
		}
		n, err := model.ParseAmount(limit.text)
		if err != nil {
			return 0, 0, command.Usage(command.AmountAdvice, "%s %q is not an amount", limit.flag, limit.text)
		}
		limit.set(n)
	}
	return price, cost, nil
}

func (r *run) quantity() (model.Grams, error) {
	switch {
	case r.vintage == "":
		return 0, command.Usage("`tonne market` and `tonne inventory` list the ids of vintages", "--vintage is missing")
	case (r.tonnes == "") == (r.grams == ""):
		return 0, command.Usage("give --tonnes N or --grams N", "one of --tonnes and --grams is needed")
	case r.tonnes != "":
		return listing.ParseQuantity(r.tonnes, "--tonnes", model.GramsPerTonne)
	}
	return listing.ParseQuantity(r.grams, "--grams", 1)
}

func (r *run) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	if err := r.read(); err != nil {
		return err
	}
	if !r.dryRun {
		if err := r.canConfirm("look at the plan with --dry-run"); err != nil {
			return err
		}
	}
	r.doubtTaxIDs()
	if err := r.open(ctx, cmd); err != nil {
		return err
	}
	defer r.close()
	if err := r.recall(ctx); err != nil {
		return err
	}
	if r.dryRun {
		if err := r.showPlan(r.plan(ctx)); err != nil {
			return err
		}
		return r.ended(ctx, r.All(), r.adviceOn())
	}
	r.Terminal.Patient.Store(true)
	return r.finish(ctx, r.retire(ctx))
}

func (r *run) retire(ctx context.Context) error {
	// The plan depends on calls of an earlier run whose outcome is unknown.
	if err := r.mayAskAgain(ctx); err != nil {
		return err
	}
	if err := r.again(ctx, r.All()); err != nil || slices.ContainsFunc(r.All(), (*retire.Call).Resumable) {
		return err
	}
	err := r.plan(ctx)
	if err != nil || len(r.New()) == 0 {
		return err
	}
	if err := r.tellPlan(); err != nil {
		return err
	}
	if err := r.confirm(ctx, r.New()); err != nil {
		return err
	}
	err = r.Send(ctx, func(p retire.Progress) {
		if p.Tries == 0 {
			r.progress.Tell("line %d of %d", p.Line+1, len(r.Lines))
		}
		r.report(p)
	})
	return r.sendFailure(err)
}

func (r *run) sendFailure(err error) error {
	_, elsewhere := errors.AsType[*retire.ElsewhereError](err)
	changed, moved := errors.AsType[*retire.ChangedError](err)
	switch {
	case moved:
		return command.Unmet("moved", "run it again to see the new plan", "%v; nothing was sent", changed)
	case elsewhere && r.Batch != "":
		return r.elsewhere(r.New()[slices.IndexFunc(r.New(), func(c *retire.Call) bool { return c.Elsewhere })])
	}
	return r.permitted.sendFailure(r.New(), unread(err))
}

func (r *run) finish(ctx context.Context, err error) error {
	calls := r.All()
	r.progress.Clear()
	r.remember(ctx, calls)
	r.follow(ctx)
	for _, c := range calls {
		if c.State == retire.Done && retiring.ErrorOf(c) == "" {
			c.Message = r.followed[c.ExternalID].Where()
		}
	}
	var failed error
	if r.results != "" && len(calls) > 0 {
		failed = r.writeFiles(ctx, calls)
	}
	sent := slices.ContainsFunc(calls, func(c *retire.Call) bool { return r.status(c) != callNotSent })
	if failed == nil && (err == nil || sent) {
		failed = r.printCalls(r.format, calls, r.short)
	}
	advice := r.adviceOn()
	if err = errors.Join(err, failed); err != nil {
		return advice.ifHarmful(err)
	}
	if err := r.ended(ctx, calls, advice); err != nil || len(r.gone) == 0 {
		return err
	}
	return r.goneUnsettled()
}
