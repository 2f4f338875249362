package marketplace

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/model"
)

// A statement that fails ends its change, and only that, also where nothing is
// read after it.
func TestAChangeWithAStatementThatFailsIsNotKept(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	var wg sync.WaitGroup
	for n := range 32 {
		wg.Go(func() {
			err := d.Change(t.Context(), testNow, "test", func(c *exchange.Change) {
				c.Audit("tried", "", fmt.Sprint(n))
				if n%2 == 0 {
					c.Do("UPDATE tenants SET name = NULL WHERE number = $1", d.tenant)
				}
				c.Audit("tried", "", fmt.Sprint(n))
			})
			if (err == nil) != (n%2 == 1) {
				t.Errorf("change %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	for n := range 32 {
		want := int64(n % 2 * 2)
		if kept := d.query("SELECT count(*) FROM audit WHERE action = 'tried' AND detail = $1", fmt.Sprint(n)); kept != want {
			t.Errorf("%d statements of change %d are kept, want %d", kept, n, want)
		}
	}
}

// everything is a digest of what changes leave in the database.
func (d *fixture) everything() (sums string) {
	for _, sql := range []string{
		"SELECT count(*) FROM audit", "SELECT version FROM market_state", "SELECT count(*) FROM sell_orders",
		"SELECT CAST(coalesce(sum(quantity_grams), 0) AS bigint) FROM sell_orders", "SELECT count(*) FROM trades", "SELECT count(*) FROM transfers",
		"SELECT CAST(coalesce(sum(quantity_grams), 0) AS bigint) FROM wallets", "SELECT CAST(coalesce(sum(total_cents), 0) AS bigint) FROM invoices",
		"SELECT count(*) FROM invoices WHERE state = 'SETTLED'", "SELECT count(*) FROM invoices WHERE state = 'ISSUED'",
		"SELECT count(*) FROM periods", "SELECT CAST(coalesce(sum(quantity_grams), 0) AS bigint) FROM retirement_items",
		"SELECT count(*) FROM retirement_requests", "SELECT count(*) FROM external_ids", "SELECT count(*) FROM serial_numbers",
		"SELECT count(*) FROM tenants", "SELECT count(*) FROM api_keys", "SELECT count(*) FROM vintages", "SELECT count(*) FROM former_projects",
	} {
		sums += fmt.Sprint(d.query(sql), " ")
	}
	return sums
}

// Whichever statement of a change fails: nothing of it is kept, and its error is
// that of the statement.
func TestFailedStatementRollsBackTheChange(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	order, spare := d.sell(v, 100, 620), d.sell(v, 5, 630)
	buy := func(external string, grams model.Grams) func(*exchange.Change) {
		return func(c *exchange.Change) {
			exchange.RequestRetirement(c, d.tenant, exchange.RetirementCall{
				VintageID: v.id, Quantity: grams, ExternalID: external, SellOrderID: order, ExpectedPrice: 620,
			})
		}
	}
	for _, step := range []struct {
		name string
		do   func(*exchange.Change)
	}{
		{"whole tonnes", buy("whole", 3_000_000)},
		{"a fraction", buy("fraction", 2_500_000)},
		{"another fraction", buy("another", 700_001)},
		{"the end of the month", func(c *exchange.Change) { exchange.CloseMonth(c) }},
		{"settling", func(c *exchange.Change) { exchange.SettleAll(c) }},
		{"completing", func(c *exchange.Change) { exchange.CompleteAll(c) }},
		{"a price", func(c *exchange.Change) { exchange.Reprice(c, spare, 640) }},
		{"withdrawing", func(c *exchange.Change) { exchange.WithdrawOrder(c, spare) }},
		{"selling out", buy("rest", 93_000_000)},
		{"sell orders", func(c *exchange.Change) {
			file := fmt.Sprintf("vintage_id,quantity_grams,price_cents,sell_order_id\n%s,3000000,9,o1\n%s,1000000,8,\n", v.id, v.id)
			exchange.ImportOrders(c, sellerTenant, intake.Orders(strings.NewReader(file)), func(exchange.ImportedOrder) {})
		}},
		{"a catalogue", func(c *exchange.Change) {
			p := model.Project{ID: d.project, Name: "New name", Type: "Wind", Country: "SE", RegistryName: exchange.Verra, SDGs: []string{"Life On Land"}}
			exchange.ImportCatalogue(c, []exchange.CatalogueProject{{Line: 1, Project: p, Vintages: []exchange.CatalogueVintage{
				{Line: 2, ProjectVintage: model.ProjectVintage{Year: 2001}},
			}}})
		}},
		{"a key", func(c *exchange.Change) {
			exchange.CreateKey(c, exchange.User{Tenant: d.seller, Role: exchange.RoleAPIUser}, "key")
		}},
		{"a tenant", func(c *exchange.Change) {
			exchange.CreateTenant(c, exchange.Tenant{Retiree: exchange.Retiree{Name: "New Ltd"}, Role: "r"})
		}},
		{"the tenant again", func(c *exchange.Change) {
			exchange.EditTenant(c, "New Ltd", func(t *exchange.Tenant) { t.Name = "Newer Ltd" })
		}},
	} {
		before := d.everything()
		for after, failed := 0, true; failed; after++ {
			err := d.Change(t.Context(), testNow, "test", func(c *exchange.Change) {
				f := &failingTx{c.Tx, after}
				defer func() { failed = f.left < 0 }()
				c.Tx = f
				step.do(c)
			})
			if !failed && err != nil || failed && !errors.Is(err, errPulled) {
				t.Fatalf("%s, after %d statements: %v", step.name, after, err)
			}
			if now := d.everything(); failed != (now == before) {
				t.Fatalf("%s, after %d statements: before\n%s\nnow\n%s", step.name, after, before, now)
			}
		}
		checkBooks(t, d)
	}
}
