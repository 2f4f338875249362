// Package demo is `tonne demo`: a marketplace with synthetic data inside the program,
// and the dashboard on it.
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
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/listing"
)

// run is one run of `tonne demo`.
type run struct {
	dashboard.Dashboard
	keep string
	seed uint64
}

// Show shows the demo as the dashboard that was begun would be shown.
func Show(ctx context.Context, as dashboard.Dashboard, file *config.File) error {
	d := &run{Dashboard: as}
	if d.Linear() || d.IsDumb() {
		return d.printDemo(ctx)
	}
	return d.dashboard(ctx, file)
}

// Command returns `tonne demo`. printMarket prints the market as a table.
func Command(a *command.App, printMarket func(context.Context, *command.App, *listing.Connection) error) *cobra.Command {
	d := &run{Dashboard: dashboard.Dashboard{App: a, Print: printMarket}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on a synthetic marketplace; needs nothing, leaves nothing",
		Long: "Runs a marketplace with synthetic data inside the program, on a free port that only\n" +
			"this machine can reach, and opens the dashboard on it.",
		Example: "  tonne demo\n  tonne demo --keep ./demo       # keep its database",
		Args:    cobra.NoArgs,
		RunE:    command.Do(d.run),
	}
	d.Flags(cmd)
	a.SettingFlags(cmd, "config", "debug")
	cmd.Flags().StringVar(&d.keep, "keep", "", "keep the database in `DIR`")
	cmd.Flags().Uint64Var(&d.seed, "seed", 0, "make the data that belongs to `N` (default: another one each time)")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (d *run) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	if err := d.CheckTab(); err != nil {
		return err
	}
	if d.Linear() || d.IsDumb() {
		return d.printDemo(ctx)
	}
	if err := d.NeedTerminal("run it in a terminal, or run the service alone with `tonne serve --demo-data`"); err != nil {
		return err
	}
	if err := d.OpenDebug(); err != nil {
		return err
	}
	file, err := d.ConfigFile()
	if err != nil {
		return err
	}
	return d.dashboard(ctx, file)
}

// dashboard shows the demo. The screen is there at once: the data is made
// behind it.
func (d *run) dashboard(ctx context.Context, file *config.File) error {
	o := d.Options(file)
	drawn := dashboard.AwaitFrame(&o)
	d.Fleeting = filepath.Join(os.TempDir(), "tonne-demo-"+cryptorand.Text())
	defer os.RemoveAll(d.Fleeting)
	return d.withMarket(ctx, drawn, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		o.Host, o.Label, o.Hints = "demo", "synthetic data", market.offer
		journal, leave, err := d.practise(&o, market)
		if err != nil {
			return err
		}
		defer leave()
		return d.Show(ctx, client, session.Options{Origin: market.baseURL, Store: market.store, Journal: journal}, o, drawn)
	})
}

// withMarket runs the demo's marketplace while it is used. Its data is made once
// begin is closed.
func (d *run) withMarket(ctx context.Context, begin <-chan struct{}, use func(context.Context, *syntheticMarket, *api.Client) error) error {
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
	client, err := api.New(api.Options{BaseURL: market.baseURL, Log: d.Log(), Transport: market.key})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	ended := worker.Start(func() error { return d.market(ctx, market, path, listener, begin) })
	err = use(ctx, market, client)
	cancel()
	return errors.Join(err, ended())
}

func (d *run) databasePath() (string, error) {
	if d.keep == "" {
		return "", nil
	}
	if err := os.MkdirAll(d.keep, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(d.keep, "demo.db")
	if _, err := os.Lstat(path); err == nil {
		return "", command.Failed("name another directory, or run it with `tonne serve --db "+path+"`", "%s is there already", path)
	}
	return path, nil
}

// syntheticMarket is the marketplace of a demo.
type syntheticMarket struct {
	baseURL string
	key     *pendingKey
	// hints are the retirement requests worth looking up. They are there when
	// the key is.
	hints []session.Entry
	// store holds what this machine would have recorded, had it watched the
	// market.
	store  *store.Store
	prices []demo.Price
	held   *model.Inventory
}

// offer returns the hints, or nil while the data is being made.
func (s *syntheticMarket) offer() []session.Entry {
	select {
	case <-s.key.ready:
		return s.hints
	default:
		return nil
	}
}

// requestPace is the time between two moves of its retirement requests: longer
// than it takes to look up again what is followed, so that no state is missed.
const requestPace = 45 * time.Second

// practiceStep is how long a retirement that is practised stays in a state.
const practiceStep = 10 * time.Second

// market makes the data once begin is closed, and serves it until ctx ends.
func (d *run) market(ctx context.Context, market *syntheticMarket, path string, listener net.Listener, begin <-chan struct{}) error {
	select {
	case <-begin:
	case <-ctx.Done():
	}
	// The database that --keep asks for is there however soon the person leaves.
	m, err := marketplace.Open(context.WithoutCancel(ctx), path, marketplace.Options{Log: d.Log(), RatePerSecond: -1, Service: true})
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
	// There before the key is, and so before rules are held against the first poll.
	if err := market.recordRules(ctx, d.Now()); err != nil {
		d.Log().Warn("the demo has no rules", "error", err)
	}
	if err := market.recordBook(ctx, d.Now()); err != nil {
		d.Log().Warn("the demo does not remember its book", "error", err)
	}
	// Begun before the key is there, to be ahead of the first poll.
	recorded := worker.Start(func() error { return market.recordPast(ctx, d.Now()) })
	market.key.arrive(key, nil)
	live := worker.Start(func() error { return demo.Live(ctx, m, demo.Pace, d.Log()) })
	processed := worker.Start(func() error {
		demo.Process(ctx, m, requestPace, d.Log())
		return nil
	})
	practised := worker.Start(func() error { return demo.Practise(ctx, m, practiceStep, d.Log()) })
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

func (d *run) fill(ctx context.Context, market *syntheticMarket, m *marketplace.Marketplace) (key string, err error) {
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
