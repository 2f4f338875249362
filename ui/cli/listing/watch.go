package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model/file/store"
	"tonne/ui/cli/command"
)

// Watch is a run of --watch: a session whose events are printed.
type Watch struct {
	App            *command.App
	ProjectDetails *ProjectDetails
	// Client is the client of the selected marketplace.
	Client                      session.Client
	MarketEvery, InventoryEvery time.Duration
	// Part reports that the flags exclude a part of the market. Then nothing
	// is recorded, because that part would look sold out.
	Part bool
	// Begin, if not nil, configures what the session polls.
	Begin func(*session.Session)
	// Account is the owner of the wallets and trades to poll, or empty to poll none.
	Account string
	// Quiet suppresses the report of fired rules on standard error.
	Quiet bool
	// Print receives every event.
	Print func(context.Context, session.Event) error
}

// Run prints events until ctx ends. The error is the cause of ctx, or from Print.
func (w Watch) Run(ctx context.Context) error {
	work := session.New(w.Client, session.Options{
		Origin: w.ProjectDetails.Origin, Store: w.ProjectDetails.Store, Log: w.App.Log(), Now: w.App.Now,
		MarketEvery: w.MarketEvery, InventoryEvery: w.InventoryEvery, Account: w.Account, Portfolio: w.Account != "",
	})
	if !w.Part {
		work.Record()
	}
	if w.Begin != nil {
		w.Begin(work)
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
		w.App.Log().Error("panic", "what", broke.Value, "stack", broke.Stack)
		return w.App.BrokeDown()
	case workErr != nil:
		w.App.Warn("not everything was saved: %v", workErr)
	}
	return err
}

func (w Watch) read(ctx context.Context, work *session.Session) error {
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

func (w Watch) take(ctx context.Context, e session.Event) error {
	switch e := e.(type) {
	case session.MarketEvent:
		w.ProjectDetails.market = e.Market
	case session.ProjectsEvent:
		w.ProjectDetails.learn(e.Fetched)
	case session.AlertsEvent:
		if !w.Quiet {
			w.alert(ctx, e)
		}
	case session.StoreEvent:
		if e.Problem != nil {
			w.App.Warn("%v", e.Problem)
		}
	}
	return w.Print(ctx, e)
}

func (w Watch) alert(ctx context.Context, e session.AlertsEvent) {
	w.App.ClearProgress()
	fired := slices.DeleteFunc(slices.Clone(e.Fired), func(f store.Alert) bool { return f.Rule.OnRequests() })
	projects := make([]string, len(fired))
	for i, f := range fired {
		projects[i] = f.Vintage.ProjectID
	}
	w.ProjectDetails.Need(ctx, projects)
	for _, f := range fired {
		w.App.Note(command.Notice{Code: command.AlertCode,
			Message: fmt.Sprintf("alert: %s: %s, now %s", w.ProjectDetails.VintageName(f.Vintage), f.Rule,
				command.Watched(f.Rule, f.Facts))})
	}
}

// Outage reports temporary failures of polls.
type Outage struct{ told time.Time }

// Tell warns once of each failed poll, and returns the error of a refused key.
func (o *Outage) Tell(a *command.App, s session.Status) error {
	switch {
	case s.State == session.Refused:
		return s.Err
	case s.Err != nil && !s.Fetching && !s.RetryAt.Equal(o.told):
		o.told = s.RetryAt
		pause := max(s.RetryAt.Sub(a.Now()).Round(time.Second), time.Second)
		a.Warn("%v; trying again in %s", s.Err, pause)
	}
	return nil
}
