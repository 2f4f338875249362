package marketplace

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// The tests of this file are about a service on a PostgreSQL server.

// diskFull makes a server answer as if its disk were full.
const diskFull = `CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
	CREATE TRIGGER is_full BEFORE INSERT ON retirement_items FOR EACH ROW EXECUTE FUNCTION is_full();
	CREATE TRIGGER is_full BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION is_full();`

func TestFullServerDiskRefusesPurchasesAndIsReported(t *testing.T) {
	t.Parallel()
	d := onPostgres(t)
	order := d.Sell(d.Vintages[0], 100, 620)
	d.Buy("first", 500_000, order)
	market := d.Get("/api/market").Body.String()
	must.Succeed(t, postgrestest.Run(t.Context(), d.path, diskFull))
	f := d.Refused(d.purchase(order, "a"), http.StatusInternalServerError)
	must.Hold(t, strings.Contains(f.Message, "no space is left"), "the client reads", f.Message)
	d.wantUnready(exchange.ErrFull)
	w := d.Get("/api/market")
	must.Hold(t, w.Code == http.StatusOK && w.Body.String() == market, "the market was", market, w.Code, w.Body)
	must.Succeed(t, postgrestest.Run(t.Context(), d.path, "DROP FUNCTION is_full() CASCADE"))
	d.wantReady()
	d.wantFirst(order, "a")
	d.CheckBooks()
}

// promises are the acknowledged purchases of a tonne, by their external ids.
type promises struct {
	// refused counts answers with status 503.
	refused atomic.Int32

	mu     sync.Mutex
	more   *sync.Cond
	of     map[string]string
	failed bool
}

func newPromises() *promises {
	p := &promises{of: make(map[string]string)}
	p.more = sync.NewCond(&p.mu)
	return p
}

// buy retries with the same external id until the purchase is acknowledged.
func (p *promises) buy(d *fixture, order, external string) {
	for d.Context().Err() == nil {
		w := d.purchase(order, external)
		if w.Code == http.StatusServiceUnavailable {
			p.refused.Add(1)
			continue
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		defer p.more.Broadcast()
		// Accepted may end the goroutine. Those that wait continue then.
		p.failed = true
		p.of[external], _ = d.Accepted(w)
		p.failed = false
		return
	}
}

// await returns after n more purchases were acknowledged.
func (p *promises) await(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n += len(p.of); len(p.of) < n && !p.failed; {
		p.more.Wait()
	}
}

// check checks that the order was bought exactly want times, each time as acknowledged.
func (p *promises) check(d *fixture, order string, want int) {
	d.Helper()
	must.Equal(d, len(p.of), want, "acknowledged")
	for external, id := range p.of {
		again, replayed := d.Accepted(d.purchase(order, external))
		must.Hold(d, again == id && replayed, external, id, again)
	}
	n := d.Number("SELECT count(*) FROM trades t JOIN sell_orders s ON s.number = t.sell_order WHERE s.id = $1", order)
	must.Equal(d, n, int64(want), "purchases in the database")
	d.CheckBooks()
}

// The primary fails during purchases, and its standby is promoted. Clients repeat their requests
// with the same external_id: everything that was acknowledged is there, once.
func TestFailoverLosesNoData(t *testing.T) {
	longtest.Only(t)
	primary := postgrestest.Require(t, "fsync=off", "max_connections=100")
	standby := primary.Standby(t, "second", "fsync=off", "max_connections=100")
	// Every commit waits until the standby has it.
	address := postgrestest.Address("postgres", primary)
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (second)'",
		"SELECT pg_reload_conf()"} {
		must.Succeed(t, postgrestest.Run(t.Context(), address, statement))
	}
	const follows = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
	for postgrestest.Run(t.Context(), address, follows) != nil {
		must.Succeed(t, t.Context().Err())
	}
	d := openFixture(t, postgrestest.Address("postgres", primary, standby), Options{RatePerSecond: -1})
	order := d.Sell(d.Vintages[0], 1_000_000, 620)
	const clients, each = 8, 40
	promised := newPromises()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				promised.buy(d, order, fmt.Sprint(client, "-", n))
			}
		})
	}
	promised.await(clients * each / 4)
	must.Fail(t, primary.Kill(), nil)
	d.wantUnready(exchange.ErrUnreachable)
	must.Fail(t, standby.Promote(), nil)
	wg.Wait()
	d.wantReady()
	promised.check(d, order, clients*each)
}

