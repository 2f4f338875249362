package audit

import (
	"context"
	"maps"
	"slices"

	"tonne/model/cost"
)

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
			r.Cost = cost.Total{Why: unknown}
			continue
		}
		r.Cost = costs.Request(&r.Retirement)
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
