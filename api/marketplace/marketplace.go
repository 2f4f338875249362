package marketplace

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres"
	"tonne/api/marketplace/sqlite"
)

// Options are the choices of whoever runs the service. The zero value is a
// good one.
type Options struct {
	// Log receives one record per request; nil discards them. No API key is
	// ever logged. Changes of a state are in the database's audit.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// RatePerSecond and Burst limit the requests of one API key. Zero stands
	// for 100 a second and for bursts of twice the rate; a negative rate is no
	// limit.
	RatePerSecond float64
	Burst         int
	// PublicURL is what certificate links begin with, such as
	// https://market.example. Empty takes the host that the request named.
	PublicURL string
	// CertificateField is what the member with a certificate's URL begins with,
	// before _proof_of_retirement_certificate_url; empty is "service".
	CertificateField string
	// Existing refuses to make a marketplace where there is none: the error is
	// exchange.ErrNoMarketplace.
	Existing bool
	// Service opens the database to serve it, which one process at a time does
	// with a file: the error is exchange.ErrServed if another one does.
	Service bool
}

// Marketplace is the service on one database. It is safe for concurrent use.
type Marketplace struct {
	options      Options
	db           exchange.Database
	close        func() error
	log          *slog.Logger
	clock        *steadyClock
	limits       *limiter
	listing      listing
	pages        pageCache
	certificates *certificates
	metrics      *metrics
	draining     atomic.Bool
}

// Open opens the database file at path, creates it where there is none and
// upgrades it where an older version wrote it. An empty path or ":memory:" is
// a private database in memory that leaves nothing behind. The file and those
// beside it are readable by their owner only. A path that begins with
// postgres:// is the address of a PostgreSQL database, which is upgraded too;
// the error is exchange.ErrForeign for one with the tables of another program. It
// is an *AddressError for what is neither a file nor such an address.
func Open(ctx context.Context, path string, o Options) (*Marketplace, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	db, err := openEngine(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open marketplace database: %w", err)
	}
	return &Marketplace{
		close:        sync.OnceValue(db.Close),
		options:      o,
		db:           db,
		log:          o.Log,
		clock:        &steadyClock{wall: o.Now, log: o.Log},
		limits:       keyLimits(o),
		certificates: newCertificates(o.Now),
		pages:        pageCache{limit: maxCachedPages, oneIn: onePageIn},
		metrics:      &metrics{requests: make(map[requestLabels]uint64), durations: make(map[string]*durations)},
	}, nil
}

func openEngine(ctx context.Context, path string, o Options) (exchange.Database, error) {
	if OnServer(path) {
		return postgres.Open(ctx, path, o.Existing)
	}
	if address().MatchString(path) {
		return nil, &AddressError{path}
	}
	return sqlite.Open(ctx, path, sqlite.Options{Existing: o.Existing, Service: o.Service})
}

// address is how addresses begin, right ones and mistyped ones. A single letter
// is a drive.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z][A-Za-z0-9+.-]+:/") })

// AddressError is of a database that is neither a file nor in PostgreSQL.
type AddressError struct{ Address string }

// Error says how the address of a database begins.
func (e *AddressError) Error() string {
	return e.Address + " is no address of a database: one in PostgreSQL begins with postgres://, and a file has a path"
}

// OnServer reports whether a path names a database of a server, and no file.
func OnServer(path string) bool {
	return strings.HasPrefix(path, "postgres://") || strings.HasPrefix(path, "postgresql://")
}

// Made reports whether the database was empty or not there when it was opened.
func (m *Marketplace) Made() bool { return m.db.Made() }

// Close ends what still uses the database and closes it. Closing again does
// nothing.
func (m *Marketplace) Close() error { return m.close() }

// Now is the time of the service's clock in UTC, in the milliseconds that the
// database keeps.
func (m *Marketplace) Now() time.Time { return m.clock.now() }

// Read calls fn in a transaction that sees one state of the database.
func (m *Marketplace) Read(ctx context.Context, fn func(exchange.Tx) error) error {
	return m.db.Read(ctx, fn)
}

// Change calls fn in a transaction that is committed whole, or not at all
// if fn returns an error. What fn does has the time and the actor. about is that
// of exchange.Database.
func (m *Marketplace) Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change) error, about ...string) error {
	return m.db.Write(ctx, func(tx exchange.Tx) error {
		return fn(&exchange.Change{Tx: tx, At: at.UTC().Truncate(time.Millisecond), Actor: actor, Random: rand.Reader})
	}, about...)
}

// Alone calls fn while no other process on the database does the same work, and
// waits until then: what moves the clock is done by one instance at a time. The
// context of fn ends when that cannot be promised any more.
func (m *Marketplace) Alone(ctx context.Context, work string, fn func(context.Context) error) error {
	return m.db.Alone(ctx, work, fn)
}

func (m *Marketplace) change(ctx context.Context, actor string, fn func(*exchange.Change) error) error {
	return m.Change(ctx, m.Now(), actor, fn)
}