// network carries connections to a server. While it is locked, nothing arrives and neither side
// gets an error, as with an unplugged cable.
type network struct{ sync.RWMutex }

// newNetwork returns a network to the server of an address, and that address in the network.
func newNetwork(t *testing.T, address string) (*network, string) {
	u := must.Get(url.Parse(address))
	l, to, n := must.Get(net.Listen("tcp", "127.0.0.1:0")), u.Host, new(network)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server := must.Get(net.Dial("tcp", to))
			go n.carry(server, client)
			go n.carry(client, server)
		}
	}()
	u.Host = l.Addr().String()
	return n, u.String()
}

func (n *network) carry(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		size, err := from.Read(buf)
		n.RLock()
		_, failed := to.Write(buf[:size])
		n.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

// One of two instances loses the network to the database during purchases. It reports this soon
// and continues when the network is back. The other instance never waits for it.
func TestCutNetworkLosesNoData(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cut := time.Duration(longtest.Factor()) * 3 * time.Second
	d := onPostgres(t)
	network, through := newNetwork(t, d.path)
	remote := d.at(t, through)
	remote.Key = d.OtherKey
	_, remote.Vintages = d.AddProject("1341", "ET", "REDD+", 2021)
	instances := []*fixture{d, remote}
	orders := []string{d.Sell(d.Vintages[0], 1_000_000, 620), d.Sell(remote.Vintages[0], 1_000_000, 620)}
	promised := []*promises{newPromises(), newPromises()}
	end := make(chan struct{})
	var clients sync.WaitGroup
	bought := make([]int, 4)
	for client := range bought {
		clients.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
					promised[client%2].buy(instances[client%2], orders[client%2], fmt.Sprint(client, "-", bought[client]))
					bought[client]++
				}
			}
		})
	}
	promised[1].await(10)
	network.Lock()
	start := time.Now()
	remote.wantUnready(exchange.ErrUnreachable)
	took := time.Since(start)
	must.Hold(t, took <= exchange.LockWait, "it took", took)
	promised[0].await(10)
	time.Sleep(cut - time.Since(start))
	network.Unlock()
	promised[1].await(10)
	remote.wantReady()
	close(end)
	clients.Wait()
	n := promised[0].refused.Load()
	must.Hold(t, n <= 0, n)
	for one, d := range instances {
		promised[one].check(d, orders[one], bought[one]+bought[one+2])
	}
}

// An instance of the version before continues while a new one upgrades the tables, and next to it
// afterwards. Each acknowledged purchase is there, once, and both show the same market.
func TestOldAndNewProgramShareUpgradedTables(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	path, clock := postgrestest.Database(t), newClock()
	m := open(t, path, Options{RatePerSecond: -1, Now: clock.Now})
	stepBack(t, path, -1, "")
	old := fillFixture(t, m, clock, path)
	order := old.Sell(old.Vintages[0], 1_000_000, 620)
	before := old.Number("SELECT version FROM tonne_schema")

	const clients, each = 4, 25
	promised := newPromises()
	upgrade := make(chan struct{})
	var young *fixture
	var upgraded, wg sync.WaitGroup
	upgraded.Go(func() {
		<-upgrade
		young = old.at(t, path)
	})
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				if client == 0 && n == each/5 {
					close(upgrade)
				}
				if n == each/2 {
					upgraded.Wait()
				}
				instance := old
				if n > each/2 && n%2 == 0 {
					instance = young
				}
				promised.buy(instance, order, fmt.Sprint(client, "-", n))
			}
		})
	}
	wg.Wait()
	must.Equal(t, old.Number("SELECT version FROM tonne_schema"), before+1, "the tables went from version", before)
	promised.check(young, order, clients*each)
	n := old.Number("SELECT (SELECT version FROM market_state) - (SELECT sum(version) + 1 FROM market_projects)")
	must.Equal(t, n, 0, "the version of the market is")
	first, second := old.Get("/api/market"), young.Get("/api/market")
	must.Hold(t, first.Code == http.StatusOK && first.Body.String() == second.Body.String() &&
		first.Header().Get(marketVersion) == second.Header().Get(marketVersion), first.Header().Get(marketVersion),
		first.Body, second.Header().Get(marketVersion), second.Body)
}
