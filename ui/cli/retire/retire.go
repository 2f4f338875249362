// Package retire implements the command `tonne retire` with pending, resume and abandon.
// It reads flags and batch files, asks for confirmation and prints plans and results.
// Package api/retire plans, sends and keeps the journal. Start reading at Command.
package retire

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type retireOptions struct {
	app                           *command.App
	send                          sendOptions
	vintage, tonnes, grams, order string
	reference                     string
	customer                      retirement.Retiree
	file, results                 string
	maxPrice, maxCost             string
	dryRun, takeOver              bool
	format                        output.Format
}

// Command returns `tonne retire`.
func Command(a *command.App) *cobra.Command {
	o := &retireOptions{app: a}
	cmd := &cobra.Command{
		Use:   "retire --vintage ID (--tonnes N | --grams N) | retire --file BATCH.csv --results FILE.csv",
		Short: "Retire credits, exactly once",
		Long: "Retires credits from your inventory first and buys the rest in whole tonnes: from one sell\n" +
			"order, or from several if none is large enough. A retirement cannot be undone. The command\n" +
			"therefore needs allow_retire = true in the profile, or --allow-retire, and you confirm by\n" +
			"typing the quantity, or with --yes.\n\n" +
			"Each call is written to a journal before it is sent. After a crash, a time-out or a lost\n" +
			"connection, repeat the command with --file or run `tonne retire resume`: it sends the same\n" +
			"calls again until their outcome is known, and nothing is retired or bought twice.\n\n" +
			"With a --reference, the same command retires only what is still missing. Without one, each\n" +
			"run is a new retirement.\n\n" +
			"The first line of a batch file names the columns. Required: reference, vintage_id and\n" +
			"quantity_grams. Optional: sell_order_id, max_price_cents, customer_name, customer_tax_id,\n" +
			"customer_country and customer_id.\n\n" +
			"The results show purchases and costs as planned. The invoice may differ if another user\n" +
			"changed the wallet in the meantime. A call with the status not_sent may still be recorded by\n" +
			"the service if its error says that the service rejected it.",
		Example: "  tonne retire --vintage 004mrioohazvurrwl6 --tonnes 12 --dry-run\n" +
			"  tonne retire --vintage 004mrioohazvurrwl6 --grams 20 --reference flight-9\n" +
			"  tonne retire --vintage 004mrioohazvurrwl6 --tonnes 3 --customer 'Your Customer Ltd' --tax-id 123 --country GB\n" +
			"  tonne retire --file october.csv --results october-results.csv --max-cost 5000.00 --yes\n" +
			"  tonne retire pending",
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &o.format)
	o.send.addFlags(cmd)
	o.addFlags(cmd)
	cmd.AddCommand(pendingCommand(a), resumeCommand(a), abandonCommand(a))
	return a.Describe(cmd, command.Description{Effect: command.Irrevocable, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")},
		{Formats: []output.Format{output.JSON, output.JSONL}, With: "--dry-run", Fields: plannedJSON.Fields("")},
		command.RowForm("", resultColumns.Header(), output.CSV), command.RowForm("--dry-run", resultColumns.Header(), output.CSV),
	}})
}

func (o *retireOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.vintage, "vintage", "", "`ID` of the vintage")
	f.StringVar(&o.tonnes, "tonnes", "", "retire `N` whole tonnes")
	f.StringVar(&o.grams, "grams", "", "retire `N` grams")
	f.StringVar(&o.order, "order", "", "buy from the sell order with the `ID` (default the cheapest that covers it)")
	f.StringVar(&o.reference, "reference", "", "`TEXT` that identifies the retirement in your own records; the ledger finds it by this")
	f.StringVar(&o.customer.Name, "customer", "", "retire on behalf of the customer `NAME`; whole tonnes only")
	f.StringVar(&o.customer.TaxID, "tax-id", "", "tax `ID` of the customer")
	f.StringVar(&o.customer.Country, "country", "", "`CODE` of the customer's country, such as GB")
	f.StringVar(&o.customer.ID, "customer-id", "", "`ID` of the customer in your own records")
	f.StringVar(&o.file, "file", "", "retire each line of the CSV `FILE`")
	f.StringVar(&o.results, "results", "", "write the outcome of each line to `FILE`")
	f.StringVar(&o.maxPrice, "max-price", "", "send nothing if a tonne costs more than `PRICE`: $6.20, or whole cents")
	f.StringVar(&o.maxCost, "max-cost", "", "send nothing that could bring the total cost above `AMOUNT`: $5000.00, or whole cents")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the plan and send nothing")
	f.BoolVar(&o.takeOver, "take-over", false, "take over a batch started on another machine, or retire one that looks like an earlier batch")
}

