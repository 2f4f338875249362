package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
)

// supply reads what the lines are planned with.
func (r *retireRun) supply(ctx context.Context) (retire.Supplies, error) {
	s, err := retire.ReadSupplies(ctx, r.client, r.vintages()...)
	if errors.Is(err, retire.ErrWalletUnread) || errors.Is(err, retire.ErrBookUnread) || api.KindOf(err) == api.Incomplete {
		return nil, incomplete("%v; nothing was sent", err)
	}
	return s, err
}

// plan plans what is still to be retired, line by line. The failure names all
// lines that cannot be served.
func (r *retireRun) plan(ctx context.Context) error {
	before, err := r.supply(ctx)
	if err != nil {
		return err
	}
	r.before, r.after = before, before.Clone()
	var wrong []error
	for _, line := range r.lines {
		if line.rest() <= 0 {
			continue
		}
		if err := r.planLine(line); err != nil {
			wrong = append(wrong, err)
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

func (r *retireRun) planLine(line *retireLine) error {
	wish := line.wish
	wish.Quantity = line.rest()
	if s := r.after[wish.VintageID]; s.Held == 0 && s.Book.Asks == nil {
		return r.named(line, notForSale(wish.VintageID))
	}
	plan, err := r.after.Plan(wish)
	if err != nil {
		return r.named(line, planFailure(err))
	}
	r.dearer += plan.Dearer
	for n, c := range plan.Calls {
		line.calls = append(line.calls, &retireCall{reference: line.reference, externalID: r.newID(line, n, c), plan: c})
		if line.maxPrice.Known() && c.Price > line.maxPrice {
			err = unmet("too_dear", "wait for another price, or allow more with --max-price",
				"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(), line.maxPrice.FormatDollars())
		}
	}
	if plan.Short > 0 {
		r.short = r.short.AddUpTo(plan.Short)
		err = unmet("too_little", "ask for less, or watch the vintage with `tonne market --watch`", "%s are neither in the wallet nor for sale", plan.Short.FormatTonnes())
	}
	if err != nil {
		return r.named(line, err)
	}
	return nil
}

// planFailure explains why a wish cannot be planned.
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

// named says of which line of a batch a failure is.
func (r *retireRun) named(line *retireLine, err error) error {
	if r.batch == "" {
		return err
	}
	f := *explain(err)
	f.what = line.reference + ": " + f.what
	return &f
}

// unserved is the failure of a plan with lines that cannot be served, or that
// costs too much; or nil.
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

// cost is what all calls cost that were made or are planned.
func (r *retireRun) cost() (sum model.Cents, err error) {
	for _, c := range r.calls() {
		if c.status != callRefused && err == nil {
			sum, err = model.AddCents(sum, c.plan.Cost)
		}
	}
	return sum, err
}

// newID returns the external id of the n-th call of a plan. For a line of a
// batch it follows from the batch, the line and the calls before, so that
// another run, here or elsewhere, comes to the same.
func (r *retireRun) newID(line *retireLine, n int, c model.RetireCall) string {
	if r.batch == "" {
		return line.ids.Next(c)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", r.batch, line.reference, line.made+n))
	return "tonne-" + hex.EncodeToString(sum[:16])
}

// unmoved is a failure if what the plan was made with has changed since.
func (r *retireRun) unmoved(ctx context.Context) error {
	now, err := r.supply(ctx)
	if err != nil {
		return err
	}
	var planned []model.RetireCall
	for _, c := range r.calls() {
		if c.isPlanned() {
			planned = append(planned, c.plan)
		}
	}
	if err := retire.Recheck(r.before, now, planned); err != nil {
		return unmet("moved", "run it again to see the new plan", "%v; nothing was sent", err)
	}
	return nil
}
