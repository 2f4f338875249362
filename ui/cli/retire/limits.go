package retire

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

// When the service executes a call, it buys what the wallet lacks. If another user empties
// the wallet first, it buys more than planned, at most the whole quantity. The limit is
// compared with that maximum, and with the trades of the wallets if the calls alone do not
// determine the cost so far.

// spending is the highest possible cost of the calls of a run so far.
type spending struct {
	// earlier is the highest possible cost of earlier runs.
	earlier model.Cents
	// atStart is the sum of the trades before the first call of this run, if they were read.
	atStart model.Cents
	read    bool
}

// skew is the tolerated difference between the clocks of this machine and the service.
const skew = time.Hour

// tooMuch marks a sum that overflows.
const tooMuch = model.Cents(math.MaxInt64)

type tally struct {
	n          int
	quantity   model.Grams
	cost, most model.Cents
}

func sum(calls []*retire.Call, counts func(*retire.Call) bool) (t tally) {
	for _, c := range calls {
		if counts(c) {
			t.n++
			t.quantity = t.quantity.Plus(c.Plan.Quantity)
			t.cost, t.most = addUpTo(t.cost, c.Plan.Cost), addUpTo(t.most, mostOf(c))
		}
	}
	return t
}

func isAny(*retire.Call) bool { return true }

// isMade reports whether a call took effect, may take effect or must be sent again.
func isMade(c *retire.Call) bool { return c.State == retire.Done || c.Doubtful() || c.Resumable() }

func mostOf(c *retire.Call) model.Cents {
	cost, err := c.Plan.MostCost()
	if err != nil {
		return tooMuch
	}
	return cost
}

func addUpTo(a, b model.Cents) model.Cents {
	sum, err := model.AddCents(a, b)
	if err != nil {
		return tooMuch
	}
	return sum
}

func (r *retireOptions) checkCost(ctx context.Context) error {
	whole := sum(r.sub.All(), func(c *retire.Call) bool { return c.State != retire.Refused })
	toCome := sum(r.sub.New(), isAny)
	switch {
	case max(whole.cost, toCome.most) == tooMuch:
		return planFailure(model.ErrOverflow)
	case r.mostCost >= 0 && whole.cost > r.mostCost:
		return command.Unmet("too_dear", "reduce the quantity, or raise --max-cost",
			"it costs %s, more than the %s that --max-cost allows; nothing was sent", whole.cost.FormatDollars(),
			r.mostCost.FormatDollars())
	}
	if fits, err := r.countSpent(ctx, isMade, toCome.most); fits || err != nil {
		return err
	}
	// Each call may find the wallet empty; its cost is known before the next one.
	peak, sum := model.Cents(0), r.spent.earlier
	for _, c := range r.sub.New() {
		peak = max(peak, addUpTo(sum, mostOf(c)))
		sum = addUpTo(sum, c.Plan.Cost)
	}
	if peak <= r.mostCost {
		return nil
	}
	return command.Unmet("too_dear", "allow "+peak.FormatDollars()+", or ask for less",
		"it costs %s, and up to %s if another user empties the wallet first, more than the %s that --max-cost allows; "+
			"nothing was sent",
		toCome.cost.FormatDollars(), peak.FormatDollars(), r.mostCost.FormatDollars())
}

// countSpent computes the highest possible cost of the calls so far. If that could exceed the
// limit, it reads the purchases. Earlier runs cost at most the purchases since the first of
// them, allowing for clock skew, and at least what they planned.
func (r *retireOptions) countSpent(ctx context.Context, made func(*retire.Call) bool, follows model.Cents) (fits bool,
	err error) {
	spent := sum(r.sub.All(), made)
	r.spent = spending{earlier: spent.most}
	if r.mostCost < 0 || follows == 0 || addUpTo(spent.most, follows) <= r.mostCost {
		return true, nil
	}
	var first time.Time
	for _, c := range r.sub.All() {
		if isMade(c) && (first.IsZero() || c.MadeAt.Before(first)) {
			first = c.MadeAt
		}
	}
	all, since, err := r.bought(ctx, first.Add(-skew))
	r.spent = spending{earlier: min(spent.most, max(spent.cost, since)), atStart: all, read: err == nil}
	return false, err
}

