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

// tooMuch is a sum of money that cannot be counted.
const tooMuch = model.Cents(math.MaxInt64)

// tally sums up calls: what they retire, what that costs as planned, and at most.
type tally struct {
	n          int
	quantity   model.Grams
	cost, most model.Cents
}

func sum(calls []*retire.Call, counts func(*retire.Call) bool) (t tally) {
	for _, c := range calls {
		if counts(c) {
			t.n++
			t.quantity = t.quantity.AddUpTo(c.Plan.Quantity)
			t.cost, t.most = addUpTo(t.cost, c.Plan.Cost), addUpTo(t.most, mostOf(c))
		}
	}
	return t
}

func isAny(*retire.Call) bool { return true }

// isMade reports whether a call had its effect, may have it or has to be sent again.
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

// checkCost is a failure if the plan costs more than is allowed.
func (r *purchase) checkCost(ctx context.Context) error {
	whole := sum(r.sub.All(), func(c *retire.Call) bool { return c.State != retire.Refused })
	toCome := sum(r.sub.New(), isAny)
	switch {
	case max(whole.cost, toCome.most) == tooMuch:
		return planFailure(model.ErrOverflow)
	case r.mostCost >= 0 && whole.cost > r.mostCost:
		return command.Unmet("too_dear", "ask for less, or allow more",
			"it costs %s, more than the %s that --max-cost allows; nothing was sent", whole.cost.FormatDollars(), r.mostCost.FormatDollars())
	}
	if fits, err := r.countSpent(ctx, isMade, toCome.most); fits || err != nil {
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
		toCome.cost.FormatDollars(), peak.FormatDollars(), r.mostCost.FormatDollars())
}

// countSpent counts what calls that were made may have cost. If the limit may not hold with
// what follows, it reads what was bought: by earlier runs that is, at most, what was bought
// since the first of them, if no clock is wrong, and in no case less than they planned.
func (r *purchase) countSpent(ctx context.Context, made func(*retire.Call) bool, follows model.Cents) (fits bool, err error) {
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

func (r *purchase) bought(ctx context.Context, from time.Time) (all, since model.Cents, err error) {
	inventory, err := r.send.client.Inventory(ctx, api.InventoryQuery{TradeType: portfolio.Buy}, nil)
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
		since, err = costOf(slices.DeleteFunc(trades, func(t portfolio.Trade) bool { return t.ExecutionDate.Known() && !t.ExecutionDate.Time.After(from) }))
	}
	return all, since, err
}

func costOf(trades []portfolio.Trade) (model.Cents, error) {
	bought, err := portfolio.Wallet{Trades: trades}.Purchases()
	cost, inexact := bought.Cost.Cents()
	if err != nil || inexact != nil || bought.Unread > 0 {
		return 0, command.Failed("leave --max-cost out, or look with `tonne inventory --trades`", "a trade of the vintages cannot be read, so what was spent is not known")
	}
	return cost, nil
}

func (r *purchase) stillAffordable(ctx context.Context, call *retire.Call) error {
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
		What: fmt.Sprintf("%s: %s may have been spent, and this call may cost %s, which together is more than the %s that --max-cost allows; it was not sent, nor is any after it",
			call.ExternalID, spent.FormatDollars(), next.FormatDollars(), r.mostCost.FormatDollars()),
		Todo: "see with `tonne inventory --trades` what was bought", Again: "run it again with what you allow", Status: command.StatusNotFound, Code: "too_dear",
	}
}

// mayAskAgain is a failure if the calls of an earlier run whose outcome is not
// known could cost more than is allowed now: asking again may carry them out.
func (r *purchase) mayAskAgain(ctx context.Context) error {
	notAgain := func(c *retire.Call, format string, args ...any) error {
		return command.Unmet("too_dear", "allow it, or ask the operator of the service and run `tonne retire abandon "+c.ExternalID+"`",
			"the outcome of %s is not known, and asking again may carry it out: %s; nothing was sent", c.ExternalID, fmt.Sprintf(format, args...))
	}
	for _, line := range r.sub.Lines {
		for _, c := range line.Past {
			if c.Open() && line.MaxPrice.Known() && c.Plan.Price > line.MaxPrice {
				return notAgain(c, "it pays %s a tonne, more than %s", c.Plan.Price.FormatDollars(), line.MaxPrice.FormatDollars())
			}
		}
	}
	open := sum(r.sub.All(), (*retire.Call).Resumable).most
	fits, err := r.countSpent(ctx, func(c *retire.Call) bool { return isMade(c) && !c.Resumable() }, open)
	if all := addUpTo(r.spent.earlier, open); err == nil && !fits && all > r.mostCost {
		first := r.sub.All()[slices.IndexFunc(r.sub.All(), (*retire.Call).Resumable)]
		return notAgain(first, "with what was spent it may cost %s in all, more than the %s that --max-cost allows", all.FormatDollars(), r.mostCost.FormatDollars())
	}
	return err
}
