package cli

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
	"tonne/ui/cli/config"
)

// demoRun is one run of `tonne demo`.
type demoRun struct {
	dashboardRun
	keep string
	seed uint64
}

// showDemo shows the demo as the dashboard that was begun would be shown.
func showDemo(ctx context.Context, as dashboardRun, file *config.File) error {
	d := &demoRun{dashboardRun: as}
	if d.linear() || d.isDumb() {
		return d.printDemo(ctx)
	}
	return d.dashboard(ctx, file)
}

func (a *app) demoCommand(printMarket func(context.Context, *app, *reading) error) *cobra.Command {
	d := &demoRun{dashboardRun: dashboardRun{app: a, printMarket: printMarket}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on a synthetic marketplace; needs nothing, leaves nothing",
		Long: "Runs a marketplace with synthetic data inside the program, on a free port that only\n" +
			"this machine can reach, and opens the dashboard on it.",
		Example: "  tonne demo\n  tonne demo --keep ./demo       # keep its database",
		Args:    cobra.NoArgs,
		RunE:    do(d.run),
	}
	d.flags(cmd)
	a.settingFlags(cmd, "config", "debug")
	cmd.Flags().StringVar(&d.keep, "keep", "", "keep the database in `DIR`")
	cmd.Flags().Uint64Var(&d.seed, "seed", 0, "make the data that belongs to `N` (default: another one each time)")
	return a.describe(cmd, description{effect: writesLocal})
}

func (d *demoRun) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	if err := d.checkTab(); err != nil {
		return err
	}
	if d.linear() || d.isDumb() {
		return d.printDemo(ctx)
	}
	if err := d.needTerminal("run it in a terminal, or run the service alone with `tonne serve --demo-data`"); err != nil {
		return err
	}
	if err := d.openDebug(); err != nil {
		return err
	}
	file, err := d.configFile()
	if err != nil {
		return err
	}
	return d.dashboard(ctx, file)
}

// dashboard shows the demo. The screen is there at once: the data is made
// behind it.
func (d *demoRun) dashboard(ctx context.Context, file *config.File) error {
	o := d.options(file)
	drawn := awaitFrame(&o)
	d.fleeting = filepath.Join(os.TempDir(), "tonne-demo-"+cryptorand.Text())
	defer os.RemoveAll(d.fleeting)
	return d.withMarket(ctx, drawn, func(ctx context.Context, market *demoMarket, client *api.Client) error {
		o.Host, o.Label, o.Hints = "demo", "synthetic data", market.offer
		journal, leave, err := d.practise(&o, market)
		if err != nil {
			return err
		}
		defer leave()
		return d.show(ctx, client, session.Options{Origin: market.baseURL, Store: market.store, Journal: journal}, o, drawn)
	})
}

// withMarket runs the demo's marketplace while it is used. Its data is made once
// begin is closed.
func (d *demoRun) withMarket(ctx context.Context, begin <-chan struct{}, use func(context.Context, *demoMarket, *api.Client) error) error {
	path, err := d.databasePath()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	market := &demoMarket{baseURL: "http://" + listener.Addr().String(), key: newPendingKey(), store: store.Open("")}
	defer market.store.Close()
	client, err := api.New(api.Options{BaseURL: market.baseURL, Log: d.log(), Transport: market.key})
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

func (d *demoRun) databasePath() (string, error) {
	if d.keep == "" {
		return "", nil
	}
	if err := os.MkdirAll(d.keep, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(d.keep, "demo.db")
	if _, err := os.Lstat(path); err == nil {
		return "", failed("name another directory, or run it with `tonne serve --db "+path+"`", "%s is there already", path)
	}
	return path, nil
}

// demoMarket is the marketplace of a demo.
type demoMarket struct {
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
func (d *demoMarket) offer() []session.Entry {
	select {
	case <-d.key.ready:
		return d.hints
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
func (d *demoRun) market(ctx context.Context, market *demoMarket, path string, listener net.Listener, begin <-chan struct{}) error {
	select {
	case <-begin:
	case <-ctx.Done():
	}
	// The database that --keep asks for is there however soon the person leaves.
	m, err := marketplace.Open(context.WithoutCancel(ctx), path, marketplace.Options{Log: d.log(), RatePerSecond: -1, Service: true})
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
		d.log().Warn("the demo has no rules", "error", err)
	}
	if err := market.recordBook(ctx, d.Now()); err != nil {
		d.log().Warn("the demo does not remember its book", "error", err)
	}
	// Begun before the key is there, to be ahead of the first poll.
	recorded := worker.Start(func() error { return market.recordPast(ctx, d.Now()) })
	market.key.arrive(key, nil)
	live := worker.Start(func() error { return demo.Live(ctx, m, demo.Pace, d.log()) })
	processed := worker.Start(func() error {
		demo.Process(ctx, m, requestPace, d.log())
		return nil
	})
	practised := worker.Start(func() error { return demo.Practise(ctx, m, practiceStep, d.log()) })
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

func (d *demoRun) fill(ctx context.Context, market *demoMarket, m *marketplace.Marketplace) (key string, err error) {
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
