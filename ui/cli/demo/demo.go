// Package demo implements the command `tonne demo`: it runs a marketplace with synthetic
// data in the process and opens the dashboard on it. Start reading at Command.
package demo

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model/portfolio"
	"tonne/model/statement"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/dashboard"
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
	if d.dash.InText() {
		return d.printDemo(ctx, cmd)
	}
	if err := d.dash.NeedTerminal("run it in a terminal, or run the service alone with `tonne serve --demo-data`"); err != nil {
		return err
	}
	if err := d.dash.App.OpenDebug(); err != nil {
		return err
	}
	file, err := d.dash.App.ConfigFile()
	if err != nil {
		return err
	}
	return d.dashboard(ctx, file)
}

// The screen appears at once, while the data is generated.
func (d *options) dashboard(ctx context.Context, file *config.File) error {
	o := d.dash.Options(file)
	d.dash.App.Fleeting = filepath.Join(os.TempDir(), "tonne-demo-"+cryptorand.Text())
	defer os.RemoveAll(d.dash.App.Fleeting)
	return d.withMarket(ctx, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		o.Host, o.Label, o.Hints = "demo", "synthetic data", market.offer
		o.Account = statement.Account{Tenant: o.Label, Marketplace: market.baseURL}
		journal, leave, err := d.practise(&o, market)
		if err != nil {
			return err
		}
		defer leave()
		return d.dash.Show(ctx, client, session.Options{Origin: market.baseURL, Store: market.store, Journal: journal}, o)
	})
}

func (d *options) withMarket(ctx context.Context, use func(context.Context, *syntheticMarket, *api.Client) error) error {
	path, err := d.databasePath()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	market := &syntheticMarket{baseURL: "http://" + listener.Addr().String(), key: newPendingKey(), store: store.Open("")}
	defer market.store.Close()
	client, err := api.New(api.Options{BaseURL: market.baseURL, Log: d.dash.App.Log(), Transport: market.key})
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
		return "", command.Failed("name another directory, or run it with `tonne serve --db "+path+"`", "%s already exists", path)
	}
	return path, nil
}

// syntheticMarket is the marketplace of a demo.
type syntheticMarket struct {
	baseURL string
	key     *pendingKey
	// hints are retirement requests to suggest as soon as the key is ready.
	hints []session.Entry
	// store contains the prices that a running dashboard would have recorded.
	store  *store.Store
	prices []demo.Price
	held   *portfolio.Inventory
}

func (s *syntheticMarket) offer() []session.Entry {
	select {
	case <-s.key.ready:
		return s.hints
	default:
		return nil
	}
}

// market generates the data and serves it until ctx ends.
func (d *options) market(ctx context.Context, market *syntheticMarket, path string, listener net.Listener) error {
	// The database of --keep is created even if the user quits at once.
	m, err := marketplace.Open(context.WithoutCancel(ctx), path, marketplace.Options{Log: d.dash.App.Log(), RatePerSecond: -1, Service: true})
	if err != nil {
		listener.Close()
		market.key.arrive("", err)
		return ended(ctx, err)
	}
	key, err := d.fill(ctx, market, m)
	if err != nil {
		listener.Close()
		market.key.arrive("", err)
		return errors.Join(ended(ctx, err), m.Close())
	}
	if err := market.recordBook(ctx, d.dash.App.Now()); err != nil {
		d.dash.App.Log().Warn("the demo does not remember its book", "error", err)
	}
	// Started before the key is ready, to finish before the first poll.
	recorded := worker.Start(func() error { return market.recordPast(ctx, d.dash.App.Now()) })
	market.key.arrive(key, nil)
	live := worker.Start(func() error { return demo.Live(ctx, m, demo.Pace, d.dash.App.Log()) })
	processed := worker.Start(func() error {
		// Longer than the interval of look-ups, so that no state is missed.
		demo.Process(ctx, m, 45*time.Second, d.dash.App.Log())
		return nil
	})
	practised := worker.Start(func() error { return demo.Practise(ctx, m, 10*time.Second, d.dash.App.Log()) })
	err = m.Serve(ctx, listener)
	err = errors.Join(err, live(), processed(), practised(), recorded())
	return errors.Join(ended(ctx, err), m.Close())
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (d *options) fill(ctx context.Context, market *syntheticMarket, m *marketplace.Marketplace) (key string, err error) {
	made, err := demo.Load(ctx, m, demo.Options{Seed: cmp.Or(d.seed, rand.Uint64())})
	if err != nil {
		return "", fmt.Errorf("the demo's data could not be made: %w", err)
	}
	market.prices, market.held = made.Prices, made.Inventory
	for _, r := range made.Retirements {
		market.hints = append(market.hints, session.Entry{ID: r.ID, Label: r.Label})
	}
	return made.Key, nil
}