func (r *retireOptions) bought(ctx context.Context, from time.Time) (all, since model.Cents, err error) {
	inventory, err := r.client.Inventory(ctx, api.InventoryQuery{TradeType: portfolio.Buy}, nil)
	if err != nil {
		return 0, 0, err
	}
	var trades []portfolio.Trade
	for key, v := range listing.Vintages(inventory) {
		if slices.Contains(r.sub.Vintages(), key.VintageID) {
			for _, w := range v.Wallets {
				trades = append(trades, w.Trades...)
			}
		}
	}
	all, err = costOf(trades)
	if err == nil {
		since, err = costOf(slices.DeleteFunc(trades,
			func(t portfolio.Trade) bool { return t.ExecutionDate.Known() && !t.ExecutionDate.Time.After(from) }))
	}
	return all, since, err
}

func costOf(trades []portfolio.Trade) (model.Cents, error) {
	bought, err := portfolio.Wallet{Trades: trades}.Purchases()
	cost, inexact := bought.Cost.Cents()
	if err != nil || inexact != nil || bought.Unread > 0 {
		return 0, command.Failed(advice.Format("leave --max-cost out, or check with %s", advice.Tonne("inventory --trades")),
			"a trade of these vintages cannot be read, so the amount already spent is unknown")
	}
	return cost, nil
}

func (r *retireOptions) stillAffordable(ctx context.Context, call *retire.Call) error {
	next := mostOf(call)
	if r.mostCost < 0 || next == 0 {
		return nil
	}
	made := sum(r.sub.New(), isMade)
	if r.spent.read && addUpTo(addUpTo(r.spent.earlier, made.most), next) > r.mostCost {
		all, _, err := r.bought(ctx, time.Time{})
		if err != nil {
			return err
		}
		made.most = min(made.most, max(made.cost, all-r.spent.atStart))
	}
	spent := addUpTo(r.spent.earlier, made.most)
	if addUpTo(spent, next) <= r.mostCost {
		return nil
	}
	return &command.Failure{
		What: advice.Format("%s: %s may be spent already, and this call may cost %s: together more than the %s that "+
			"--max-cost allows; this call and those after it were not sent",
			call.ExternalID, spent.FormatDollars(), next.FormatDollars(), r.mostCost.FormatDollars()),
		Todo:  advice.Format("check the purchases with %s", advice.Tonne("inventory --trades")),
		Again: advice.Plain("run it again with the new limit"), Status: command.StatusNotFound, Code: "too_dear",
	}
}

// mayAskAgain returns an error if calls of an earlier run with an unknown outcome could exceed
// the limits, because sending them again may execute them.
func (r *retireOptions) mayAskAgain(ctx context.Context) error {
	notAgain := func(c *retire.Call, format string, args ...any) error {
		return command.Unmet("too_dear",
			advice.Format("raise the limit, or ask the operator of the service and run %s",
				advice.Tonne("retire abandon", c.ExternalID)),
			"the outcome of %s is unknown, and sending it again may carry it out: %s; nothing was sent", c.ExternalID,
			fmt.Sprintf(format, args...))
	}
	for _, line := range r.sub.Lines {
		for _, c := range line.Past {
			if c.Open() && line.MaxPrice.Known() && c.Plan.Price > line.MaxPrice {
				return notAgain(c, "it pays %s per tonne, more than %s", c.Plan.Price.FormatDollars(),
					line.MaxPrice.FormatDollars())
			}
		}
	}
	open := sum(r.sub.All(), (*retire.Call).Resumable).most
	fits, err := r.countSpent(ctx, func(c *retire.Call) bool { return isMade(c) && !c.Resumable() }, open)
	if all := addUpTo(r.spent.earlier, open); err == nil && !fits && all > r.mostCost {
		first := r.sub.All()[slices.IndexFunc(r.sub.All(), (*retire.Call).Resumable)]
		return notAgain(first, "the total may be %s, more than the %s that --max-cost allows", all.FormatDollars(),
			r.mostCost.FormatDollars())
	}
	return err
}
