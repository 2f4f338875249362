// Package demo fills a marketplace with synthetic data and moves its market:
// public projects by their registry numbers and, beside them, invented ones.
// Prices are bands of what credits of a kind cost; they are nobody's offers.
package demo

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model/portfolio"
)

// Service is the marketplace that synthetic data goes into.
type Service interface {
	// Change calls fn in a transaction that is committed whole, or not at all
	// if it fails.
	Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change), about ...string) error
	exchange.Reader
	Now() time.Time
}

// Data describes the synthetic data that Load made.
type Data struct {
	// Key is an API key of the tenant, with the role API User.
	Key string
	// Tenant is the name of the tenant that the history belongs to.
	Tenant string
	// Retirements are retirement requests worth looking up.
	Retirements []Retirement
	// Prices are those of the past weeks until now, by vintage and oldest first.
	Prices []Price
	// Inventory is what the tenant holds, with all trades.
	Inventory *portfolio.Inventory
}

// Retirement is a retirement request of the demo and what it shows.
type Retirement struct{ ID, Label string }

// Options choose the synthetic data. The API key is always random.
type Options struct {
	Seed uint64
	// Now is when the history ends; the zero time is the service's clock.
	Now time.Time
}

// ErrNotEmpty is returned by Load for a database that holds projects.
var ErrNotEmpty = errors.New("the database holds projects already; demo data needs an empty one")

// The parties of the demo. Their names say that they are nobody.
const (
	tenantName   = "ACME Trading (synthetic)"
	tenantTaxID  = "GB 000 000 000"
	otherName    = "Other Tenant (synthetic)"
	sellerName   = "Market Maker (synthetic)"
	customerName = "Your Customer Ltd (synthetic)"
	actor        = "demo"
)

// Load fills an empty database with synthetic data: projects, a market, and a tenant with
// fourteen months behind it. The error is ErrNotEmpty if the database holds projects.
func Load(ctx context.Context, s Service, o Options) (Data, error) {
	if o.Now.IsZero() {
		o.Now = s.Now()
	}
	var made Data
	err := s.Change(ctx, o.Now, actor, func(c *exchange.Change) { made = load(c, o.Seed) })
	if err != nil {
		return Data{}, fmt.Errorf("load demo data: %w", err)
	}
	return made, nil
}

type loader struct {
	*exchange.Change
	seed uint64
	rand *rand.Rand
	// now is the end of the history; the time of the change moves up to it.
	now                   time.Time
	tenant, other, seller int64
	projects              [][]vintage
	// issued is up to where a registry has given its serial numbers away.
	issued      map[string]int64
	calls       int
	retirements []Retirement
	prices      []Price
}

func load(c *exchange.Change, seed uint64) Data {
	if exchange.HasProjects(c) {
		c.Fail(ErrNotEmpty)
		return Data{}
	}
	random := source(seed)
	c.Random = random
	d := &loader{Change: c, seed: seed, rand: rand.New(random), now: c.At, issued: make(map[string]int64)}
	d.tenant = exchange.EnsureTenant(c, exchange.Retiree{Name: tenantName, TaxID: tenantTaxID, Country: "GB"})
	d.other = exchange.EnsureTenant(c, exchange.Retiree{Name: otherName})
	d.seller = exchange.EnsureTenant(c, exchange.Retiree{Name: sellerName})
	d.addProjects()
	d.addHistory()
	d.addOrders()
	d.addPrices()
	held := exchange.Inventory(d, d.tenant, exchange.HeldProjects(d, d.tenant, 1), exchange.InventoryFilter{Trades: math.MaxInt32, Minimum: 1})
	secret := exchange.CreateKey(c, exchange.User{Tenant: d.tenant, Role: exchange.RoleAPIUser}, "demo")
	return Data{
		Key: secret.Secret, Tenant: tenantName, Retirements: d.retirements, Prices: d.prices, Inventory: &portfolio.Inventory{Projects: held},
	}
}

func source(seed uint64, stream ...byte) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], stream)
	return rand.NewChaCha8(key)
}

func (d *loader) between(low, high int64) int64 { return low + d.rand.Int64N(high-low+1) }

func (d *loader) vary(n, percent int64) int64 {
	return max(1, n*(1000+d.between(-10*percent, 10*percent))/1000)
}
