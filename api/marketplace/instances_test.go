package marketplace

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
)

// counted counts changes, and how often they began.
type counted struct {
	exchange.Database
	changes, begun *atomic.Int64
}

func (c counted) Write(ctx context.Context, fn func(exchange.Tx) error, lockKeys ...string) error {
	c.changes.Add(1)
	return c.Database.Write(ctx, func(tx exchange.Tx) error {
		c.begun.Add(1)
		return fn(tx)
	}, lockKeys...)
}

// meet lets a change with a lock key conflict with a change of another instance.
func (d *fixture) meet(other *fixture) {
	d.Helper()
	begun := 0
	rename := func(tx exchange.Tx) { tx.Exec("UPDATE tenants SET tax_id = tax_id WHERE number = $1", d.Tenant) }
	must.Succeed(d, d.db.Write(d.Context(), func(tx exchange.Tx) error {
		if begun++; begun == 1 {
			exchange.ReadMarket(tx)
			other.Do(func(c *exchange.Change) { rename(c) })
		}
		rename(tx)
		return nil
	}, "tenant of both"))
	must.Equal(d, begun, 2)
}

// Purchases of a tenant do not make those of another instance start again: each has its turn.
func TestInstancesTakeTurns(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 12
	first := onPostgres(t)
	second := first.at(t, first.path)
	first.meet(second)
	second.meet(first)
	var changes, begun atomic.Int64
	var purchases []body
	for n := range clients {
		_, of := first.AddProject(fmt.Sprint(2000+n), "SE", "Wind", 2020)
		order := first.Sell(of[0], each, 620)
		purchases = append(purchases, first.Purchase("", 1_000_000, order).With(body{"vintage_id": of[0].ID}))
	}
	instances := []*fixture{first, second}
	for _, d := range instances {
		d.db = counted{d.db, &changes, &begun}
	}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				name := body{"external_id": fmt.Sprint(client, "-", n)}
				w := instances[client%2].Retire(first.Key, purchases[(client+n)%clients].With(name))
				must.Hold(t, w.Code == http.StatusOK, w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	must.Equal(t, changes.Load(), clients*each)
	must.Equal(t, begun.Load(), changes.Load(), "changes that began")
	must.Equal(t, first.Number("SELECT sum(quantity_grams)::bigint FROM trades WHERE type = 'BUY'"), clients*each*1_000_000)
	must.Equal(t, first.Number("SELECT count(*) FROM sell_orders WHERE quantity_grams > 0"), 0, "orders that are not sold")
	first.CheckBooks()
}

// A change that another instance keeps waiting gives up, and no change keeps its keys.
func TestInstanceGivesUpItsTurn(t *testing.T) {
	t.Parallel()
	d := onPostgres(t)
	hasty := d.at(t, d.path+"&lock_timeout=50")
	hasty.meet(d)
	d.meet(hasty)
	order := d.Sell(d.Vintages[0], 10, 620)
	keys := []string{fmt.Sprint("tenant ", d.Tenant), "vintage " + d.Vintages[0].ID}
	wantFree := func(of string) {
		t.Helper()
		for _, key := range keys {
			held := d.Number(`SELECT count(*) FROM pg_locks l JOIN pg_database b ON b.oid = l.database
				WHERE locktype = 'advisory' AND datname = current_database() AND objsubid = 1 AND
				classid::bigint << 32 | objid::bigint = hashtextextended('tonne ' || current_schema() || ' ' || $1, 0)`, key)
			must.Equal(t, held, 0, of, key)
		}
	}
	must.Succeed(t, d.db.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.ReadMarket(tx)
		w := hasty.purchase(order, "waits")
		must.Hold(t, w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "", w.Code, w.Body)
		return nil
	}, keys[1]))
	must.Equal(t, d.Number("SELECT count(*) FROM trades"), 0)
	wantFree("a change that waited in vain")
	must.Equal(t, hasty.purchase(order, "waits").Code, http.StatusOK)
	wantFree("a purchase")
	must.Equal(t, hasty.purchase("no-order", "refused").Code, http.StatusUnprocessableEntity)
	wantFree("a refused purchase")
	wrong := errors.New("wrong")
	must.Fail(t, hasty.db.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.ReadMarket(tx)
		return wrong
	}, keys...), wrong)
	wantFree("a change with an error")
	err := hasty.db.Write(t.Context(), func(tx exchange.Tx) error {
		tx.Exec("UPDATE tenants SET name = NULL")
		return nil
	}, keys...)
	must.Hold(t, err != nil, "a tenant has no name")
	wantFree("a change with a failed statement")
}

// waits starts a change with a key and returns once it waits for a lock of the server.
func (d *fixture) waits(key string) (done chan error) {
	done = make(chan error, 1)
	go func() { done <- d.db.Write(d.Context(), readsMarket, key) }()
	for d.Number(`SELECT count(*) FROM pg_locks l JOIN pg_database b ON b.oid = l.database
		WHERE locktype = 'advisory' AND datname = current_database() AND NOT granted`) == 0 {
		must.Need(d, len(done) == 0, "the change did not wait")
	}
	return done
}

func readsMarket(tx exchange.Tx) error {
	exchange.ReadMarket(tx)
	return nil
}

// An instance that knows of another one waits for a change of it that shares a key. That one notices the next time.
func TestInstancesMeetWithoutConflicts(t *testing.T) {
	t.Parallel()
	const key = "tenant of both"
	first := onPostgres(t)
	second := first.at(t, first.path)
	first.meet(second)
	var done chan error
	must.Succeed(t, second.db.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.ReadMarket(tx)
		done = first.waits(key)
		return nil
	}, key))
	must.Succeed(t, <-done)
	must.Succeed(t, first.db.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.ReadMarket(tx)
		// It has not noticed the other yet.
		must.Succeed(t, second.db.Write(t.Context(), readsMarket, key))
		done = second.waits(key)
		return nil
	}, key))
	must.Succeed(t, <-done)
}
