package session

import (
	"context"
	"time"
)

// recorder records the prices of the session, and checks the rules of the store.
type recorder struct {
	*env
	stores stores
	watch  *watchlist
	alerts *alerts
	// again reads the recorded prices again.
	again func()

	on bool
	// seen is the newest complete market, and recorded what the store has.
	seen     sighting
	recorded recording
	// at is when the market was last seen.
	at time.Time
	// due reports that there are prices to record or rules to check, and busy that the store
	// is at work.
	due, busy bool
}

func (r *recorder) market(e MarketEvent) {
	if e.Market == nil || e.Partial {
		return
	}
	newest := r.seen.market
	if e.Market != newest.Market {
		r.seen.before = r.at
	}
	r.at = e.At
	unrecorded := e.Market != r.recorded.market && e.At.After(newest.At)
	if e.Market != newest.Market || unrecorded || e.At.Sub(r.recorded.trendsAt).Abs() >= trendsAge {
		r.seen.market, r.due = e, true
	}
}

func (r *recorder) portfolio(e PortfolioEvent) {
	if !e.Earlier && !e.At.Equal(r.seen.portfolio.At) {
		r.seen.portfolio, r.due = e, true
	}
}

func (r *recorder) settle() {
	if !r.on || !r.due || r.busy || r.seen.market.Market == nil || r.ctx.Err() != nil {
		return
	}
	r.due, r.busy = false, true
	was, is, edits, lastSent := r.recorded, r.seen, r.watch.edits, r.alerts.lastSent
	var f findings
	r.write(func(ctx context.Context) (err error) {
		f, err = survey(ctx, r.stores, was, is, lastSent)
		return err
	}, func(err error) {
		r.busy = false
		r.take(f, is.market, err)
		if err == nil && f.list != nil && r.ctx.Err() == nil {
			r.watch.take(*f.list, edits)
		}
	})
}

// take takes what a survey of a market has found, also one that failed later.
func (r *recorder) take(f findings, of MarketEvent, err error) {
	shared := r.stores.limiter != nil
	if f.trends != nil || shared {
		r.recorded.trendsAt = of.At
	}
	if f.recorded {
		r.recorded.market = of.Market
		if !shared {
			r.again()
		}
		if f.missed != nil {
			r.emit(*f.missed)
		}
	}
	if f.trends != nil {
		r.emit(*f.trends)
	}
	r.alerts.failed = err
	r.alerts.take(f.fired)
}
