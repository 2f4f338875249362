package marketplace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/model"
	must "tonne/model/musttest"
)

// everything is a digest of what changes leave in the database.
func (d *fixture) everything() (sums string) {
	for _, table := range []string{
		"audit", "sell_orders", "trades", "transfers", "periods", "retirement_requests", "external_ids", "serial_numbers",
		"tenants", "api_keys",
		"vintages", "former_projects", "invoices WHERE state = 'SETTLED'", "invoices WHERE state = 'ISSUED'",
	} {
		sums += fmt.Sprint(d.Number("SELECT count(*) FROM "+table), " ")
	}
	for _, column := range []string{
		"quantity_grams) FROM sell_orders", "quantity_grams) FROM wallets", "total_cents) FROM invoices",
		"quantity_grams) FROM retirement_items",
		"version) FROM market_state",
	} {
		before, after, _ := strings.Cut(column, ")")
		sums += fmt.Sprint(d.Number("SELECT CAST(coalesce(sum("+before+"), 0) AS bigint)"+after), " ")
	}
	return sums
}

var errPulled = errors.New("the plug was pulled")

// testDatabase is a database whose changes use a copy of tx.
type testDatabase struct {
	exchange.Database
	tx testTx
}

func (d testDatabase) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	return d.Database.Write(ctx, func(tx exchange.Tx) error {
		copied := d.tx
		copied.Tx = tx
		return fn(&copied)
	})
}

// testTx fails at the statement at which nothing is left. A loaded row counts as one.
type testTx struct {
	exchange.Tx
	left int
	// loads may alter the rows that are loaded.
	loads func(table string, columns []string, rows [][]any)
}

func (f *testTx) spend(n int) {
	if f.left -= n; f.left < 0 {
		f.Fail(errPulled)
	}
}

func (f *testTx) Do(query string, args ...any) {
	f.spend(1)
	f.Tx.Do(query, args...)
}

func (f *testTx) Exec(query string, args ...any) int {
	f.spend(1)
	return f.Tx.Exec(query, args...)
}

func (f *testTx) Insert(query string, args ...any) int64 {
	f.spend(1)
	return f.Tx.Insert(query, args...)
}

func (f *testTx) Query(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.Query(query, read, args...)
}

func (f *testTx) QueryForShare(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.QueryForShare(query, read, args...)
}

func (f *testTx) Load(table string, columns []string, rows [][]any) {
	if f.loads != nil {
		f.loads(table, columns, rows)
	}
	if n := max(min(len(rows), f.left), 0); n < len(rows) {
		f.Tx.Load(table, columns, rows[:n])
	}
	f.spend(len(rows))
	f.Tx.Load(table, columns, rows)
}

// Whichever statement of a change fails, the change has no effect and returns the error.
func TestFailedStatementRollsBackTheChange(t *testing.T) {
	eachEngineIfLong(t, func(t *testing.T, d *fixture) {
		v := d.Vintages[0]
		order, spare := d.Sell(v, 100, 620), d.Sell(v, 5, 630)
		buy := func(external string, grams model.Grams) func(*exchange.Change) {
			return func(c *exchange.Change) {
				exchange.RequestRetirement(c, d.Tenant, exchange.RetirementCall{
					VintageID: v.ID, Quantity: grams, ExternalID: external, SellOrderID: order, ExpectedPrice: 620,
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
			{"the end of the month", func(c *exchange.Change) { exchange.CloseMonth(c, exchange.CurrentPeriod(c).Number) }},
			{"settling", func(c *exchange.Change) { exchange.SettleAll(c) }},
			{"completing", func(c *exchange.Change) { exchange.CompleteAll(c) }},
			{"a price", func(c *exchange.Change) { exchange.Reprice(c, spare, 640) }},
			{"withdrawing", func(c *exchange.Change) { exchange.WithdrawOrder(c, spare) }},
			{"selling out", buy("rest", 93_000_000)},
			{"sell orders", func(c *exchange.Change) {
				file := fmt.Sprintf("vintage_id,quantity_grams,price_cents,sell_order_id\n%s,3000000,9,o1\n%s,1000000,8,\n", v.ID,
					v.ID)
				exchange.ImportOrders(c, sellerTenant, intake.Orders(tableOf(file, intake.OrderSpec())),
					func(exchange.ImportedOrder) {})
			}},
			{"a catalogue", func(c *exchange.Change) {
				p := model.Project{ID: d.Project, Name: "New name", Type: "Wind", Country: "SE", RegistryName: exchange.Verra,
					SDGs: []string{"Life On Land"}}
				exchange.ImportCatalogue(c, []exchange.CatalogueProject{{Line: 1, Project: p, Vintages: []exchange.CatalogueVintage{
					{Line: 2, ProjectVintage: model.ProjectVintage{Year: 2001}},
				}}})
			}},
			{"a key", func(c *exchange.Change) {
				exchange.CreateKey(c, exchange.User{Tenant: d.Seller, Role: exchange.RoleAPIUser}, "key")
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
				err := d.Change(func(c *exchange.Change) {
					f := &testTx{Tx: c.Tx, left: after}
					defer func() { failed = f.left < 0 }()
					c.Tx = f
					step.do(c)
				})
				must.Need(t, (failed || err == nil) && (!failed || errors.Is(err, errPulled)),
					step.name, after, err)
				now := d.everything()
				must.Need(t, failed == (now == before), step.name, after, before, now)
			}
			d.CheckBooks()
		}
	})
}
