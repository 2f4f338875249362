package demo

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/retiring"
)

// practise lets the dashboard of a demo retire. The journal is deleted with the demo, even if
// the database is kept, because that service is never used again.
func (d *options) practise(o *ui.Options, market *syntheticMarket) (calls func(context.Context) ([]retirement.JournalEntry, error), leave func(), err error) {
	client, err := retiring.ClientThatRetires(api.Options{BaseURL: market.baseURL, Log: d.dash.App.Log(), Transport: market.key, Retries: command.Retries})
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(os.TempDir(), "tonne-demo-"+rand.Text())
	flow := &retire.Workflow{
		Path: filepath.Join(dir, "journal.db"), Account: retire.NewAccount(market.baseURL, "demo", ""), Client: client, By: d.dash.App.MadeBy(), Now: d.dash.App.Now,
	}
	o.Retire = flow
	return func(ctx context.Context) ([]retirement.JournalEntry, error) {
			calls, err := flow.Calls(ctx, retire.OfService)
			return retiring.DoneOf(calls), err
		}, func() {
			dashboard.LeaveDesk(flow, client)
			_ = os.RemoveAll(dir)
		}, nil
}
