package watch

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
)

// heldRule is a rule that is true, and whether it was false before.
type heldRule struct {
	store.Alert
	fresh bool
}

// errLooked ends the session of --once.
var errLooked = errors.New("looked once")

type look struct {
	market, portfolio, ledger, checked bool

	answered map[string]bool
	lookUp   error
	fired    []store.Alert
}

// unnamed is a client without project details, which are fetched only for alerts.
type unnamed struct{ session.Client }

func (unnamed) Projects(context.Context, ...string) ([]model.Project, error) { return nil, nil }

func (w *run) look(ctx context.Context, e session.Event) (err error) {
	l := &w.looked
	switch e := e.(type) {
	case session.MarketEvent:
		l.market, err = e.State == session.Live, e.Err
	case session.PortfolioEvent:
		l.portfolio, err = e.State == session.Live, e.Err
	case session.LedgerEvent:
		err = w.takeAnswers(e)
	case session.AlertsEvent:
		l.fired = append(l.fired, e.Fired...)
	case session.HoldingEvent:
		return cmp.Or(w.tell(ctx, w.held(e)...), e.Err, l.lookUp, errLooked)
	}
	if err == nil && l.market && l.portfolio && l.ledger && !l.checked {
		l.checked = true
		w.session.CheckRules()
	}
	return err
}

func (w *run) held(e session.HoldingEvent) (held []heldRule) {
	for _, h := range e.Holding {
		if h.OnRequests() && w.looked.lookUp != nil {
			continue
		}
		if i := slices.IndexFunc(w.looked.fired, func(f store.Alert) bool { return f.Rule == h.Rule }); i >= 0 {
			held = append(held, heldRule{w.looked.fired[i], true})
			continue
		}
		h.At, h.Was = w.app.Now(), h.Facts
		held = append(held, heldRule{h, false})
	}
	return held
}

// takeAnswers waits until every request that may have changed has been looked up.
func (w *run) takeAnswers(e session.LedgerEvent) error {
	l := &w.looked
	for _, o := range e.Answered {
		l.answered[o.ID] = true
		switch kind := api.KindOf(o.Err); {
		case kind == api.NotFound || kind == api.Invalid:
			w.app.Warn("the retirement request %s is not checked: %v", o.ID, o.Err)
		case o.Err != nil:
			l.lookUp = cmp.Or(l.lookUp, o.Err)
		}
	}
	l.ledger = true
	for _, r := range e.Requests {
		if api.KindOf(r.Err) == api.RateLimited {
			l.lookUp = cmp.Or(l.lookUp, r.Err)
		}
		l.ledger = l.ledger && (l.answered[r.ID] || r.Answer != nil && !r.Pending())
	}
	l.ledger = l.ledger || l.lookUp != nil
	return e.Err
}
