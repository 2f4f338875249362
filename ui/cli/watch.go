package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/store"
)

// watch is a run of --watch: a session whose events are printed.
type watch struct {
	*app
	details  *details
	progress *progress
	// client is the marketplace as the flags select it.
	client                      session.Client
	marketEvery, inventoryEvery time.Duration
	// part says that the flags leave something of the market out: then nothing
	// is recorded, since what is left out would be taken for sold out.
	part bool
	// begin, which may be nil, says what the session is to poll.
	begin func(*session.Session)
	// quiet says that rules that begin to hold are not told on standard error.
	quiet bool
	// print gets every event.
	print func(context.Context, session.Event) error
}

func (w watch) run(ctx context.Context) error {
	work := session.New(w.client, session.Options{
		Origin: w.details.origin, Store: w.details.store, Log: w.log(),
		MarketEvery: w.marketEvery, InventoryEvery: w.inventoryEvery,
	})
	if !w.part {
		work.Record()
	}
	if w.begin != nil {
		w.begin(work)
	}
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := worker.Start(func() error { return work.Run(inside) })
	err := w.read(ctx, work)
	cancel()
	workErr := ended()
	var broke *session.PanicError
	switch {
	case errors.As(workErr, &broke):
		w.log().Error("panic", "what", broke.Value, "stack", broke.Stack)
		return w.brokeDown()
	case workErr != nil:
		w.warn("not everything was saved: %v", workErr)
	}
	return err
}

func (w watch) read(ctx context.Context, work *session.Session) error {
	for {
		events, err := work.Next(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := w.take(ctx, e); err != nil {
				return err
			}
		}
	}
}

func (w watch) take(ctx context.Context, e session.Event) error {
	switch e := e.(type) {
	case session.MarketEvent:
		w.details.market = e.Market
	case session.ProjectsEvent:
		w.details.learn(e.Fetched)
	case session.FiredEvent:
		if !w.quiet {
			w.alert(ctx, e)
		}
	case session.StoreEvent:
		if e.Problem != nil {
			w.warn("%v", e.Problem)
		}
	}
	return w.print(ctx, e)
}

func (w watch) alert(ctx context.Context, e session.FiredEvent) {
	w.progress.clear()
	fired := slices.DeleteFunc(slices.Clone(e.Fired), func(f store.Fired) bool { return f.Rule.OnRequests() })
	projects := make([]string, len(fired))
	for i, f := range fired {
		projects[i] = f.Vintage.ProjectID
	}
	w.details.need(ctx, projects)
	for _, f := range fired {
		now := dollars(f.Facts.BestAsk)
		if f.Rule.Measure == model.Available {
			now = f.Facts.Available.FormatTonnes()
		}
		key := f.Vintage
		w.note(notice{Code: alertCode, Message: fmt.Sprintf("alert: %s: %s, now %s", w.details.vintageName(key), f.Rule, now)})
	}
}

// outage tells of polls that fail and will be repeated.
type outage struct{ told time.Time }

func (o *outage) tell(a *app, s session.Status) error {
	switch {
	case s.State == session.Refused:
		return s.Err
	case s.Err != nil && !s.Fetching && !s.RetryAt.Equal(o.told):
		o.told = s.RetryAt
		pause := max(s.RetryAt.Sub(a.Now()).Round(time.Second), time.Second)
		a.warn("%v; trying again in %s", s.Err, pause)
	}
	return nil
}
