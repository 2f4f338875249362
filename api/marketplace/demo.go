package marketplace

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"zombiezen.com/go/sqlite"
)

// Demo describes the synthetic data that LoadDemo made.
type Demo struct {
	// Key is an API key of the tenant, with the role API User.
	Key string
	// Tenant is the name of the tenant that the history belongs to.
	Tenant string
	// RetirementIDs are retirement requests worth looking up: one in every
	// state, one whose checks fail, and one of another tenant.
	RetirementIDs []DemoRetirement
	// Prices are what each vintage was offered at in the past weeks, those of a
	// vintage together and oldest first. They end with the present market.
	Prices []DemoPrice
}

// DemoRetirement is a retirement request of the demo and what it shows.
type DemoRetirement struct{ ID, Label string }

// DemoOptions choose the synthetic data. The same seed and time make the same
// data, but for the API key, which is always random.
type DemoOptions struct {
	Seed uint64
	// Now is when the history ends; the zero time is the service's clock.
	Now time.Time
}

// ErrNotEmpty is returned by LoadDemo for a database that holds projects.
var ErrNotEmpty = errors.New("the database holds projects already; demo data needs an empty one")

// ErrNoDemo is returned by Live for a database without demo data.
var ErrNoDemo = errors.New("there is no demo data to move; load it first")

// The parties of the demo. Their names say that they are nobody.
const (
	demoTenant   = "ACME Trading (synthetic)"
	demoTaxID    = "GB 000 000 000"
	demoOther    = "Other Tenant (synthetic)"
	demoSeller   = "Market Maker (synthetic)"
	demoCustomer = "Your Customer Ltd (synthetic)"
	demoActor    = "demo"
)

// LoadDemo fills an empty database with synthetic data: projects, a market,
// and a tenant with fourteen months of purchases and retirements behind it.
// The history is made by the service's own operations, so that its books
// balance. The error is ErrNotEmpty where the database holds projects.
func (m *Marketplace) LoadDemo(ctx context.Context, o DemoOptions) (Demo, error) {
	if o.Now.IsZero() {
		o.Now = m.now()
	}
	var made Demo
	err := m.changeAt(ctx, o.Now, demoActor, func(c *change) (err error) {
		made, err = loadDemo(c, o.Seed)
		return err
	})
	if err != nil {
		return Demo{}, fmt.Errorf("load demo data: %w", err)
	}
	return made, nil
}

// demo makes the synthetic data in one change.
type demo struct {
	*change
	rand *rand.Rand
	// now is the end of the history; the time of the change moves up to it.
	now                   time.Time
	tenant, other, seller int64
	projects              [][]demoVintage
	// orders counts the external ids that were used.
	orders      int
	retirements []DemoRetirement
	prices      []DemoPrice
}

func loadDemo(c *change, seed uint64) (Demo, error) {
	if occupied, err := find(c.Conn, "SELECT 1 FROM projects LIMIT 1", func(*sqlite.Stmt) {}); err != nil || occupied {
		if err == nil {
			err = ErrNotEmpty
		}
		return Demo{}, err
	}
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	source := rand.NewChaCha8(key)
	c.random = source
	d := &demo{change: c, rand: rand.New(source), now: c.at}
	for _, step := range []func() error{d.addParties, d.addProjects, d.addHistory, d.addOrders, d.addPrices} {
		if err := step(); err != nil {
			return Demo{}, err
		}
	}
	secret, err := d.createKey(d.tenant, RoleAPIUser, "demo")
	return Demo{Key: secret.Secret, Tenant: demoTenant, RetirementIDs: d.retirements, Prices: d.prices}, err
}

func (d *demo) addParties() (err error) {
	if d.tenant, err = d.change.tenant(demoTenant, demoTaxID, "GB"); err != nil {
		return err
	}
	if d.other, err = d.change.tenant(demoOther, "", ""); err != nil {
		return err
	}
	d.seller, err = d.change.tenant(demoSeller, "", "")
	return err
}

// between returns a number from low to high, both included.
func (d *demo) between(low, high int64) int64 { return low + d.rand.Int64N(high-low+1) }

// vary moves a number by up to so many per cent in either direction.
func (d *demo) vary(n, percent int64) int64 {
	return max(1, n*(1000+d.between(-10*percent, 10*percent))/1000)
}
