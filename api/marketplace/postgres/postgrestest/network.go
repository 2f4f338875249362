package postgrestest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Network is a network between a client and a server. While it is cut, nothing arrives and
// neither side gets an error, as with an unplugged cable.
type Network struct {
	net.Listener
	to string

	mu sync.Mutex
	// whole is closed while the network is not cut.
	whole chan struct{}
	conns []net.Conn
	work  sync.WaitGroup
}

// NewNetwork returns a network to the server of an address, and the address of the server in
// that network.
func NewNetwork(t testing.TB, address string) (*Network, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{Listener: l, to: u.Host, whole: make(chan struct{})}
	close(n.whole)
	n.work.Go(n.accept)
	t.Cleanup(n.end)
	u.Host = l.Addr().String()
	return n, u.String()
}

func (n *Network) end() {
	n.Repair()
	_ = n.Close()
	n.mu.Lock()
	for _, conn := range n.conns {
		_ = conn.Close()
	}
	n.mu.Unlock()
	n.work.Wait()
}

func (n *Network) accept() {
	for {
		client, err := n.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", n.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		n.mu.Lock()
		n.conns = append(n.conns, client, server)
		n.mu.Unlock()
		n.work.Go(func() { n.carry(server, client) })
		n.work.Go(func() { n.carry(client, server) })
	}
}

func (n *Network) carry(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		size, err := from.Read(buf)
		n.mu.Lock()
		whole := n.whole
		n.mu.Unlock()
		<-whole
		if _, failed := to.Write(buf[:size]); failed != nil || err != nil {
			return
		}
	}
}

// Cut cuts the network.
func (n *Network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.whole = make(chan struct{})
}

// Repair ends a cut.
func (n *Network) Repair() {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.whole:
	default:
		close(n.whole)
	}
}
