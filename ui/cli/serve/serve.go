// Package serve is `tonne serve`: the marketplace service, and what its operator does
// beside it.
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
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/worker"
	"tonne/model/dbfile"
	"tonne/ui/cli/command"
)

// operator is what the commands of `tonne serve` share.
type operator struct {
	app *command.App
	db  string
	// create makes a database that is not there.
	create bool
}

// options are those of `tonne serve` itself.
type options struct {
	operator
	listen, publicURL string
	certificateField  string
	demoData, live    bool
	checkOnly         bool
	// made says that a key of the synthetic data was printed.
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
		Long: "Serves the marketplace's HTTP API from one database until it is ended. Requests that\n" +
			"are under way are finished. Several instances may share a database in PostgreSQL. It\n" +
			"speaks plain HTTP: for other machines, put a proxy with TLS before it.",
		Example: "  tonne serve --demo-data --live\n" +
			"  tonne serve --listen 127.0.0.1:8080 --db /var/lib/tonne/market.db\n" +
			"  tonne serve --db 'postgres://tonne@db1,db2/market?target_session_attrs=read-write'\n" +
			"  tonne serve keys create --tenant acme --create-tenant\n" +
			"  tonne serve backup /backup/market.db",
		RunE: command.Do(s.run),
	}
	cmd.PersistentFlags().StringVar(&s.db, "db", "", "database `FILE`, or the address of one in PostgreSQL, postgres://… (default under the XDG data directory)")
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "127.0.0.1:8080", "`ADDRESS` to listen on")
	f.StringVar(&s.listen, "addr", s.listen, "older name of --listen")
	f.Lookup("addr").Hidden = true
	f.StringVar(&s.publicURL, "public-url", "", "`URL` that certificate links begin with")
	f.StringVar(&s.certificateField, "certificate-field", "service", "`NAME` before _proof_of_retirement_certificate_url in a retirement request")
	f.BoolVar(&s.demoData, "demo-data", false, "fill an empty database with synthetic data, and print its key")
	f.BoolVar(&s.live, "live", false, "move the synthetic market")
	f.DurationVar(&s.advance, "advance", 0, "move retirement requests a step along every so often, such as 30s")
	f.BoolVar(&s.checkOnly, "check", false, "ask the service on --listen whether it is ready, and end")
	f.Float64Var(&s.rate, "rate", 0, "requests a second that one key may make (default 100; below 0 no limit)")
	cmd.AddCommand(s.catalogueCommand(), s.ordersCommand(), s.tenantsCommand(), s.keysCommand(), s.requestsCommand(), s.invoicesCommand(),
		s.settleCommand(), s.closeMonthCommand(), s.completeCommand(), s.backupCommand(), s.moveCommand())
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (s *operator) path() string {
	return cmp.Or(s.db, filepath.Join(s.app.DataDir(), "marketplace.db"))
}

func databaseName(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Host == "" {
		return path
	}
	if query := u.Query(); query.Has("password") {
		query.Set("password", "xxxxx")
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}

func (s *operator) open(ctx context.Context, o marketplace.Options) (*marketplace.Marketplace, error) {
	path := s.path()
	m, err := marketplace.Open(ctx, path, o)
	if err != nil {
		return nil, openFailure("--db", path, err)
	}
	return m, nil
}

// NAME stands for the database and FLAG for the flag that names it.
var openFailures = []failure{
	{exchange.ErrNoMarketplace, "there is no marketplace in NAME", "correct FLAG, or make a new one with `tonne serve`"},
	{exchange.ErrForeign, "NAME is left alone: it holds tables of another program", "name a database of its own with FLAG"},
	{
		exchange.ErrServed, "another `tonne serve` or `tonne demo` serves NAME",
		"end that service, or name another database with FLAG; one in PostgreSQL takes several services",
	},
	{exchange.ErrNewer, "NAME is left alone: a newer version of this program upgraded it", "update tonne, or name another database with FLAG"},
	{dbfile.ErrNewer, "NAME is left alone: " + dbfile.ErrNewer.Error(), "update tonne, or name another file with FLAG"},
}

func openFailure(flag, path string, err error) error {
	name := databaseName(path)
	for _, known := range openFailures {
		if errors.Is(err, known.err) {
			fill := strings.NewReplacer("NAME", name, "FLAG", flag)
			return command.Failed(fill.Replace(known.todo), "%s", fill.Replace(known.what))
		}
	}
	if _, ok := errors.AsType[*marketplace.AddressError](err); ok {
		return command.Usage("correct "+flag, "%s", (&marketplace.AddressError{Address: name}).Error())
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
	return command.Failed("check "+named+", and whether its server runs and takes changes", "%v", err)
}

func (s *options) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	if s.checkOnly {
		return s.check(ctx)
	}
	s.app.Terminal.Patient.Store(true)
	log := s.newLog()
	field := strings.TrimSuffix(s.certificateField, "_proof_of_retirement_certificate_url")
	if !regexp.MustCompile("^[A-Za-z][A-Za-z0-9_]{0,63}$").MatchString(field) {
		return command.Usage("name it with letters, digits and _, such as service", "--certificate-field %s is no name of a member", s.certificateField)
	}
	m, err := s.open(ctx, marketplace.Options{Service: true, Log: log, PublicURL: s.publicURL, RatePerSecond: s.rate, CertificateField: field})
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
	listener, err := command.Listen(s.listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.app.Stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.app.NotifyReady(); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.tellNext(log, listener.Addr(), m.Made())
	return s.serve(ctx, m, listener, log)
}

// checkDemo refuses a market that moves by itself, and serial numbers that are made up,
// without demo data.
func (s *options) checkDemo(ctx context.Context, m *marketplace.Marketplace) error {
	if !s.live && s.advance == 0 {
		return nil
	}
	err := demo.CanLive(ctx, m)
	switch {
	case errors.Is(err, demo.ErrNoDemo) && s.live:
		return command.Usage("add --demo-data, or leave --live out", "there is no synthetic market to move")
	case errors.Is(err, demo.ErrNoDemo):
		return command.Usage("add --demo-data, or leave --advance out: `tonne serve complete` takes the registry's serial numbers",
			"--advance makes up serial numbers, which is only for demo data")
	}
	return err
}

func (s *options) serve(ctx context.Context, m *marketplace.Marketplace, listener net.Listener, log *slog.Logger) error {
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
		log.Warn("the database is not empty, so it is served as it is")
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
