package cli

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// freshFor is how long an answer is as good as one of now.
const freshFor = time.Minute

// freshLedger reads the ledger, looks up again what may have changed since it
// was looked up, and remembers the answers. It tells how many look-ups failed.
func (r *reading) freshLedger(ctx context.Context, a *app) (*localLedger, error) {
	local := r.details.store
	ledger, err := a.ledgerOf(ctx, local, r.baseURL)
	if err != nil {
		return nil, err
	}
	var ids []string
	at := make(map[string]int)
	for n, e := range ledger.entries {
		if at[e.ID] = n; e.Answer == nil || !e.Status.Final() && a.Now().Sub(e.AnsweredAt) > freshFor {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return ledger, nil
	}
	var lookUps []store.LookUp
	failed := 0
	l := lookUp{client: r.client, tell: func(done, total int) { r.progress.tell("request %d of %d", done, total) },
		emit: func(_ context.Context, found *lookUpResult) error {
			one := store.LookUp{ID: found.id, At: a.Now()}
			if found.err == nil {
				one.Answer = &found.retirement
				e := &ledger.entries[at[found.id]]
				e.Answer, e.AnsweredAt, e.Status = one.Answer, one.At, found.retirement.Status
			} else {
				one.Error = found.err.Error()
				failed++
			}
			lookUps = append(lookUps, one)
			return nil
		}}
	if err := l.run(ctx, ids); err != nil {
		return nil, err
	}
	r.progress.clear()
	if failed > 0 {
		a.warn("%d of %d requests of the ledger could not be looked up; of those the last answer counts", failed, len(ids))
	}
	return ledger, local.Record(ctx, r.baseURL, lookUps...)
}

func (l *localLedger) answers() []model.Retirement {
	var all []model.Retirement
	for _, e := range l.entries {
		if e.Answer != nil {
			all = append(all, *e.Answer)
		}
	}
	return all
}

func (r *reading) trades(ctx context.Context) (*model.Inventory, error) {
	return r.client.Inventory(ctx, api.InventoryQuery{}, func(_ *model.Inventory, page model.Page) {
		r.progress.tell("page %d of %d", page.Current, page.TotalPages)
	})
}
