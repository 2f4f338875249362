package sshd

import (
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
)

// gate bounds the connections that are logging in. At the limit it evicts the oldest
// one, so idle connections cannot keep clients out.
type gate struct {
	limits Limits
	mu     sync.Mutex
	// waiting are the connections that are logging in, oldest first; evicting counts
	// evicted connections that are not closed yet.
	waiting  []*loginConn
	evicting int
	// rates limit the key exchanges of each network.
	rates map[netip.Prefix]*rate.Limiter
}

const (
	// Above maxAddresses, the gate forgets addresses without recent key exchanges.
	maxAddresses = 4096
	// evictionDelay lets an evicted connection finish its login, so that a client can log
	// in however fast others connect. At most maxEvicting connections have it at once.
	evictionDelay = time.Second
	maxEvicting   = 256
	rateStep      = 20 * time.Millisecond
)

// loginConn is a connection that the gate counts until its login ends.
type loginConn struct {
	net.Conn
	gate *gate
	from netip.Prefix
	rate *rate.Limiter
	// eviction closes the connection after evictionDelay. It is nil if not evicted.
	eviction *time.Timer
	// done reports that the login has ended.
	done, closed atomic.Bool
}

func (g *gate) enter(raw net.Conn) (e *loginConn, reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e = &loginConn{Conn: raw, gate: g, from: network(raw.RemoteAddr())}
	if e.rate = g.rates[e.from]; e.rate == nil {
		if len(g.rates) >= maxAddresses {
			now := time.Now()
			maps.DeleteFunc(g.rates,
				func(_ netip.Prefix, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(g.limits.Burst) })
		}
		if len(g.rates) >= 16*maxAddresses {
			return nil, "too many addresses"
		}
		e.rate = rate.NewLimiter(rate.Limit(g.limits.PerSecond), g.limits.Burst)
		g.rates[e.from] = e.rate
	}
	neighbours := slices.DeleteFunc(slices.Clone(g.waiting), func(other *loginConn) bool { return other.from != e.from })
	switch {
	case len(neighbours) >= g.limits.HandshakesPerAddress:
		reason = "too many connections are logging in from this address"
		g.evict(neighbours[0])
	case len(g.waiting) >= g.limits.Handshakes:
		reason = "too many connections are logging in"
		g.evict(g.waiting[0])
	}
	g.waiting = append(g.waiting, e)
	return e, reason
}

func (g *gate) evict(e *loginConn) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *loginConn) bool { return other == e })
	if g.evicting >= maxEvicting {
		_ = e.Close()
		return
	}
	g.evicting++
	e.eviction = time.AfterFunc(evictionDelay, func() { _ = e.Close() })
}

// network returns the network that shares the limits of an address: the address itself
// for IPv4, its /64 for IPv6.
func network(addr net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap(), 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits)
	return p
}

func (e *loginConn) loginDone() {
	e.done.Store(true)
	e.gate.mu.Lock()
	defer e.gate.mu.Unlock()
	e.gate.waiting = slices.DeleteFunc(e.gate.waiting, func(other *loginConn) bool { return other == e })
	if e.eviction != nil {
		e.eviction.Stop()
		e.eviction = nil
		e.gate.evicting--
	}
}

// Write closes the connection if the client does not read, not even replies, for too
// long.
func (e *loginConn) Write(b []byte) (n int, err error) {
	if e.done.Load() {
		err = e.SetWriteDeadline(time.Now().Add(e.gate.limits.Stall))
	}
	if err == nil {
		n, err = e.Conn.Write(b)
	}
	if err != nil {
		_ = e.Close()
	}
	return n, err
}

func (e *loginConn) Close() error {
	e.closed.Store(true)
	return e.Conn.Close()
}

// hostKey signs the key exchange of one connection. The exchange is the most expensive
// step for the server, so signing waits for the rate limit of the address.
type hostKey struct {
	ssh.AlgorithmSigner
	conn *loginConn
}

func (k hostKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	for e := k.conn; !e.done.Load() && !e.rate.Allow(); time.Sleep(rateStep) {
		if e.closed.Load() {
			return nil, net.ErrClosed
		}
	}
	return k.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// Sign is the method that the library calls if the algorithm is the type of the key.
func (k hostKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, k.PublicKey().Type())
}
