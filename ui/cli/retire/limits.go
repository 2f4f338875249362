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
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

// The service buys what the wallet lacks when it carries a call out. If somebody
// else uses the wallet up before, that is more than was planned: up to all that
// the call retires. What a run may cost is held against that, and what it has
// cost against the trades of the wallets, where the calls alone leave it open.

// spending is what the calls of a run may have cost so far.
type spending struct {
	// earlier is what those of earlier runs may have.
	earlier model.Cents
	// atStart is what the trades came to before the first call of this run, if they were read.
	atStart model.Cents
	read    bool
}

// skew is by how much the clock of this machine may differ from the service's.
const skew = time.Hour

// atMost sums what calls cost at most, and as planned. Neither sum is above tooMuch.
func atMost(calls []*retire.Call, counts func(*retire.Call) bool) (most, planned model.Cents) {
	for _, c := range calls {
		if counts(c) {
			cost := mostOf(c)
			most, planned = addUpTo(most, cost), addUpTo(planned, min(c.Plan.Cost, cost))
		}
	}
	return most, planned
}

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

// tooMuch is a sum of money that cannot be counted.
const tooMuch = model.Cents(math.MaxInt64)

// isMade reports whether a call had its effect, may have it or has to be sent again.
func isMade(c *retire.Call) bool { return c.State == retire.Done || c.Doubtful() || c.Resumable() }

func (r *purchase) affordable(ctx context.Context) error {
	made, planned := atMost(r.sub.All(), isMade)
	toCome, likely := atMost(r.sub.New(), isAny)
	r.spent = spending{earlier: made}
	if r.mostCost < 0 || toCome == 0 || addUpTo(made, toCome) <= r.mostCost {
		return nil
	}
	if err := r.readSpending(ctx, made, planned); err != nil {
		return err
	}
	// Each call may find the wallet empty, and what it cost is known before the next.
	peak, sum := model.Cents(0), r.spent.earlier
	for _, c := range r.sub.New() {
		peak = max(peak, addUpTo(sum, mostOf(c)))
		sum = addUpTo(sum, c.Plan.Cost)
	}
	if peak <= r.mostCost {
		return nil
	}
	return command.Unmet("too_dear", "allow "+peak.FormatDollars()+", or ask for less",
		"it costs %s, and up to %s in all if somebody else uses the wallet meanwhile, more than the %s that --max-cost allows; nothing was sent",
		likely.FormatDollars(), peak.FormatDollars(), r.mostCost.FormatDollars())
}

// readSpending reads what was bought so far. Of earlier runs that is, at most,
// what was bought since the first of them, if no clock is wrong, and in no case
// less than they planned.
func (r *purchase) readSpending(ctx context.Context, made, planned model.Cents) error {
	var first time.Time
	for _, c := range r.sub.All() {
		if isMade(c) && (first.IsZero() || c.MadeAt.Before(first)) {
			first = c.MadeAt
		}
	}
	all, since, err := r.bought(ctx, first.Add(-skew))
	if err != nil {
		return err
	}
	r.spent = spending{earlier: min(made, max(planned, since)), atStart: all, read: true}
	return nil
}

func (r *purchase) bought(ctx context.Context, from time.Time) (all, since model.Cents, err error) {
	inventory, err := r.send.client.Inventory(ctx, api.InventoryQuery{TradeType: portfolio.Buy}, nil)
	if err != nil {
		return 0, 0, err
	}
	ours := r.sub.Vintages()
	for key, v := range listing.Vintages(inventory) {
		for _, w := range v.Wallets {
			for _, trade := range w.Trades {
				if trade.Type != portfolio.Buy || !slices.Contains(ours, key.VintageID) {
					continue
				}
				exact, err := model.CostOf(trade.Quantity, trade.Price)
				cost, inexact := exact.Cents()
				if err != nil || inexact != nil {
					return 0, 0, command.Failed("leave --max-cost out, or look with `tonne inventory --trades`",
						"a trade of the vintage %s cannot be read, so nobody knows what was spent", key.VintageID)
				}
				all = addUpTo(all, cost)
				if at := trade.ExecutionDate; !at.Known() || at.Time.After(from) {
					since = addUpTo(since, cost)
				}
			}
		}
	}
	return all, since, nil
}

func (r *purchase) stillAffordable(ctx context.Context, call *retire.Call) error {
	next := mostOf(call)
	if r.mostCost < 0 || next == 0 {
		return nil
	}
	most, planned := atMost(r.sub.New(), isMade)
	if r.spent.read && addUpTo(addUpTo(r.spent.earlier, most), next) > r.mostCost {
		all, _, err := r.bought(ctx, time.Time{})
		if err != nil {
			return err
		}
		most = min(most, max(planned, all-r.spent.atStart))
	}
	spent := addUpTo(r.spent.earlier, most)
	if addUpTo(spent, next) <= r.mostCost {
		return nil
	}
	return &command.Failure{
		What: fmt.Sprintf("%s: %s may have been spent, and this call may cost %s, which together is more than the %s that --max-cost allows; it was not sent, nor is any after it",
			call.ExternalID, spent.FormatDollars(), next.FormatDollars(), r.mostCost.FormatDollars()),
		Todo: "see with `tonne inventory --trades` what was bought", Again: "run it again with what you allow", Status: command.StatusNotFound, Code: "too_dear",
	}
}

// mayAskAgain is a failure if the calls of an earlier run whose outcome is not
// known could cost more than is allowed now: asking again may carry them out.
func (r *purchase) mayAskAgain(ctx context.Context) error {
	resumable := (*retire.Call).Resumable
	for _, line := range r.sub.Lines {
		for _, c := range line.Past {
			if c.Open() && line.MaxPrice.Known() && c.Plan.Price > line.MaxPrice {
				return notAgain(c, fmt.Sprintf("it pays %s a tonne, more than %s", c.Plan.Price.FormatDollars(), line.MaxPrice.FormatDollars()))
			}
		}
	}
	open, _ := atMost(r.sub.All(), resumable)
	made, planned := atMost(r.sub.All(), func(c *retire.Call) bool { return isMade(c) && !resumable(c) })
	if r.mostCost < 0 || open == 0 || addUpTo(made, open) <= r.mostCost {
		return nil
	}
	if err := r.readSpending(ctx, made, planned); err != nil {
		return err
	}
	if all := addUpTo(r.spent.earlier, open); all > r.mostCost {
		first := r.sub.All()[slices.IndexFunc(r.sub.All(), resumable)]
		return notAgain(first, fmt.Sprintf("with what was spent it may cost %s in all, more than the %s that --max-cost allows", all.FormatDollars(), r.mostCost.FormatDollars()))
	}
	return nil
}

func notAgain(c *retire.Call, why string) error {
	return command.Unmet("too_dear", "allow it, or ask the operator of the service and run `tonne retire abandon "+c.ExternalID+"`",
		"the outcome of %s is not known, and asking again may carry it out: %s; nothing was sent", c.ExternalID, why)
}
