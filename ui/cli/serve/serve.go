// Package serve implements the command `tonne serve`: it runs the marketplace service, and
// its sub-commands do the operator's work on the database. The service itself is package
// api/marketplace. Start reading at Command.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/worker"
	"tonne/model/advice"
	"tonne/model/file/dbfile"
	"tonne/ui/cli/command"
)

// operator has the state that the commands of `tonne serve` share.
type operator struct {
	app *command.App
	db  string
	// create creates a missing database.
	create bool
}

// options are the flags of `tonne serve` itself.
type options struct {
	operator
	listen, publicURL string
	certificateField  string
	demoData, live    bool
	checkOnly         bool
	// made reports that a key of the demo data was printed.
	made    bool
	advance time.Duration
	rate    float64
}

// Command returns `tonne serve`.
func Command(a *command.App) *cobra.Command {
	s := &options{operator: operator{app: a}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the marketplace service",
		Long: "Serves the marketplace's HTTP API from one database until interrupted, and then finishes\n" +
			"the requests in flight. Several instances may share a PostgreSQL database. The service\n" +
			"uses plain HTTP: put a TLS proxy in front of it if other machines connect.",
		Example: "  tonne serve --demo-data --live\n" +
			"  tonne serve --listen 127.0.0.1:8080 --db /var/lib/tonne/market.db\n" +
			"  tonne serve --db 'postgres://tonne@db1,db2/market?target_session_attrs=read-write'\n" +
			"  tonne serve keys create --tenant acme --create-tenant\n" +
			"  tonne serve backup /backup/market.db",
		RunE: command.Do(s.run),
	}
	cmd.PersistentFlags().StringVar(&s.db, "db", "",
		"database `FILE`, or PostgreSQL address postgres://… (default under the XDG data directory)")
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "127.0.0.1:8080", "`ADDRESS` to listen on")
	f.StringVar(&s.listen, "addr", s.listen, "older name of --listen")
	f.Lookup("addr").Hidden = true
	f.StringVar(&s.publicURL, "public-url", "", "base `URL` of certificate links")
	f.StringVar(&s.certificateField, "certificate-field", "service",
		"`NAME` before _proof_of_retirement_certificate_url in a retirement request")
	f.BoolVar(&s.demoData, "demo-data", false, "fill an empty database with synthetic data and print an API key for it")
	f.BoolVar(&s.live, "live", false, "change the synthetic market continuously")
	f.DurationVar(&s.advance, "advance", 0, "move retirement requests to their next state at this interval, such as 30s")
	f.BoolVar(&s.checkOnly, "check", false, "check whether the service on --listen is ready, then exit")
	f.Float64Var(&s.rate, "rate", 0, "requests per second allowed for one key (default 100; below 0 no limit)")
	cmd.AddCommand(s.catalogueCommand(), s.ordersCommand(), s.tenantsCommand(), s.keysCommand(), s.requestsCommand(),
		s.invoicesCommand(),
		s.settleCommand(), s.closeMonthCommand(), s.completeCommand(), s.backupCommand(), s.moveCommand())
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (s *operator) path() string {
	return cmp.Or(s.db, filepath.Join(s.app.DataDir(), "marketplace.db"))
}

func (s *operator) open(ctx context.Context, o marketplace.Options) (*marketplace.Marketplace, error) {
	path := s.path()
	err := marketplace.CheckAddress(path)
	var m *marketplace.Marketplace
	if err == nil {
		m, err = marketplace.Open(ctx, path, o)
	}
	if err != nil {
		return nil, openFailure("--db", path, err)
	}
	return m, nil
}

// openFailures explains why a database cannot be opened. flag is the flag that names it.
func openFailures(flag, name string, err error) error {
	serve := advice.Tonne("serve")
	switch {
	case errors.Is(err, exchange.ErrNoMarketplace):
		return command.Failed(advice.Format("correct %s, or create a new one with %s", flag, serve),
			"there is no marketplace in %s", name)
	case errors.Is(err, exchange.ErrForeign):
		return command.Failed("name another database with "+flag, "%s contains tables of another program and was not changed",
			name)
	case errors.Is(err, exchange.ErrServed):
		return &command.Failure{
			What: advice.Format("another %s or %s serves %s", serve, advice.Tonne("demo"), name),
			Todo: advice.Format("stop that service, or name another database with %s; a PostgreSQL database supports "+
				"several services", flag),
			Status: command.StatusFailed,
		}
	case errors.Is(err, exchange.ErrNewer):
		return command.Failed("update tonne, or name another database with "+flag,
			"%s was upgraded by a newer version of this program and was not changed", name)
	case errors.Is(err, dbfile.ErrNewer):
		return command.Failed("update tonne, or name another file with "+flag, "%s was not changed: %v", name,
			dbfile.ErrNewer)
	}
	return nil
}

