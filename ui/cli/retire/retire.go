// Package retire implements the command `tonne retire` with pending, resume and abandon.
// It reads flags and batch files, asks for confirmation and prints plans and results.
// Package api/retire plans, sends and keeps the journal. Start reading at Command.
package retire

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/file/atomicfile"
	"tonne/model/fold"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type retireOptions struct {
	sender
	vintage, tonnes, grams, order string
	project                       string
	reference                     string
	customer                      retirement.Retiree
	file, results                 string
	table                         *filing.Table
	maxPrice, maxCost             string
	dryRun, takeOver              bool
	format                        output.Format

	sub *retire.Submission
	kind
	// gone are the unsettled calls of the batch whose lines are no longer in its file.
	gone []retire.Call
	// mostCost is the limit of --max-cost, or negative. spent is the highest possible cost so far.
	mostCost model.Cents
	spent    spending
	// short is the quantity that cannot be supplied.
	short model.Grams
}

// Command returns `tonne retire`.
func Command(a *command.App) *cobra.Command {
	o := &retireOptions{sender: sender{app: a}}
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
			"A batch file has a line of titles that names the columns. Required: reference, vintage_id and\n" +
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
	o.sender.addFlags(cmd)
	o.addFlags(cmd)
	cmd.AddCommand(pendingCommand(a), resumeCommand(a), abandonCommand(a))
	return a.Describe(cmd, command.Description{Effect: command.Irrevocable, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON, output.JSONL}, Fields: retiredJSON.Fields("")},
		{Formats: []output.Format{output.JSON, output.JSONL}, With: "--dry-run", Fields: plannedJSON.Fields("")},
		command.RowForm("", resultColumns.RowFields(), output.CSV),
		command.RowForm("--dry-run", resultColumns.RowFields(), output.CSV),
	}})
}

func (o *retireOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.vintage, "vintage", "", "`ID` of the vintage")
	f.StringVar(&o.project, "project", "", "`ID` of the project, if several projects have a vintage with this id")
	f.StringVar(&o.tonnes, "tonnes", "", "retire `N` tonnes, with up to six decimals, such as 12 or 0.5")
	f.StringVar(&o.grams, "grams", "", "retire `N` grams")
	f.StringVar(&o.order, "order", "", "buy from the sell order with the `ID` (default the cheapest that covers it)")
	f.StringVar(&o.reference, "reference", "",
		"`TEXT` that identifies the retirement in your own records; the ledger finds it by this")
	f.StringVar(&o.customer.Name, "customer", "", "retire on behalf of the customer `NAME`; whole tonnes only")
	f.StringVar(&o.customer.TaxID, "tax-id", "", "tax `ID` of the customer")
	f.StringVar(&o.customer.Country, "country", "", "`CODE` of the customer's country, such as GB")
	f.StringVar(&o.customer.ID, "customer-id", "", "`ID` of the customer in your own records")
	f.StringVar(&o.file, "file", "", "retire each line of the table `FILE`, a CSV or a workbook")
	o.table = filing.NewTable(o.app, f, "sent")
	o.table.AddColumns(f)
	o.table.AddFormats(f, false)
	f.StringVar(&o.results, "results", "", "write the outcome of each line to `FILE`")
	f.StringVar(&o.maxPrice, "max-price", "", "send nothing if a tonne costs more than `PRICE`: $6.20, or 620c")
	f.StringVar(&o.maxCost, "max-cost", "",
		"send nothing that could bring the total cost above `AMOUNT`: $5000.00, or 500000c")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the plan and send nothing")
	f.BoolVar(&o.takeOver, "take-over", false,
		"take over a batch started on another machine, or retire one that looks like an earlier batch")
}

// limits returns UnknownPrice and a negative cost for limits that are not given.
func (o *retireOptions) limits() (price model.PriceCents, cost model.Cents, err error) {
	price, cost = model.UnknownPrice, -1
	if o.maxPrice != "" {
		most, wrong := command.Amount("--max-price", o.maxPrice)
		price, err = model.PriceCents(most), wrong
	}
	if o.maxCost != "" && err == nil {
		cost, err = command.Amount("--max-cost", o.maxCost)
	}
	return price, cost, err
}

