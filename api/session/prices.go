package session

import (
	"context"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/file/store"
)

// prices reads the recorded prices of vintages, and again whenever more are recorded.
type prices struct {
	*env
	kept     store.History
	vintages []model.VintageKey
	task
}

func (p *prices) load(keys []model.VintageKey) { p.vintages, p.due = keys, true }

func (p *prices) again() { p.due = len(p.vintages) > 0 }

func (p *prices) settle() {
	if !p.begin() {
		return
	}
	keys := p.vintages
	read(p.env, func(ctx context.Context) (e PricesEvent, err error) {
		e.Observations = make(map[model.VintageKey][]store.Observation, len(keys))
		for _, key := range keys {
			if e.Observations[key], err = p.kept.Prices(ctx, key, time.Time{}); err != nil {
				return e, err
			}
		}
		e.Gaps, err = p.kept.Gaps(ctx, time.Time{})
		return e, err
	}, func(e PricesEvent, err error) {
		p.busy = false
		if e.Err = err; slices.Equal(keys, p.vintages) {
			p.emit(e)
		}
	})
}
