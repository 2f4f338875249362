package retire

import (
	"context"
	"errors"
	"io"
	"slices"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/retiring"
)

type purchase struct {
	app  *command.App
	o    *retireOptions
	send *sender
	sub  *retire.Submission
	// gone are the unsettled calls of the batch whose lines are no longer in its file.
	gone []retire.Call
	// mostCost is the limit of --max-cost, below 0 if there is none; spent is the highest cost so far.
	mostCost model.Cents
	spent    spending
	// short is the quantity that cannot be supplied.
	short model.Grams
}

func (r *purchase) retire(ctx context.Context) error {
	// The plan depends on calls of an earlier run whose outcome is unknown.
	if err := r.mayAskAgain(ctx); err != nil {
		return err
	}
	all := r.sub.All()
	if err := r.send.resume(ctx, all); err != nil || slices.ContainsFunc(all, (*retire.Call).Resumable) {
		return err
	}
	err := r.plan(ctx)
	if err != nil || len(r.sub.New()) == 0 {
		return err
	}
	if err := r.tellPlan(); err != nil {
		return err
	}
	if err := r.send.confirm(ctx, r.sub.New()); err != nil {
		return err
	}
	return r.failure(r.sub.Send(ctx, func(p retire.Progress) {
		if p.Tries == 0 {
			r.app.ShowProgress("line %d of %d", p.Line+1, len(r.sub.Lines))
		}
		r.send.report(p)
	}))
}

func (r *purchase) failure(err error) error {
	calls := r.sub.New()
	elsewhere := slices.IndexFunc(calls, func(c *retire.Call) bool { return c.Elsewhere })
	if err != nil && elsewhere >= 0 && r.sub.Batch != "" {
		return r.elsewhere(calls[elsewhere])
	}
	return retiring.Unsent(err)
}

func (r *purchase) finish(ctx context.Context, err error) error {
	calls := r.sub.All()
	r.send.remember(ctx, calls)
	for _, c := range calls {
		if c.State == retire.Planned && !c.UnderWay {
			c.State, c.GivenUp = retire.Prepared, true
		}
	}
	var failed error
	if r.o.results != "" && len(calls) > 0 {
		failed = atomicfile.Write(r.o.results, 0o600, func(w io.Writer) error { return writeResults(w, calls) })
	}
	if failed == nil && (err == nil || len(with(calls, retire.StatusNotSent)) < len(calls)) {
		failed = printCalls(r.app, r.o.format, calls, r.short)
	}
	advice := r.advice()
	if err = errors.Join(err, failed); err != nil {
		return advice.ifHarmful(err)
	}
	if err := unfinished(ctx, calls, advice); err != nil || len(r.gone) == 0 {
		return err
	}
	return r.goneUnsettled()
}

func (r *purchase) advice() *advice {
	repeat := retiresAll
	switch {
	case r.sub.Batch != "":
		repeat = asksAndPlansRest
	case r.sub.Lines[0].Reference != "":
		repeat = plansRest
	}
	a := newAdvice(repeat, r.sub.All())
	for _, line := range r.sub.Lines {
		a.whole = a.whole.AddUpTo(line.Request.Quantity)
	}
	return a
}

func (r *purchase) plan(ctx context.Context) error {
	if err := r.sub.ReadSupplies(ctx); err != nil {
		return retiring.Unsent(err)
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
			if r.sub.Batch != "" {
				f.What = line.Reference + ": " + f.What
			}
			wrong, all = append(wrong, &f), append(all, f.What)
		}
		dearer += line.Plan.Dearer
	}
	switch {
	case len(wrong) == 1:
		return wrong[0]
	case len(wrong) > 1:
		return &command.Failure{What: filing.SomeOf(all), Todo: "correct these lines; nothing was sent", Status: command.Explain(wrong[0]).Status}
	}
	if dearer > 0 {
		r.app.Warn("%s", retire.SaidDearer(dearer))
	}
	return r.checkCost(ctx)
}

func (r *purchase) planLine(line *retire.Line) (err error) {
	vintage := line.Request.VintageID
	if s := r.sub.After[vintage]; s.Held == 0 && s.Book.Asks == nil {
		return listing.NotForSale(vintage)
	}
	if err := r.sub.PlanLine(line); err != nil {
		return planFailure(err)
	}
	for _, c := range line.Plan.Calls {
		if line.MaxPrice.Known() && c.Price > line.MaxPrice {
			err = command.Unmet("too_dear", "wait for a lower price, or raise --max-price",
				"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(), line.MaxPrice.FormatDollars())
		}
	}
	if short := line.Plan.Short; short > 0 {
		r.short = r.short.AddUpTo(short)
		err = command.Unmet("too_little", "ask for less, or watch the vintage with `tonne market --watch`", "short by %s: neither in the wallet nor for sale", short.FormatTonnes())
	}
	return err
}

func planFailure(err error) error {
	order, isOrder := errors.AsType[*retirement.OrderError](err)
	switch {
	case isOrder:
		return command.Unmet("not_found", "name another one, or leave --order out to use the cheapest", "the sell order %v", order)
	case errors.Is(err, retirement.ErrCustomerFraction), errors.Is(err, retirement.ErrNothingToRetire):
		return command.Usage("give --tonnes", "%v", err)
	case errors.Is(err, model.ErrOverflow):
		return command.Failed("ask for less", "the plan cannot be computed: the %v", err)
	}
	return err
}