func (o *retireOptions) quantity() (model.Grams, error) {
	switch {
	case o.vintage == "":
		return 0, command.Usage(advice.Format("%s and %s list the ids of vintages", advice.Tonne("market"),
			advice.Tonne("inventory")), "--vintage is missing")
	case (o.tonnes == "") == (o.grams == ""):
		return 0, command.Usage("give --tonnes N or --grams N", "one of --tonnes and --grams is needed")
	case o.tonnes != "":
		return listing.ParseTonnes("--tonnes", o.tonnes)
	}
	return listing.ParseGrams("--grams", o.grams)
}

func (o *retireOptions) read(ctx context.Context) error {
	maxPrice, maxCost, err := o.limits()
	if err != nil {
		return err
	}
	o.mostCost, o.sub = maxCost, &retire.Submission{}
	if o.file != "" {
		return o.readBatch(ctx, maxPrice)
	}
	if o.results != "" {
		return command.Usage("name the batch with --file, or leave --results out", "--results is for a batch")
	}
	quantity, err := o.quantity()
	if err != nil {
		return err
	}
	reference := fold.Trim(o.reference)
	line := &retire.Line{
		Reference: reference, ProjectID: o.project, MaxPrice: maxPrice,
		Request: retirement.RetireRequest{VintageID: o.vintage, Quantity: quantity, Retiree: o.customer,
			SellOrderID: o.order},
	}
	line.Request.Retiree.ID = fold.Trim(o.customer.ID)
	if err := retire.Check(reference, line.Request); err != nil {
		return command.Usage(advice.Format("see %s", advice.Tonne("retire --help")), "%v", err)
	}
	o.kind, o.sub.Lines = o.single(line), []*retire.Line{line}
	return nil
}

func (o *retireOptions) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	if err := o.read(ctx); err != nil {
		return err
	}
	if err := o.open(ctx, cmd); err != nil {
		return err
	}
	defer o.close()
	if !o.dryRun {
		if err := o.app.CanAsk(o.yes, advice.Plain("look at the plan with --dry-run")); err != nil {
			return err
		}
	}
	if err := o.recall(ctx); err != nil {
		return err
	}
	if o.dryRun {
		if err := o.showPlan(o.plan(ctx)); err != nil {
			return err
		}
		return unfinished(ctx, o.sub.All(), o.advice())
	}
	o.app.Terminal.Patient.Store(true)
	return o.finish(ctx, o.retire(ctx))
}

func (r *retireOptions) retire(ctx context.Context) error {
	// The plan depends on calls of an earlier run whose outcome is unknown.
	if err := r.mayAskAgain(ctx); err != nil {
		return err
	}
	all := r.sub.All()
	if err := r.resume(ctx, all); err != nil || slices.ContainsFunc(all, (*retire.Call).Resumable) {
		return err
	}
	err := r.plan(ctx)
	if err != nil || len(r.sub.New()) == 0 {
		return err
	}
	if err := r.tellPlan(); err != nil {
		return err
	}
	if err := r.confirm(ctx, r.sub.New()); err != nil {
		return err
	}
	return r.unsent(r.sub.Send(ctx, func(p retire.Progress) {
		if p.Tries == 0 {
			r.app.ShowProgress("line %d of %d", p.Line+1, len(r.sub.Lines))
		}
		r.report(p)
	}))
}

func (r *retireOptions) finish(ctx context.Context, err error) error {
	calls := r.sub.All()
	r.remember(ctx, calls)
	for _, c := range calls {
		if c.State == retire.Planned && !c.UnderWay {
			c.State, c.GivenUp = retire.Prepared, true
		}
	}
	var failed error
	if r.results != "" && len(calls) > 0 {
		failed = atomicfile.Write(r.results, 0o600, func(w io.Writer) error { return writeResults(w, calls) })
	}
	if failed == nil && (err == nil || len(with(calls, retire.StatusNotSent)) < len(calls)) {
		failed = printCalls(r.app, r.format, calls, r.short)
	}
	after := r.advice()
	if err = errors.Join(err, failed); err != nil {
		return after.ifHarmful(err)
	}
	r.keepProjects(ctx)
	if err := unfinished(ctx, calls, after); err != nil || len(r.gone) == 0 {
		return err
	}
	return r.goneUnsettled()
}

