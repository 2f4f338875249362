package sshd

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// gate bounds the connections that are logging in. If there are as many as there
// may be, the oldest makes room for a new one: idle connections keep out no client.
type gate struct {
	limits Limits

	mu sync.Mutex
	// waiting are the connections that are logging in, oldest first; leaving counts
	// those that made room and are not closed yet.
	waiting []*entrant
	leaving int
	// paces limit the key exchanges of each address.
	paces map[netip.Prefix]*rate.Limiter
}

const (
	// mostAddresses is how many addresses are remembered before those that did
	// nothing for a while are forgotten.
	mostAddresses = 4096
	// notice is how long a connection that makes room may still take to log in, so
	// that a client gets in however fast others connect, and mostLeaving is for how
	// many at once that is so.
	notice      = time.Second
	mostLeaving = 256
	paceStep    = 20 * time.Millisecond
)

// entrant is a connection that is logging in.
type entrant struct {
	net.Conn
	gate  *gate
	from  netip.Prefix
	since time.Time
	pace  *rate.Limiter
	// cut closes the connection after notice; nil while it does not make room.
	cut *time.Timer
	// began says that the key exchange did, or that the login is over.
	began, closed atomic.Bool
	greeting
}

// enter returns a connection that logs in until its leave, or nil, and why there
// are too many.
func (g *gate) enter(raw net.Conn) (e *entrant, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e = &entrant{Conn: raw, gate: g, from: place(raw.RemoteAddr()), since: time.Now()}
	if e.pace = g.paces[e.from]; e.pace == nil {
		g.forget(e.since)
		if len(g.paces) >= 16*mostAddresses {
			return nil, "too many addresses"
		}
		e.pace = rate.NewLimiter(rate.Limit(g.limits.PerSecond), g.limits.Burst)
		g.paces[e.from] = e.pace
	}
	switch neighbours := g.waitingFrom(e.from); {
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

func (g *gate) waitingFrom(from netip.Prefix) (those []*entrant) {
	for _, e := range g.waiting {
		if e.from == from {
			those = append(those, e)
		}
	}
	return those
}

func (g *gate) makeRoom(e *entrant) {
	g.drop(e)
	if g.leaving >= mostLeaving {
		_ = e.Close()
		return
	}
	g.leaving++
	e.cut = time.AfterFunc(notice, func() { _ = e.Close() })
}

func (g *gate) drop(e *entrant) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *entrant) bool { return other == e })
}

// forget forgets the addresses that may do anything again.
func (g *gate) forget(now time.Time) {
	for from, pace := range g.paces {
		if len(g.paces) >= mostAddresses && pace.TokensAt(now) >= float64(g.limits.Burst) {
			delete(g.paces, from)
		}
	}
}

// leave ends what enter began.
func (e *entrant) leave() {
	e.began.Store(true)
	e.gate.mu.Lock()
	defer e.gate.mu.Unlock()
	e.gate.drop(e)
	if e.cut != nil {
		e.cut.Stop()
		e.cut = nil
		e.gate.leaving--
	}
}

// Close closes the connection.
func (e *entrant) Close() error {
	e.closed.Store(true)
	return e.Conn.Close()
}

// Read reads what the client sends. A key exchange, which costs the server most,
// waits until the address may begin one more.
func (e *entrant) Read(b []byte) (int, error) {
	n, err := e.Conn.Read(b)
	if e.began.Load() || !e.ends(b[:n]) {
		return n, err
	}
	e.began.Store(true)
	for ; !e.pace.Allow(); time.Sleep(paceStep) {
		if e.closed.Load() || time.Since(e.since) > e.gate.limits.Grace {
			return n, net.ErrClosed
		}
	}
	return n, err
}

// greeting is what a client sends before the key exchange: its version, and one
// packet.
type greeting struct {
	// line is the beginning of a line, versioned says that one was the version.
	line      []byte
	versioned bool
	// header counts the bytes of the length of the packet, left its other bytes
	// that are to come.
	header int
	left   uint32
}

// ends reports whether something comes after the greeting.
func (g *greeting) ends(sent []byte) bool {
	for _, x := range sent {
		switch {
		case !g.versioned && x == '\n':
			g.versioned, g.line = string(g.line) == "SSH-", nil
		case !g.versioned:
			g.line = append(g.line, x)[:min(len(g.line)+1, len("SSH-"))]
		case g.header < 4:
			g.header, g.left = g.header+1, g.left<<8|uint32(x)
		case g.left > 0:
			g.left--
		default:
			return true
		}
	}
	return false
}
