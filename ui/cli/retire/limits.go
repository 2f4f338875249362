package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

// The service buys what the wallet lacks when it carries a call out. If somebody
// else uses the wallet up before, that is more than was planned: up to all that
// the call retires. What a run may cost is held against that, and what it has
// cost against the trades of the wallets, where the calls alone leave it open.

// spending is what the calls of a batch may have cost so far.
type spending struct {
	// earlier is what those of earlier runs may have.
	earlier model.Cents
	// atStart is what all trades of the vintages came to before the first call
	// of this run; it is known if the trades were read.
	atStart model.Cents
	read    bool
}

// skew is by how much the clock of this machine may differ from the service's.
const skew = time.Hour

// atMost is the sum of what calls cost at most, planned what they do if nobody
// else uses the wallets.
func atMost(calls []*retire.Call, counts func(*retire.Call) bool) (most, planned model.Cents, err error) {
	for _, c := range calls {
		if !counts(c) || err != nil {
			continue
		}
		var cost model.Cents
		if cost, err = c.Plan.MostCost(); err == nil {
			most, err = model.AddCents(most, cost)
		}
		planned += min(c.Plan.Cost, cost)
	}
	return most, planned, err
}

// isMade reports whether a call had its effect, may have it or has to be sent again.
func isMade(c *retire.Call) bool { return c.State == retire.Done || c.Doubtful() || c.Resumable() }

func (r *run) affordable(ctx context.Context) error {
	if r.mostCost < 0 {
		return nil
	}
	made, planned, err := atMost(r.All(), isMade)
	toCome, likely, failedSum := atMost(r.New(), isAny)
	if _, tooMuch := model.AddCents(made, toCome); errors.Join(err, failedSum, tooMuch) != nil {
		return planFailure(model.ErrOverflow)
	}
	r.spent = spending{earlier: made}
	if toCome == 0 || made <= r.mostCost && toCome <= r.mostCost-made {
		return nil
	}
	if err := r.readSpending(ctx, made, planned); err != nil {
		return err
	}
	peak := r.peak()
	if peak <= r.mostCost {
		return nil
	}
	return command.Unmet("too_dear", "allow "+peak.FormatDollars()+", or ask for less",
		"it costs %s, and up to %s in all if somebody else uses the wallet meanwhile, more than the %s that --max-cost allows; nothing was sent",
		likely.FormatDollars(), peak.FormatDollars(), r.mostCost.FormatDollars())
}

// peak is what the calls that are planned may come to with those of earlier
// runs: each may find the wallet empty, and what it cost is known before the
// next.
func (r *run) peak() (peak model.Cents) {
	sum := r.spent.earlier
	for _, c := range r.New() {
		most, _ := c.Plan.MostCost()
		peak = max(peak, sum+most)
		sum += c.Plan.Cost
	}
	return peak
}

// readSpending reads what was bought so far. Of earlier runs that is, at most,
// what was bought since the first of them, if no clock is wrong, and in no case
// less than they planned.
func (r *run) readSpending(ctx context.Context, made, planned model.Cents) error {
	var first time.Time
	for _, c := range r.All() {
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

func (r *run) bought(ctx context.Context, from time.Time) (all, since model.Cents, err error) {
	inventory, err := r.client.Inventory(ctx, api.InventoryQuery{TradeType: model.Buy}, nil)
	if err != nil {
		return 0, 0, err
	}
	ours := r.Vintages()
	for key, v := range listing.Vintages(inventory) {
		if !slices.Contains(ours, key.VintageID) {
			continue
		}
		for _, trade := range trades(v) {
			cost, err := tradeCost(trade)
			if err != nil {
				return 0, 0, command.Failed("leave --max-cost out, or look with `tonne inventory --trades`", "a trade of the vintage %s cannot be read, so nobody knows what was spent", key.VintageID)
			}
			all += cost
			if at := trade.ExecutionDate; !at.Known() || at.Time.After(from) {
				since += cost
			}
		}
	}
	return all, since, nil
}

func trades(v model.InventoryVintage) (all []model.Trade) {
	for _, w := range v.Wallets {
		for _, trade := range w.Trades {
			if trade.Type == model.Buy {
				all = append(all, trade)
			}
		}
	}
	return all
}

func tradeCost(t model.Trade) (model.Cents, error) {
	exact, err := model.CostOf(t.Quantity, t.Price)
	if err != nil {
		return 0, err
	}
	return exact.Cents()
}

func (r *run) stillAffordable(ctx context.Context, call *retire.Call) error {
	next, err := call.Plan.MostCost()
	if r.mostCost < 0 || next == 0 || err != nil {
		return err
	}
	most, planned, err := atMost(r.New(), isMade)
	if err != nil {
		return planFailure(err)
	}
	if r.spent.read && r.spent.earlier+most+next > r.mostCost {
		all, _, err := r.bought(ctx, time.Time{})
		if err != nil {
			return err
		}
		most = min(most, max(planned, all-r.spent.atStart))
	}
	if r.spent.earlier+most+next <= r.mostCost {
		return nil
	}
	return &command.Failure{
		What: fmt.Sprintf("%s: %s may have been spent, and this call may cost %s, which together is more than the %s that --max-cost allows; it was not sent, nor is any after it",
			call.ExternalID, (r.spent.earlier + most).FormatDollars(), next.FormatDollars(), r.mostCost.FormatDollars()),
		Todo: "see with `tonne inventory --trades` what was bought", Again: "run it again with what you allow", Status: command.StatusNotFound, Code: "too_dear",
	}
}

// mayAskAgain is a failure if the calls of an earlier run whose outcome is not
// known could cost more than is allowed now, or nil: asking again may carry them
// out.
func (r *run) mayAskAgain(ctx context.Context) error {
	for _, line := range r.Lines {
		for _, c := range line.Past {
			if c.Open() && line.MaxPrice.Known() && c.Plan.Price > line.MaxPrice {
				return notAgain(c, fmt.Sprintf("it pays %s a tonne, more than %s", c.Plan.Price.FormatDollars(), line.MaxPrice.FormatDollars()))
			}
		}
	}
	open, _, err := atMost(r.All(), (*retire.Call).Resumable)
	most, planned, failedSum := atMost(r.All(), func(c *retire.Call) bool { return isMade(c) && !c.Resumable() })
	if _, tooMuch := model.AddCents(most, open); errors.Join(err, failedSum, tooMuch) != nil {
		return planFailure(model.ErrOverflow)
	}
	if r.mostCost < 0 || open == 0 || most+open <= r.mostCost {
		return nil
	}
	if err := r.readSpending(ctx, most, planned); err != nil {
		return err
	}
	if all := r.spent.earlier + open; all > r.mostCost {
		first := r.All()[slices.IndexFunc(r.All(), (*retire.Call).Resumable)]
		return notAgain(first, fmt.Sprintf("with what was spent it may cost %s in all, more than the %s that --max-cost allows", all.FormatDollars(), r.mostCost.FormatDollars()))
	}
	return nil
}

func notAgain(c *retire.Call, why string) error {
	return command.Unmet("too_dear", "allow it, or ask the operator of the service and run `tonne retire abandon "+c.ExternalID+"`",
		"the outcome of %s is not known, and asking again may carry it out: %s; nothing was sent", c.ExternalID, why)
}
