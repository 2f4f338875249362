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

// gate bounds the connections that are logging in. If there are as many as there
// may be, the oldest makes room for a new one: idle connections keep out no client.
type gate struct {
	limits Limits
	mu     sync.Mutex
	// waiting are the connections that are logging in, oldest first; leaving counts
	// those that made room and are not closed yet.
	waiting []*entrant
	leaving int
	// paces limit the key exchanges of each address.
	paces map[netip.Prefix]*rate.Limiter
}

const (
	// Of more addresses those that did nothing for a while are forgotten.
	mostAddresses = 4096
	// notice is how long a connection that makes room may still take to log in, so
	// that a client gets in however fast others connect, and mostLeaving is for how
	// many at once that is so.
	notice      = time.Second
	mostLeaving = 256
	paceStep    = 20 * time.Millisecond
)

// entrant is a connection that came through the gate.
type entrant struct {
	net.Conn
	gate *gate
	from netip.Prefix
	pace *rate.Limiter
	// cut closes the connection after notice; nil while it does not make room.
	cut *time.Timer
	// done says that the login is over.
	done, closed atomic.Bool
}

func (g *gate) enter(raw net.Conn) (e *entrant, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e = &entrant{Conn: raw, gate: g, from: network(raw.RemoteAddr())}
	if e.pace = g.paces[e.from]; e.pace == nil {
		if len(g.paces) >= mostAddresses {
			now := time.Now()
			maps.DeleteFunc(g.paces, func(_ netip.Prefix, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(g.limits.Burst) })
		}
		if len(g.paces) >= 16*mostAddresses {
			return nil, "too many addresses"
		}
		e.pace = rate.NewLimiter(rate.Limit(g.limits.PerSecond), g.limits.Burst)
		g.paces[e.from] = e.pace
	}
	neighbours := slices.DeleteFunc(slices.Clone(g.waiting), func(other *entrant) bool { return other.from != e.from })
	switch {
	case len(neighbours) >= g.limits.HandshakesPerAddress:
		why = "too many connections are logging in from this address"
		g.makeRoom(neighbours[0])
	case len(g.waiting) >= g.limits.Handshakes:
		why = "too many connections are logging in"
		g.makeRoom(g.waiting[0])
	}
	g.waiting = append(g.waiting, e)
	return e, why
}

func (g *gate) makeRoom(e *entrant) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *entrant) bool { return other == e })
	if g.leaving >= mostLeaving {
		_ = e.Close()
		return
	}
	g.leaving++
	e.cut = time.AfterFunc(notice, func() { _ = e.Close() })
}

// network returns the network that the limits of an address count for: an IPv6
// host has a whole /64.
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

func (e *entrant) leave() {
	e.done.Store(true)
	e.gate.mu.Lock()
	defer e.gate.mu.Unlock()
	e.gate.waiting = slices.DeleteFunc(e.gate.waiting, func(other *entrant) bool { return other == e })
	if e.cut != nil {
		e.cut.Stop()
		e.cut = nil
		e.gate.leaving--
	}
}

// Write closes the connection of a client that takes nothing for too long, not even
// replies.
func (e *entrant) Write(b []byte) (n int, err error) {
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

func (e *entrant) Close() error {
	e.closed.Store(true)
	return e.Conn.Close()
}

// hostKey is the key of the server in a key exchange of one connection. An exchange
// costs the server most: it waits until the address may have one more.
type hostKey struct {
	ssh.AlgorithmSigner
	entrant *entrant
}

func (k hostKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	for e := k.entrant; !e.done.Load() && !e.pace.Allow(); time.Sleep(paceStep) {
		if e.closed.Load() {
			return nil, net.ErrClosed
		}
	}
	return k.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// Sign is what the library calls if the algorithm is named like the type of the key.
func (k hostKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, k.PublicKey().Type())
}
