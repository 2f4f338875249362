package marketplace

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres"
	"tonne/api/marketplace/sqlite"
)

// Options configure the service. The zero value is a good one.
type Options struct {
	// Log receives one record per request; nil discards them. No API key is ever logged.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// RatePerSecond and Burst limit the requests of one API key. Zero stands for 100
	// a second and for bursts of twice the rate; a negative rate is no limit.
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
	options Options
	db      exchange.Database
	close   func() error
	log     *slog.Logger
	clock   *steadyClock
	limits  *limiter
	listing listing
	pages   pageCache
	// press is free while no certificate is printed. One at a time leaves the other
	// cores to the market.
	press             chan struct{}
	certificateLimits *limiter
	metrics           *metrics
	draining          atomic.Bool
}

// Open opens, creates or upgrades the database at path: a file, an address that begins with
// postgres://, or memory if it is empty or ":memory:". The error may be exchange.ErrForeign
// or an *AddressError.
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
		close:   sync.OnceValue(db.Close),
		options: o,
		db:      db,
		log:     o.Log,
		clock:   &steadyClock{wall: o.Now, log: o.Log},
		limits:  keyLimits(o),
		press:   make(chan struct{}, 1),

		certificateLimits: newLimiter(certificateRate, certificateBurst, o.Now),
		pages:             pageCache{limit: maxCachedPages, oneIn: onePageIn},
		metrics:           &metrics{requests: make(map[requestLabels]uint64), durations: make(map[string]*durations)},
	}, nil
}

func openEngine(ctx context.Context, path string, o Options) (exchange.Database, error) {
	if OnServer(path) {
		return postgres.Open(ctx, path, o.Existing)
	}
	// A single letter is a drive.
	if scheme, _, found := strings.Cut(path, ":/"); found && len(scheme) > 1 && !strings.Contains(scheme, "/") {
		return nil, &AddressError{path}
	}
	return sqlite.Open(ctx, path, sqlite.Options{Existing: o.Existing, Service: o.Service})
}

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

// Now is the time of the service's clock in UTC, in milliseconds as the database keeps it.
func (m *Marketplace) Now() time.Time { return m.clock.now() }

// Read calls fn in a transaction that sees one state of the database.
func (m *Marketplace) Read(ctx context.Context, fn func(exchange.Tx) error) error {
	return m.db.Read(ctx, fn)
}

// Change calls fn in a transaction that is committed whole, or not at all if it fails.
// about is that of exchange.Database.
func (m *Marketplace) Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change), about ...string) error {
	return m.db.Write(ctx, func(tx exchange.Tx) error {
		fn(&exchange.Change{Tx: tx, At: at.UTC().Truncate(time.Millisecond), Actor: actor, Random: rand.Reader})
		return nil
	}, about...)
}

func (m *Marketplace) change(ctx context.Context, actor string, fn func(*exchange.Change)) error {
	return m.Change(ctx, m.Now(), actor, fn)
}
