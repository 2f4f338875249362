package retire

import (
	"context"
	"errors"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
)

func unread(err error) error {
	if errors.Is(err, retire.ErrWalletUnread) || errors.Is(err, retire.ErrBookUnread) || api.KindOf(err) == api.Incomplete {
		return command.Incomplete("%v; nothing was sent", err)
	}
	return err
}

func (r *run) plan(ctx context.Context) error {
	if err := r.ReadSupplies(ctx); err != nil {
		return unread(err)
	}
	var wrong []error
	for _, line := range r.Lines {
		if line.Left() <= 0 {
			continue
		}
		if err := r.planLine(line); err != nil {
			wrong = append(wrong, r.named(line, err))
		}
	}
	if err := r.unserved(wrong); err != nil {
		return err
	}
	if r.dearer > 0 {
		r.Warn("%s", retire.SaidDearer(r.dearer))
	}
	return r.affordable(ctx)
}

func (r *run) planLine(line *retire.Line) (err error) {
	vintage := line.Request.VintageID
	if s := r.After[vintage]; s.Held == 0 && s.Book.Asks == nil {
		return listing.NotForSale(vintage)
	}
	if err := r.PlanLine(line); err != nil {
		return planFailure(err)
	}
	r.dearer += line.Plan.Dearer
	for _, c := range line.Plan.Calls {
		if line.MaxPrice.Known() && c.Price > line.MaxPrice {
			err = command.Unmet("too_dear", "wait for another price, or allow more with --max-price",
				"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(), line.MaxPrice.FormatDollars())
		}
	}
	if short := line.Plan.Short; short > 0 {
		r.short = r.short.AddUpTo(short)
		err = command.Unmet("too_little", "ask for less, or watch the vintage with `tonne market --watch`", "%s are neither in the wallet nor for sale", short.FormatTonnes())
	}
	return err
}

func planFailure(err error) error {
	var order *model.OrderError
	switch {
	case errors.As(err, &order):
		return command.Unmet("not_found", "name another one, or none for the cheapest", "the sell order %v", order)
	case errors.Is(err, model.ErrCustomerFraction), errors.Is(err, model.ErrNothingToRetire):
		return command.Usage("give --tonnes", "%v", err)
	case errors.Is(err, model.ErrOverflow):
		return command.Failed("ask for less", "the plan cannot be computed: the %v", err)
	}
	return err
}

func (r *run) named(line *retire.Line, err error) error {
	if r.Batch == "" {
		return err
	}
	f := *command.Explain(err)
	f.What = line.Reference + ": " + f.What
	return &f
}

func (r *run) unserved(wrong []error) error {
	switch cost, err := r.cost(); {
	case len(wrong) == 1:
		return wrong[0]
	case len(wrong) > 1:
		var all []string
		for _, err := range wrong {
			all = append(all, command.Explain(err).What)
		}
		return &command.Failure{What: filing.SomeOf(all), Todo: "correct these lines; nothing was sent", Status: command.Explain(wrong[0]).Status}
	case err != nil:
		return planFailure(err)
	case r.mostCost >= 0 && cost > r.mostCost:
		return command.Unmet("too_dear", "ask for less, or allow more",
			"it costs %s, more than the %s that --max-cost allows; nothing was sent", cost.FormatDollars(), r.mostCost.FormatDollars())
	}
	return nil
}

func (r *run) cost() (sum model.Cents, err error) {
	for _, c := range r.All() {
		if c.State != retire.Refused && err == nil {
			sum, err = model.AddCents(sum, c.Plan.Cost)
		}
	}
	return sum, err
}
