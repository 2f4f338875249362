package cli

import (
	"cmp"
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// heldRule is a rule that holds, and whether it did not hold before.
type heldRule struct {
	store.Fired
	fresh bool
}

func (w *ruleWatch) look(ctx context.Context) error {
	at, origin := w.Now(), w.details.origin
	market, err := w.client.Market(ctx, 0, nil)
	if err != nil {
		return err
	}
	paid, err := w.client.LastPaid(ctx)
	if err != nil {
		return err
	}
	onRequests, err := w.memory.RequestAlerts(ctx, origin)
	if err != nil {
		return err
	}
	var lookUp error
	if len(onRequests) > 0 {
		lookUp = w.lookUpOpen(ctx)
	}
	held, err := w.heldOnVintages(ctx, at, market, paid)
	if err == nil && len(onRequests) > 0 && lookUp == nil {
		var more []heldRule
		more, err = w.heldOnRequests(ctx, at)
		held = append(held, more...)
	}
	return cmp.Or(w.tell(ctx, held...), err, lookUp)
}

func (w *ruleWatch) heldOnVintages(ctx context.Context, at time.Time, market *model.Market, paid model.LastPaidPrices) (held []heldRule, err error) {
	origin := w.details.origin
	facts := func(key model.VintageKey) model.Facts { return market.Facts(key, paid) }
	if err := w.memory.Observe(ctx, origin, store.Observations(market, at)); err != nil {
		return nil, err
	}
	crossed, err := w.memory.Crossed(ctx, origin, at, facts)
	if err != nil {
		return nil, err
	}
	alerts, err := w.memory.Alerts(ctx, origin)
	for _, a := range alerts {
		if !a.Holds {
			continue
		}
		fired, fresh := findFired(crossed, func(f store.Fired) bool { return f.Vintage == a.Vintage && f.Rule == a.Rule })
		if !fresh {
			now := facts(a.Vintage)
			fired = store.Fired{At: at, Vintage: a.Vintage, Rule: a.Rule, Facts: now, Was: now}
		}
		held = append(held, heldRule{fired, fresh})
	}
	return held, err
}

func (w *ruleWatch) heldOnRequests(ctx context.Context, at time.Time) (held []heldRule, err error) {
	origin := w.details.origin
	crossed, err := w.memory.CrossedRequests(ctx, origin, at)
	if err != nil {
		return nil, err
	}
	holding, err := w.memory.HoldingRequests(ctx, origin)
	for _, h := range holding {
		fired, fresh := findFired(crossed, func(f store.Fired) bool { return f.Request == h.Request && f.RequestRule == h.RequestRule })
		if !fresh {
			h.At, h.WasStatus = at, h.Status
			fired = h
		}
		held = append(held, heldRule{fired, fresh})
	}
	return held, err
}

func (w *ruleWatch) lookUpOpen(ctx context.Context) error {
	entries, err := w.memory.Ledger(ctx, w.details.origin)
	if err != nil {
		return err
	}
	w.ofRequest = make(map[string]model.VintageKey)
	for _, e := range entries {
		answer := e.Answer
		if answer == nil || !answer.Status.Final() {
			found, err := w.client.Retirement(ctx, e.ID)
			switch kind := api.KindOf(err); {
			case kind == api.NotFound || kind == api.Invalid:
				w.warn("the retirement request %s is left out: %v", e.ID, err)
				continue
			case err != nil:
				return err
			}
			answer = &found
			if err := w.memory.Record(ctx, w.details.origin, store.LookUp{ID: e.ID, At: w.Now(), Answer: answer}); err != nil {
				return err
			}
		}
		w.ofRequest[e.ID] = model.VintageKey{ProjectID: answer.ProjectID, VintageID: answer.VintageID}
	}
	return nil
}

func findFired(all []store.Fired, is func(store.Fired) bool) (store.Fired, bool) {
	for _, f := range all {
		if is(f) {
			return f, true
		}
	}
	return store.Fired{}, false
}
