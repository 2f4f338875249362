package cli

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// look holds the rules once and tells which of them hold.
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
	facts := func(key model.VintageKey) model.Facts { return market.Facts(key, paid) }
	if err := w.memory.Observe(ctx, origin, store.Observations(market, at)); err != nil {
		return err
	}
	crossed, err := w.memory.Crossed(ctx, origin, at, facts)
	if err != nil {
		return err
	}
	alerts, err := w.memory.Alerts(ctx, origin)
	if err != nil {
		return err
	}
	for _, a := range alerts {
		if !a.Holds {
			continue
		}
		fired, fresh := findFired(crossed, func(f store.Fired) bool { return f.Vintage == a.Vintage && f.Rule == a.Rule })
		if !fresh {
			now := facts(a.Vintage)
			fired = store.Fired{At: at, Vintage: a.Vintage, Rule: a.Rule, Facts: now, Was: now}
		}
		if err := w.tell(ctx, fired, fresh); err != nil {
			return err
		}
	}
	return w.lookAtRequests(ctx, at)
}

// lookAtRequests looks up what may still change, and holds the rules on
// requests.
func (w *ruleWatch) lookAtRequests(ctx context.Context, at time.Time) error {
	origin := w.details.origin
	rules, err := w.memory.RequestAlerts(ctx, origin)
	if err != nil || len(rules) == 0 {
		return err
	}
	entries, err := w.memory.Ledger(ctx, origin)
	if err != nil {
		return err
	}
	if err := w.lookUpOpen(ctx, entries); err != nil {
		return err
	}
	crossed, err := w.memory.CrossedRequests(ctx, origin, at)
	if err != nil {
		return err
	}
	holding, err := w.memory.HoldingRequests(ctx, origin)
	if err != nil {
		return err
	}
	for _, h := range holding {
		fired, fresh := findFired(crossed, func(f store.Fired) bool { return f.Request == h.Request && f.RequestRule == h.RequestRule })
		if !fresh {
			h.At, h.WasStatus = at, h.Status
			fired = h
		}
		if err := w.tell(ctx, fired, fresh); err != nil {
			return err
		}
	}
	return nil
}

// lookUpOpen looks up the requests that are not in an end state. One that is
// not found is told and left as it is.
func (w *ruleWatch) lookUpOpen(ctx context.Context, entries []store.LedgerEntry) error {
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
