package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

// heldRule is a rule that holds, and whether it did not hold before.
type heldRule struct {
	store.Alert
	fresh bool
}

func (w *run) look(ctx context.Context) error {
	at, origin := w.app.Now(), w.ProjectDetails.Origin
	market, err := w.Client.Market(ctx, 0, nil)
	if err != nil {
		return err
	}
	paid, _, err := w.Client.Holdings(ctx)
	if err != nil {
		return err
	}
	alerts, err := w.memory.Of(origin).Alerts.Rules(ctx)
	if err != nil {
		return err
	}
	onRequests := slices.ContainsFunc(alerts, func(a alert.Rule) bool { return a.OnRequests() })
	var lookUp error
	if onRequests {
		lookUp = w.lookUpOpen(ctx)
	}
	if err := w.memory.Of(origin).History.Observe(ctx, store.Observations(market, at)); err != nil {
		return err
	}
	facts := func(key model.VintageKey) alert.Facts { return alert.VintageFacts(market, key, paid) }
	held, err := w.held(ctx, at, facts, onRequests && lookUp == nil)
	return cmp.Or(w.tell(ctx, held...), err, lookUp)
}

func (w *run) held(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts, onRequests bool) (held []heldRule, err error) {
	origin := w.ProjectDetails.Origin
	crossed, err := w.memory.Of(origin).Alerts.Check(ctx, at, facts)
	if err == nil && onRequests {
		var more []store.Alert
		more, err = w.memory.Of(origin).Alerts.Check(ctx, at, nil)
		crossed = append(crossed, more...)
	}
	holding, holdErr := w.memory.Of(origin).Alerts.Holding(ctx)
	for _, h := range holding {
		if h.Rule.OnRequests() && !onRequests {
			continue
		}
		i := slices.IndexFunc(crossed, func(f store.Alert) bool {
			return f.Rule == h.Rule
		})
		if i >= 0 {
			held = append(held, heldRule{crossed[i], true})
			continue
		}
		if !h.Rule.OnRequests() {
			h.Facts = facts(h.Vintage)
		}
		h.At, h.Was = at, h.Facts
		held = append(held, heldRule{h, false})
	}
	return held, cmp.Or(err, holdErr)
}

func (w *run) lookUpOpen(ctx context.Context) error {
	entries, err := w.memory.Of(w.ProjectDetails.Origin).Ledger.Entries(ctx)
	if err != nil {
		return err
	}
	w.ofRequest = make(map[string]model.VintageKey)
	for _, e := range entries {
		answer := e.Answer
		if answer == nil || !answer.Status.Final() {
			found, err := w.Client.Retirement(ctx, e.ID)
			switch kind := api.KindOf(err); {
			case kind == api.NotFound || kind == api.Invalid:
				w.app.Warn("the retirement request %s is left out: %v", e.ID, err)
				continue
			case err != nil:
				return err
			}
			answer = &found
			if err := w.memory.Of(w.ProjectDetails.Origin).Ledger.Record(ctx, store.LookUp{ID: e.ID, At: w.app.Now(), Answer: answer}); err != nil {
				return err
			}
		}
		w.ofRequest[e.ID] = model.VintageKey{ProjectID: answer.ProjectID, VintageID: answer.VintageID}
	}
	return nil
}
