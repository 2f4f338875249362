package audit

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/cost"
)

// Cost is what a retirement request cost, first in, first out (package cost).
type Cost struct {
	Known bool
	Cents model.Cents
	Lots  []cost.Lot
	// Why is why the cost is not known, without the end of the sentence.
	Why string
}

// String returns the lots with quantity, day and price, or why they are not known.
func (c Cost) String() string {
	if c.Why != "" {
		return "unknown: " + c.Why
	}
	lots := make([]string, len(c.Lots))
	for i, lot := range c.Lots {
		lots[i] = lot.Quantity.FormatTonnes() + " bought on " + lot.Bought.Time.UTC().Format(time.DateOnly) + " at " +
			lot.Price.FormatDollars() + " a tonne"
	}
	return strings.Join(lots, "; ")
}

// AddCosts reads the inventory and adds its cost to each request, once. Without an inventory the costs are unknown,
// which is no failure of the evidence.
func (e *Evidence) AddCosts(ctx context.Context) {
	found := func(r Request) bool { return r.LeftOut == "" }
	if e.costed || !slices.ContainsFunc(e.Requests, found) {
		return
	}
	e.costed = true
	costs, unknown := e.auditor.costs(ctx, e.Records)
	for i := range e.Requests {
		r := &e.Requests[i]
		if costs == nil {
			r.Cost = Cost{Why: unknown}
			continue
		}
		r.Cost.Cents, r.Cost.Lots, r.Cost.Why = costs.Request(&r.Retirement)
		r.Cost.Known = r.Cost.Why == ""
	}
}

func (a *Auditor) costs(ctx context.Context, records *Records) (costs *cost.Costs, unknown string) {
	if a.Client == nil {
		return nil, "the inventory was not read"
	}
	inventory, err := a.Inventory(ctx)
	if err != nil {
		return nil, "the inventory could not be read: " + a.explain(err)
	}
	return cost.New(inventory, slices.Collect(maps.Values(records.answers))), ""
}
