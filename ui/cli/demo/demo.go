// Package demo implements the command `tonne demo`: it runs a marketplace with synthetic
// data in the process and opens the dashboard on it. Start reading at Command.
package demo

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model/advice"
	"tonne/model/file/record"
	"tonne/model/file/store"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/retiring"
)

type options struct {
	dash dashboard.Dashboard
	keep string
	seed uint64
}

// Command returns `tonne demo`.
func Command(a *command.App) *cobra.Command {
	d := &options{dash: dashboard.Dashboard{App: a}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on a demo marketplace; no setup, nothing left behind",
		Long: "Runs a marketplace with synthetic data inside the program, on a free port of this\n" +
			"machine (loopback only), and opens the dashboard on it.",
		Example: "  tonne demo\n  tonne demo --keep ./demo       # keep its database",
		RunE:    command.Do(d.run),
	}
	d.dash.Flags(cmd)
	a.SettingFlags(cmd, "config", "debug")
	cmd.Flags().StringVar(&d.keep, "keep", "", "keep the database in `DIR`")
	cmd.Flags().Uint64Var(&d.seed, "seed", 0, "seed `N` for the demo data (default: a new one each time)")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (d *options) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	if err := d.dash.CheckTab(); err != nil {
		return err
	}
	if !d.dash.InText() {
		todo := advice.Format("run it in a terminal, or run the service alone with %s", advice.Tonne("serve --demo-data"))
		if err := d.dash.NeedTerminal(todo); err != nil {
			return err
		}
	}
	if err := d.dash.App.OpenDebug(); err != nil {
		return err
	}
	if d.dash.InText() {
		return d.printDemo(ctx, cmd)
	}
	return d.dashboard(ctx)
}

// The screen appears at once, while the data is generated.
func (d *options) dashboard(ctx context.Context) error {
	file, err := d.dash.App.ConfigFile()
	if err != nil {
		return err
	}
	o := d.dash.Options(file)
	d.dash.App.Fleeting = filepath.Join(os.TempDir(), "tonne-demo-"+cryptorand.Text())
	defer os.RemoveAll(d.dash.App.Fleeting)
	return d.withMarket(ctx, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		o.Host, o.Label, o.Hints = "demo", "synthetic data", market.offer
		o.NoShell = d.dash.App.Advice(advice.Format(
			"No command reads a demo. Run %s to use commands.", advice.Tonne("serve --demo-data")))
		o.Account = statement.Account{Tenant: o.Label, Marketplace: market.baseURL}
		journal, leave, err := d.practise(&o, market)
		if err != nil {
			return err
		}
		defer leave()
		return d.dash.Show(ctx, client, session.Options{Origin: market.baseURL, Store: market.store, Journal: journal}, o)
	})
}

func (d *options) withMarket(ctx context.Context,
	use func(context.Context, *syntheticMarket, *api.Client) error) error {
	path, err := d.databasePath()
	if err != nil {
		return err
	}
	orders := ""
	if d.keep != "" {
		orders = filepath.Join(d.keep, "orders.db")
	}
	d.dash.App.UseRecord(record.Open(orders))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	market := &syntheticMarket{baseURL: "http://" + listener.Addr().String(), key: newPendingKey(), store: store.Open("")}
	defer market.store.Close()
	client, err := api.New(api.Options{
		BaseURL: market.baseURL, Log: d.dash.App.Log(), Transport: market.key, Now: d.dash.App.Now,
		MarketRead: d.dash.App.Recording(market.settings()),
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	ended := worker.Start(func() error { return d.market(ctx, market, path, listener) })
	err = use(ctx, market, client)
	cancel()
	return errors.Join(err, ended())
}

func (d *options) databasePath() (string, error) {
	if d.keep == "" {
		return "", nil
	}
	if err := os.MkdirAll(d.keep, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(d.keep, "demo.db")
	if _, err := os.Lstat(path); err == nil {
		return "", command.Failed(advice.Format("name another directory, or run it with %s",
			advice.Tonne("serve --db", path)), "%s already exists", path)
	}
	return path, nil
}

func (d *options) printDemo(ctx context.Context, cmd *cobra.Command) error {
	return d.withMarket(ctx, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		select {
		case <-market.key.ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		ledger, now := market.store.Of(market.baseURL).Ledger, d.dash.App.Now()
		for _, hint := range market.hints {
			err := cmp.Or(ledger.Remember(ctx, now, hint.ID), ledger.SetLabel(ctx, hint.ID, hint.Label, now))
			if found, unknown := client.Retirement(ctx, hint.ID); err == nil && unknown == nil {
				err = ledger.Record(ctx, store.LookUp{ID: hint.ID, At: now, Answer: &found})
			}
			if err != nil {
				return err
			}
		}
		d.dash.App.Desk = &command.Desk{Store: market.store,
			Connect: func() (*command.Settings, *api.Client, error) { return market.settings(), client, nil }}
		d.dash.App.Warn("this is synthetic data")
		return d.dash.PrintTab(ctx, cmd)
	})
}

// practise lets the dashboard of a demo retire. The journal is deleted with the demo, even if
// the database is kept, because that service is never used again.
func (d *options) practise(o *ui.Options,
	market *syntheticMarket) (calls func(context.Context) ([]retirement.JournalEntry, error), leave func(), err error) {
	client, err := retiring.ClientThatRetires(
		api.Options{BaseURL: market.baseURL, Log: d.dash.App.Log(), Transport: market.key, Retries: command.Retries})
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(os.TempDir(), "tonne-demo-"+cryptorand.Text())
	flow := &retire.Workflow{
		Path: filepath.Join(dir, "journal.db"), Account: retire.NewAccount(market.baseURL, "demo", ""), Client: client,
		By: d.dash.App.MadeBy(), Now: d.dash.App.Now,
	}
	o.Retire = flow
	return func(ctx context.Context) ([]retirement.JournalEntry, error) {
			calls, err := flow.Calls(ctx, retire.OfService)
			return journal.DoneOf(calls), err
		}, func() {
			dashboard.LeaveDesk(flow, client)
			_ = os.RemoveAll(dir)
		}, nil
}
