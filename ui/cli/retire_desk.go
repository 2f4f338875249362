package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
	"tonne/ui"
)

const allowRetireFlag = "allow-retire"

// takeAllowRetire notes what the flag says, if it was given.
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
	if !allowed {
		known := &notKnown{path: d.journalPath(), read: func(ctx context.Context) (calls []journal.Call, err error) {
			err = d.ifJournal(ctx, func(j *journal.Journal) (err error) {
				calls, err = j.Unsettled(d.account(s))
				return err
			})
			return calls, err
		}}
		o.Unfinished = known.count
		return func() {}, nil
	}
	client, err := clientThatRetires(d.clientOptions(s, retries))
	if err != nil {
		return nil, err
	}
	desk := d.desk(client, d.account(s), func(ctx context.Context, made bool) (*journal.Journal, error) {
		if _, err := os.Stat(d.journalPath()); errors.Is(err, fs.ErrNotExist) && !made {
			return nil, nil
		}
		return d.openJournal(ctx)
	})
	desk.Ledger = referenceLedger{d.app, string(s.baseURL)}
	o.Retire = desk
	return func() { leaveDesk(desk, client) }, nil
}

func (d *dashboardRun) desk(client *api.Client, account journal.Account, open func(context.Context, bool) (*journal.Journal, error)) *retire.Desk {
	return &retire.Desk{Journal: open, Account: account, Client: client, By: d.madeBy(), Now: d.Now}
}

// leaveDesk ends the use of a desk. A call that does not end in time stays in
// the journal as that of a program that was killed.
func leaveDesk(desk *retire.Desk, client *api.Client) {
	_ = desk.Close(deskPatience)
	client.Close()
}

// ifJournal calls fn with the journal. Where nothing was ever retired there is
// none, and none is made.
func (a *app) ifJournal(ctx context.Context, fn func(*journal.Journal) error) error {
	if _, err := os.Stat(a.journalPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	j, err := a.openJournal(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(j), j.Close())
}

// practise gives the dashboard of a demo a desk: its credits are synthetic, and
// so is the money. The journal is made when somebody retires, and removed with the
// demo, also where the database is kept: nobody asks that service again.
func (d *demoRun) practise(o *ui.Options, market *demoMarket) (calls func(context.Context) ([]model.JournalEntry, error), leave func(), err error) {
	client, err := clientThatRetires(api.Options{BaseURL: market.baseURL, Log: d.log(), Transport: market.key, Retries: retries})
	if err != nil {
		return nil, nil, err
	}
	var dir string
	desk := d.desk(client, journal.Account{Origin: market.baseURL, Profile: "demo"}, func(ctx context.Context, made bool) (_ *journal.Journal, err error) {
		if !made {
			return nil, nil
		}
		if dir == "" {
			if dir, err = os.MkdirTemp("", "tonne-demo-"); err != nil {
				return nil, err
			}
		}
		return journal.Open(ctx, filepath.Join(dir, "journal.db"))
	})
	o.Retire = desk
	return func(ctx context.Context) ([]model.JournalEntry, error) {
			calls, err := desk.Calls(ctx)
			return entriesOf(calls), err
		}, func() {
			leaveDesk(desk, client)
			if dir != "" {
				_ = os.RemoveAll(dir)
			}
		}, nil
}
