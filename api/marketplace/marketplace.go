package marketplace

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres"
	"tonne/api/marketplace/sqlite"
)

// Options configures the service. The zero value is ready to use.
type Options struct {
	// Log receives one record per request, if it is not nil. API keys are never logged.
	Log *slog.Logger
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	// RatePerSecond and Burst limit the requests of one API key. The default rate is 100
	// per second, the default burst twice the rate. A negative rate disables the limit.
	RatePerSecond float64
	Burst         int
	// PublicURL is the base URL of certificate links, such as https://market.example.
	// The default is the Host of the request.
	PublicURL string
	// CertificateField is the prefix of the JSON member with the certificate's URL, before
	// _proof_of_retirement_certificate_url. The default is "service".
	CertificateField string
	// Existing opens only a database that exists: otherwise the error is
	// exchange.ErrNoMarketplace.
	Existing bool
	// Service opens the database to serve it. Only one process at a time can serve a file:
	// the error is exchange.ErrServed if another process serves it.
	Service bool
}

// Marketplace is the service for one database. It is safe for concurrent use.
type Marketplace struct {
	options Options
	db      exchange.Database
	close   func() error
	log     *slog.Logger
	clock   *steadyClock
	limits  *limiter
	listing listing
	pages   pageCache
	// press is a mutex for printing certificates, so that they use only one core.
	press             chan struct{}
	certificateLimits *limiter
	metrics           *metrics
	figures           figuresCache
	draining          atomic.Bool
}

// Open opens the database at path, and creates or upgrades it if necessary. The path is a
// file, an address that begins with postgres://, or empty or ":memory:" for a database in
// memory. The error may be exchange.ErrForeign or an *AddressError.
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
		metrics:           newMetrics(),
	}, nil
}

func openEngine(ctx context.Context, path string, o Options) (exchange.Database, error) {
	if path != "" && path != inMemory {
		if err := CheckAddress(path); err != nil {
			return nil, err
		}
	}
	if OnServer(path) {
		return postgres.Open(ctx, path, o.Existing)
	}
	return sqlite.Open(ctx, path, sqlite.Options{Existing: o.Existing, Service: o.Service})
}

// Made reports whether the database was empty or missing when it was opened.
func (m *Marketplace) Made() bool { return m.db.Made() }

// Close stops background work and closes the database. Closing again does nothing.
func (m *Marketplace) Close() error { return m.close() }

// Now returns the time of the service's clock in UTC, rounded to milliseconds as in the database.
func (m *Marketplace) Now() time.Time { return m.clock.now() }

// Read calls fn in a transaction that sees one state of the database.
func (m *Marketplace) Read(ctx context.Context, fn func(exchange.Tx) error) error {
	return m.db.Read(ctx, fn)
}

// Change calls fn in a write transaction, which is rolled back if fn fails. For lockKeys see
// exchange.Database.
func (m *Marketplace) Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change),
	lockKeys ...string) error {
	return m.db.Write(ctx, func(tx exchange.Tx) error {
		fn(&exchange.Change{Tx: tx, At: at.UTC().Truncate(time.Millisecond), Actor: actor, Random: rand.Reader})
		return nil
	}, lockKeys...)
}

func (m *Marketplace) change(ctx context.Context, actor string, fn func(*exchange.Change)) error {
	return m.Change(ctx, m.Now(), actor, fn)
}
