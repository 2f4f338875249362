package marketplace

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/postgres/postgrestest"
)

// grownBy adds completed purchases for each tenant of a crowd.
const grownBy = `
	INSERT INTO retirement_requests (id, tenant, vintage, period, type, status, total_grams, external_customer, created_at, closed_at, retired_at, certificate)
		SELECT '00m' || substr(md5(i.number || ' ' || n), 1, 15), i.tenant, t.vintage, i.period, 'WHOLE', 'COMPLETE', 1000000, 0, 1, 1, 1, md5(i.number || 'c' || n)
		FROM invoices i JOIN trades t ON t.invoice = i.number CROSS JOIN generate_series(1, %[1]d) n;
	INSERT INTO trades (id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		SELECT md5(t.number || 't' || n), t.tenant, t.vintage, t.wallet_type, t.sell_order, t.invoice, t.type, t.quantity_grams, t.price_cents, n
		FROM trades t CROSS JOIN generate_series(1, %[1]d) n;
	INSERT INTO retirement_items (id, request, quantity_grams, created_at)
		SELECT md5('i' || number), number, total_grams, 1 FROM retirement_requests WHERE status = 'COMPLETE';
	INSERT INTO external_ids (tenant, external_id, request, item)
		SELECT r.tenant, md5('e' || r.number), r.number, i.number FROM retirement_requests r JOIN retirement_items i ON i.request = r.number WHERE r.status = 'COMPLETE';
	ANALYZE;`

// withoutReferences takes the foreign keys away, which read what was just
// written.
const withoutReferences = `DO $$ DECLARE one record; BEGIN
	FOR one IN SELECT conrelid::regclass AS of, conname FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.of, one.conname);
	END LOOP; END $$;`

// BenchmarkIsolation buys with 32 clients, each with its own tenant and project, on
// both levels of isolation in turns: as the service does,
// and on SERIALIZABLE as it is, where tables are read by their indexes alone, and
// where in addition no foreign key is checked.
func BenchmarkIsolation(b *testing.B) {
	const clients, each = 32, 4
	server := startPostgres(b, append([]string{"max_pred_locks_per_transaction=1024", "max_pred_locks_per_page=1000", "max_pred_locks_per_relation=10000"}, unsafely...)...)
	const serializable = "&default_transaction_isolation=serializable"
	for _, grown := range []int{0, 1000} {
		b.Run(fmt.Sprint("grown=", grown*clients), func(b *testing.B) {
			ways := []struct{ name, address, change string }{
				{"locks", "", ""},
				{"serializable", serializable, ""},
				{"indexes", serializable + "&enable_seqscan=off", ""},
				{"no-references", serializable + "&enable_seqscan=off", withoutReferences},
			}
			crowds, bought, refused, took := make([]*crowd, len(ways)), make([]int, len(ways)), make([]int, len(ways)), make([]time.Duration, len(ways))
			for i, way := range ways {
				path := postgrestest.Address("postgres", server) + "&search_path=" + strings.ReplaceAll(way.name, "-", "_") + fmt.Sprint(grown)
				schema := path[strings.LastIndex(path, "=")+1:]
				runSQL(b, postgrestest.Address("postgres", server), "CREATE SCHEMA "+schema)
				crowds[i] = newCrowd(b, path+way.address, clients)
				for client := range clients {
					if w := crowds[i].buy(client, client, "warm"); w.Code != http.StatusOK {
						b.Fatal(w.Body)
					}
				}
				runSQL(b, path, way.change+fmt.Sprintf(grownBy, grown))
			}
			for round := 0; b.Loop(); round++ {
				for i, c := range crowds {
					start := time.Now()
					ok, busy := c.round(clients, each, round)
					bought[i], refused[i], took[i] = bought[i]+ok, refused[i]+busy, took[i]+time.Since(start)
				}
			}
			b.ReportMetric(0, "ns/op")
			for i, way := range ways {
				b.ReportMetric(float64(bought[i])/took[i].Seconds(), way.name+"/s")
				b.ReportMetric(float64(refused[i])/float64(bought[i]+refused[i]), way.name+"-refused")
			}
		})
	}
}

// round buys with each client some times.
func (c *crowd) round(clients, each, round int) (bought, refused int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				w := c.buy(client, client, fmt.Sprint(round, "-", client, "-", n))
				mu.Lock()
				if w.Code == http.StatusOK {
					bought++
				} else {
					refused++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return bought, refused
}
