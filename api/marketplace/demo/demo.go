// Package demo fills a marketplace with synthetic data and then changes its market at random.
// The catalogue contains public projects under their registry numbers as well as invented
// ones. Prices are in a plausible range for the type of project and are not real offers. Start
// reading at Load and Live.
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

// Service is the marketplace that receives the synthetic data.
type Service interface {
	// Change calls fn in a write transaction, which is rolled back if fn fails.
	Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change), lockKeys ...string) error
	exchange.Reader
	Now() time.Time
}

// Data describes the synthetic data of Load.
type Data struct {
	// Key is an API key of the tenant, with the role API User.
	Key string
	// Tenant is the name of the tenant with the history.
	Tenant string
	// Retirements are retirement requests worth looking up.
	Retirements []Retirement
	// Prices are the prices of the past weeks, by vintage and oldest first.
	Prices []Price
	// Inventory is the tenant's inventory, with all trades.
	Inventory *portfolio.Inventory
}

// Retirement is a retirement request of the demo with a label that describes it.
type Retirement struct{ ID, Label string }

// Options select the synthetic data. The API key is always random.
type Options struct {
	Seed uint64
	// Now is the end of the history. The default is the service's clock.
	Now time.Time
}

// ErrNotEmpty is returned by Load for a database with projects.
var ErrNotEmpty = errors.New("the database already contains projects; demo data needs an empty one")

// Parties of the demo. Their names show that they are not real.
const (
	tenantName   = "ACME Trading (synthetic)"
	tenantTaxID  = "GB 000 000 000"
	otherName    = "Other Tenant (synthetic)"
	sellerName   = "Market Maker (synthetic)"
	customerName = "Your Customer Ltd (synthetic)"
	actor        = "demo"
)

// Load fills an empty database with synthetic data: projects, a market, and a tenant with a
// history of fourteen months. The error is ErrNotEmpty if the database contains projects.
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
	// now is the end of the history. The time of the change advances up to it.
	now                   time.Time
	tenant, other, seller int64
	projects              [][]vintage
	// issued is the last reserved serial number per registry.
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
	held := exchange.Inventory(d, d.tenant, exchange.HeldProjects(d, d.tenant, 1),
		exchange.InventoryFilter{Trades: math.MaxInt32, Minimum: 1})
	secret := exchange.CreateKey(c, exchange.User{Tenant: d.tenant, Role: exchange.RoleAPIUser}, "demo")
	return Data{
		Key: secret.Secret, Tenant: tenantName, Retirements: d.retirements, Prices: d.prices,
		Inventory: &portfolio.Inventory{Projects: held},
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