// keepProjects saves the details of the projects, so that the ledger names them before the first look-up.
func (r *retireOptions) keepProjects(ctx context.Context) {
	var ids []string
	for _, s := range r.sub.Before {
		if s.ProjectID != "" {
			ids = append(ids, s.ProjectID)
		}
	}
	if len(ids) == 0 || ctx.Err() != nil {
		return
	}
	local := r.app.OpenStore()
	defer local.Close()
	listing.NewDetails(ctx, r.app, r.client.Client, local).Need(ctx, ids)
}

func (r *retireOptions) advice() *runAdvice {
	a := newAdvice(r.repeat, r.sub.All())
	for _, line := range r.sub.Lines {
		a.whole = a.whole.Plus(line.Request.Quantity)
	}
	return a
}

func (r *retireOptions) plan(ctx context.Context) error {
	left := func(l *retire.Line) bool { return l.Left() > 0 }
	if !r.dryRun && !slices.ContainsFunc(r.sub.Lines, left) {
		// What is recorded is repeated, whether the service answers or not.
		return r.checkCost(ctx)
	}
	if err := r.sub.ReadSupplies(ctx); err != nil {
		return journal.Unsent(listing.Ambiguous(err, r.whichProject))
	}
	for _, id := range r.sub.Vintages() {
		if others := r.sub.Before[id].Others; len(others) > 0 {
			r.app.Warn("%s: %s", id, portfolio.NotCounted(others))
		}
	}
	var wrong []error
	var all []string
	dearer := model.Cents(0)
	for _, line := range r.sub.Lines {
		if line.Left() <= 0 {
			continue
		}
		if err := r.planLine(line); err != nil {
			f := *command.Explain(err)
			f.What = r.of(line, f.What)
			wrong, all = append(wrong, &f), append(all, f.Error())
		}
		dearer += line.Plan.Dearer
	}
	switch {
	case len(wrong) == 1:
		return wrong[0]
	case len(wrong) > 1:
		return &command.Failure{What: advice.Plain(filing.SomeOf(all)),
			Todo: advice.Plain("correct these lines; nothing was sent"), Status: command.Explain(wrong[0]).Status}
	}
	if dearer > 0 {
		r.app.Warn("%s", retire.SaidDearer(dearer))
	}
	return r.checkCost(ctx)
}

func (r *retireOptions) planLine(line *retire.Line) (err error) {
	vintage := line.Request.VintageID
	if s := r.sub.After[vintage]; s.Held == 0 && s.Book.Asks == nil {
		return listing.NotForSale(vintage)
	}
	if err := r.sub.PlanLine(line); err != nil {
		return planFailure(err)
	}
	if c, dear := line.TooDear(); dear {
		err = command.Unmet("too_dear", "wait for a lower price, or raise --max-price",
			"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(),
			line.MaxPrice.FormatDollars())
	}
	if short := line.Plan.Short; short > 0 {
		r.short = r.short.Plus(short)
		err = command.Unmet("too_little",
			advice.Format("ask for less, or watch the vintage with %s", advice.Tonne("market --watch")),
			"short by %s: neither in the wallet nor for sale", short.FormatTonnes())
	}
	return err
}

func planFailure(err error) error {
	order, isOrder := errors.AsType[*retirement.OrderError](err)
	switch {
	case isOrder:
		return command.Unmet("not_found", "name another one, or leave --order out to use the cheapest", "the sell order %v",
			order)
	case errors.Is(err, retirement.ErrCustomerFraction), errors.Is(err, retirement.ErrNothingToRetire):
		return command.Usage("give --tonnes", "%v", err)
	case errors.Is(err, model.ErrOverflow):
		return command.Failed("ask for less", "the plan cannot be computed: the %v", err)
	}
	return err
}
