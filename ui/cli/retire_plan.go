package cli

import (
	"context"
	"errors"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
)

func unread(err error) error {
	if errors.Is(err, retire.ErrWalletUnread) || errors.Is(err, retire.ErrBookUnread) || api.KindOf(err) == api.Incomplete {
		return incomplete("%v; nothing was sent", err)
	}
	return err
}

func (r *retireRun) plan(ctx context.Context) error {
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
		r.warn("%s", retire.SaidDearer(r.dearer))
	}
	return r.affordable(ctx)
}

func (r *retireRun) planLine(line *retire.Line) (err error) {
	vintage := line.Request.VintageID
	if s := r.After[vintage]; s.Held == 0 && s.Book.Asks == nil {
		return notForSale(vintage)
	}
	if err := r.PlanLine(line); err != nil {
		return planFailure(err)
	}
	r.dearer += line.Plan.Dearer
	for _, c := range line.Plan.Calls {
		if line.MaxPrice.Known() && c.Price > line.MaxPrice {
			err = unmet("too_dear", "wait for another price, or allow more with --max-price",
				"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(), line.MaxPrice.FormatDollars())
		}
	}
	if short := line.Plan.Short; short > 0 {
		r.short = r.short.AddUpTo(short)
		err = unmet("too_little", "ask for less, or watch the vintage with `tonne market --watch`", "%s are neither in the wallet nor for sale", short.FormatTonnes())
	}
	return err
}

func planFailure(err error) error {
	var order *model.OrderError
	switch {
	case errors.As(err, &order):
		return unmet("not_found", "name another one, or none for the cheapest", "the sell order %v", order)
	case errors.Is(err, model.ErrCustomerFraction), errors.Is(err, model.ErrNothingToRetire):
		return usage("give --tonnes", "%v", err)
	case errors.Is(err, model.ErrOverflow):
		return failed("ask for less", "the plan cannot be computed: the %v", err)
	}
	return err
}

func (r *retireRun) named(line *retire.Line, err error) error {
	if r.Batch == "" {
		return err
	}
	f := *explain(err)
	f.what = line.Reference + ": " + f.what
	return &f
}

func (r *retireRun) unserved(wrong []error) error {
	switch cost, err := r.cost(); {
	case len(wrong) == 1:
		return wrong[0]
	case len(wrong) > 1:
		var all []string
		for _, err := range wrong {
			all = append(all, explain(err).what)
		}
		return &failure{what: someOf(all), todo: "correct these lines; nothing was sent", status: explain(wrong[0]).status}
	case err != nil:
		return planFailure(err)
	case r.mostCost >= 0 && cost > r.mostCost:
		return unmet("too_dear", "ask for less, or allow more",
			"it costs %s, more than the %s that --max-cost allows; nothing was sent", cost.FormatDollars(), r.mostCost.FormatDollars())
	}
	return nil
}

func (r *retireRun) cost() (sum model.Cents, err error) {
	for _, c := range r.All() {
		if c.State != retire.Refused && err == nil {
			sum, err = model.AddCents(sum, c.Plan.Cost)
		}
	}
	return sum, err
}