// emptyLimit fails if a flag for a limit or a customer is present but empty. A script
// with an empty variable must not make another retirement than intended.
func emptyLimit(flags *pflag.FlagSet) error {
	for _, name := range []string{"max-price", "max-cost", "order", "customer", "tax-id", "country", "customer-id", "file"} {
		if flags.Changed(name) && strings.TrimSpace(flags.Lookup(name).Value.String()) == "" {
			return command.Usage("give it a value, or leave it out", "--%s is empty", name)
		}
	}
	return nil
}

func (o *retireOptions) limits() (price model.PriceCents, cost model.Cents, err error) {
	amount := func(flag, text string, none model.Cents) model.Cents {
		if text == "" {
			return none
		}
		n, wrong := model.ParseAmount(text)
		if wrong != nil {
			err = command.Usage(command.AmountAdvice, "%s %q is not an amount", flag, text)
		}
		return n
	}
	price = model.PriceCents(amount("--max-price", o.maxPrice, model.Cents(model.UnknownPrice)))
	return price, amount("--max-cost", o.maxCost, -1), err
}

func (o *retireOptions) quantity() (model.Grams, error) {
	switch {
	case o.vintage == "":
		return 0, command.Usage("`tonne market` and `tonne inventory` list the ids of vintages", "--vintage is missing")
	case (o.tonnes == "") == (o.grams == ""):
		return 0, command.Usage("give --tonnes N or --grams N", "one of --tonnes and --grams is needed")
	case o.tonnes != "":
		return listing.ParseQuantity(o.tonnes, "--tonnes", model.GramsPerTonne)
	}
	return listing.ParseQuantity(o.grams, "--grams", 1)
}

func (o *retireOptions) read() (*purchase, error) {
	maxPrice, maxCost, err := o.limits()
	if err != nil {
		return nil, err
	}
	r := &purchase{app: o.app, o: o, mostCost: maxCost, sub: &retire.Submission{TakeOver: o.takeOver}}
	if o.file != "" {
		return r, r.readBatch(maxPrice)
	}
	if o.results != "" {
		return nil, command.Usage("name the batch with --file, or leave --results out", "--results is for a batch")
	}
	quantity, err := o.quantity()
	if err != nil {
		return nil, err
	}
	reference := strings.TrimSpace(o.reference)
	if reference == "" && o.reference != "" {
		return nil, command.Usage("give a text, or leave it out", "--reference is blank")
	}
	line := &retire.Line{
		Reference: reference, MaxPrice: maxPrice,
		Request: retirement.RetireRequest{VintageID: o.vintage, Quantity: quantity, Retiree: o.customer, SellOrderID: o.order},
	}
	if err := retire.Check(reference, line.Request); err != nil {
		return nil, command.Usage("see `tonne retire --help`", "%v", err)
	}
	r.sub.Lines = []*retire.Line{line}
	return r, nil
}

func (o *retireOptions) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	if err := emptyLimit(cmd.Flags()); err != nil {
		return err
	}
	r, err := o.read()
	if err == nil && !o.dryRun {
		err = o.send.canConfirm(o.app, "look at the plan with --dry-run")
	}
	if err != nil {
		return err
	}
	if r.send, err = newSender(ctx, o.app, cmd, o.send); err != nil {
		return err
	}
	defer r.send.close()
	if err := r.recall(ctx); err != nil {
		return err
	}
	if o.dryRun {
		if err := r.showPlan(r.plan(ctx)); err != nil {
			return err
		}
		return unfinished(ctx, r.sub.All(), r.advice())
	}
	o.app.Terminal.Patient.Store(true)
	return r.finish(ctx, r.retire(ctx))
}
