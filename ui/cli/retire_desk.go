package cli

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui"
)

const allowRetireFlag = "allow-retire"

func (d *dashboardRun) takeAllowRetire(cmd *cobra.Command) {
	if cmd.Flags().Changed(allowRetireFlag) {
		allow, err := cmd.Flags().GetBool(allowRetireFlag)
		allow = allow && err == nil
		d.allowRetire = &allow
	}
}

// deskPatience is how long the end of a dashboard waits for a call that is on
// its way: a signal gives it no more.
const deskPatience = patience / 2

// letRetire gives the dashboard a desk if retiring is switched on. Otherwise no
// client that can retire is made. leave ends its use.
func (d *dashboardRun) letRetire(o *ui.Options, s *settings) (leave func(), err error) {
	allowed := s.profile.AllowRetire
	if d.allowRetire != nil {
		allowed = *d.allowRetire
	}
	flow := d.workflow(s)
	if !allowed {
		o.Unfinished = func(ctx context.Context) (int, error) {
			calls, err := flow.Unsettled(ctx)
			return len(retire.NotKnown(calls)), d.journalFailure(err)
		}
		return func() { _ = flow.Close(deskPatience) }, nil
	}
	client, err := clientThatRetires(d.clientOptions(s, retries))
	if err != nil {
		return nil, err
	}
	flow.Client, flow.Ledger = client, referenceLedger{d.app, string(s.baseURL)}
	o.Retire = flow
	return func() { leaveDesk(flow, client) }, nil
}

// leaveDesk ends the use of a workflow. A call that does not end in time stays in
// the journal as that of a program that was killed.
func leaveDesk(flow *retire.Workflow, client *api.Client) {
	_ = flow.Close(deskPatience)
	client.Close()
}

// practise lets the dashboard of a demo retire: its credits are synthetic, and so is
// the money. The journal is made when the first retirement is confirmed, and removed
// with the demo, also if the database is kept: that service is never asked again.
func (d *demoRun) practise(o *ui.Options, market *demoMarket) (calls func(context.Context) ([]model.JournalEntry, error), leave func(), err error) {
	client, err := clientThatRetires(api.Options{BaseURL: market.baseURL, Log: d.log(), Transport: market.key, Retries: retries})
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(os.TempDir(), "tonne-demo-"+rand.Text())
	flow := &retire.Workflow{
		Path: filepath.Join(dir, "journal.db"), Account: retire.NewAccount(market.baseURL, "demo", ""), Client: client, By: d.madeBy(), Now: d.Now,
	}
	o.Retire = flow
	return func(ctx context.Context) ([]model.JournalEntry, error) {
			calls, err := flow.Calls(ctx, retire.OfService)
			return entriesOf(calls), err
		}, func() {
			leaveDesk(flow, client)
			_ = os.RemoveAll(dir)
		}, nil
}