func openFailure(flag, path string, err error) error {
	if known := openFailures(flag, marketplace.MaskAddress(path), err); known != nil {
		return known
	}
	if wrong, ok := errors.AsType[*marketplace.AddressError](err); ok {
		return command.Usage("give "+flag+" "+wrong.Form, "%s", wrong.What())
	}
	if foreign, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return command.Failed(checkDatabase, "%v", foreign)
	}
	if marketplace.OnServer(path) {
		return serverFailure("the address that "+flag+" gives", err)
	}
	var file *fs.PathError
	if known := databaseFailure(err); known != err || errors.As(err, &file) {
		return known
	}
	return command.Failed(checkDatabase, "%v", err)
}

func serverFailure(named string, err error) error {
	if known := databaseFailure(err); known != err {
		return known
	}
	return command.Failed("check "+named+", and whether its server runs and accepts writes", "%v", err)
}

func (s *options) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	if s.checkOnly {
		return s.check(ctx)
	}
	s.app.Terminal.Patient.Store(true)
	log := s.newLog()
	field := strings.TrimSuffix(s.certificateField, "_proof_of_retirement_certificate_url")
	if !regexp.MustCompile("^[A-Za-z][A-Za-z0-9_]{0,63}$").MatchString(field) {
		return command.Usage("use letters, digits and _, such as service", "--certificate-field %s is not a valid name",
			s.certificateField)
	}
	// A start that fails must not leave a new database or the only copy of a key.
	listener, err := command.Listen(s.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	m, err := s.open(ctx,
		marketplace.Options{Service: true, Log: log, PublicURL: s.publicURL, RatePerSecond: s.rate, CertificateField: field})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if s.demoData {
		if err := s.loadDemo(ctx, m, log); err != nil {
			return databaseFailure(err)
		}
	}
	if err := s.checkDemo(ctx, m); err != nil {
		return err
	}
	keys, err := s.keyState(ctx, m)
	if err != nil {
		return databaseFailure(err)
	}
	if _, err := fmt.Fprintf(s.app.Stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return err
	}
	if err := s.app.NotifyReady(); err != nil {
		return err
	}
	s.tellNext(log, listener.Addr(), m.Made(), keys)
	return s.serve(ctx, m, listener, log)
}

// checkDemo refuses a moving market and invented serial numbers
// without demo data.
func (s *options) checkDemo(ctx context.Context, m *marketplace.Marketplace) error {
	if !s.live && s.advance == 0 {
		return nil
	}
	err := demo.CanLive(ctx, m)
	switch {
	case errors.Is(err, demo.ErrNoDemo) && s.live:
		return command.Usage("add --demo-data, or leave --live out", "--live needs demo data")
	case errors.Is(err, demo.ErrNoDemo):
		return command.Usage(advice.Format("add --demo-data, or leave --advance out: %s records the registry's "+
			"serial numbers", advice.Tonne("serve complete")),
			"--advance invents serial numbers and needs demo data")
	}
	return err
}

func (s *options) serve(ctx context.Context, m *marketplace.Marketplace, listener net.Listener,
	log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var beside []func() error
	if s.live {
		beside = append(beside, worker.Start(func() error {
			defer cancel()
			return demo.Live(ctx, m, demo.Pace, log)
		}))
	}
	if s.advance > 0 {
		beside = append(beside, worker.Start(func() error {
			demo.Advance(ctx, m, s.advance, log)
			return nil
		}))
	}
	err := m.Serve(ctx, listener)
	cancel()
	for _, wait := range beside {
		err = errors.Join(err, wait())
	}
	return err
}

func (s *options) loadDemo(ctx context.Context, m *marketplace.Marketplace, log *slog.Logger) error {
	made, err := demo.Load(ctx, m, demo.Options{Seed: 1})
	if errors.Is(err, demo.ErrNotEmpty) {
		log.Warn("the database is not empty, so no demo data was added")
		return nil
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf("tenant %s\nkey %s\n", made.Tenant, made.Key)
	for _, r := range made.Retirements {
		text += fmt.Sprintf("retirement %s  %s\n", r.ID, r.Label)
	}
	s.made = true
	_, err = io.WriteString(s.app.Stdout, text)
	return err
}
