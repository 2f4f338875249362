package marketplace

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

// cable is a network between an instance and its database, on which nothing
// arrives while it is cut, and neither side gets an error, as with a pulled cable.
type cable struct {
	net.Listener
	to string
	mu sync.Mutex
	// whole is closed while the network is not cut.
	whole chan struct{}
	open  []net.Conn
	work  sync.WaitGroup
}

// newCable returns a network to the server of an address, and its own address.
func newCable(t *testing.T, address string) (*cable, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, to: u.Host, whole: make(chan struct{})}
	close(c.whole)
	c.work.Go(c.accept)
	t.Cleanup(func() {
		c.mend()
		err := l.Close()
		c.mu.Lock()
		for _, conn := range c.open {
			conn.Close()
		}
		c.mu.Unlock()
		c.work.Wait()
		if err != nil {
			t.Error(err)
		}
	})
	u.Host = l.Addr().String()
	return c, u.String()
}

func (c *cable) accept() {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.to)
		if err != nil {
			client.Close()
			continue
		}
		c.mu.Lock()
		c.open = append(c.open, client, server)
		c.mu.Unlock()
		c.work.Go(func() { c.carry(server, client) })
		c.work.Go(func() { c.carry(client, server) })
	}
}

// carry carries what comes from one side to the other while the network is not
// cut.
func (c *cable) carry(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		whole := c.whole
		c.mu.Unlock()
		<-whole
		if _, wrong := to.Write(buf[:n]); wrong != nil || err != nil {
			return
		}
	}
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = make(chan struct{})
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.whole:
	default:
		close(c.whole)
	}
}

// cutFor is how long the network is cut: TONNE_TEST_CUT=1m tries a minute.
func cutFor(t *testing.T) time.Duration {
	text := os.Getenv("TONNE_TEST_CUT")
	if text == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// One of two instances is cut off from the database while purchases flow
// through both, by different tenants in different projects. It says so soon, and
// resumes when the network is back; the other never waits for it.
func TestCutNetworkLosesNoData(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	between, through := newCable(t, path)
	away := *d
	away.Marketplace = open(t, through, Options{RatePerSecond: -1, Now: d.clock.Now})
	away.key = d.otherKey
	d.do(func(c *change) (err error) {
		_, away.vintages, err = addTestProject(c, exchange.Verra, "1341", "ET", "REDD+", 2021)
		return err
	})
	orders := []string{d.sell(d.vintages[0], 1_000_000, 620), d.sell(away.vintages[0], 1_000_000, 620)}
	here, there := newPromises(), newPromises()
	end := make(chan struct{})
	var clients sync.WaitGroup
	bought := make([]int, 4)
	for client := range bought {
		instance, promised, order := d, here, orders[0]
		if client%2 == 1 {
			instance, promised, order = &away, there, orders[1]
		}
		clients.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
					promised.buy(instance, order, fmt.Sprint(client, "-", bought[client]))
					bought[client]++
				}
			}
		})
	}
	there.await(10)
	between.cut()
	start := time.Now()
	away.wantUnready(exchange.ErrUnreachable)
	if took := time.Since(start); took > exchange.LockWait {
		t.Errorf("it took %s to say that the database is not reached", took)
	}
	before := here.count()
	here.await(before + 10)
	time.Sleep(cutFor(t) - time.Since(start))
	between.mend()
	mended := there.count()
	there.await(mended + 10)
	away.wantReady()
	close(end)
	clients.Wait()
	if cutFor(t) > 30*time.Second && there.refused.Load() == 0 {
		t.Error("purchases waited all the time that the network was cut")
	}
	if here.refused.Load() > 0 {
		t.Errorf("%d purchases of the other instance were refused", here.refused.Load())
	}
	here.check(d, orders[0], bought[0]+bought[2])
	there.check(&away, orders[1], bought[1]+bought[3])
}
