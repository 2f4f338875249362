package sshd

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound what people, and others, may use of the server. The zero value
// stands for the limits that DefaultLimits returns.
type Limits struct {
	// Grace is how long a connection may take to log in, and then to ask for
	// something.
	Grace time.Duration
	// Idle is how long a session lives without a key; Warn is how long before
	// the end the person is told, or half of Idle where that is shorter.
	Idle, Warn time.Duration
	// Stall is how long a session lives that takes no output.
	Stall time.Duration
	// Reload is how often the file of keys is looked at.
	Reload time.Duration
	// Drain is how long the sessions of a connection that ends may take to end,
	// and Leave how long its client may then take to close it.
	Drain, Leave time.Duration
	// Handshakes are how many connections may be logging in at once, and
	// HandshakesPerAddress how many of them from one address. With one more, the
	// oldest is closed.
	Handshakes, HandshakesPerAddress int
	// PerSecond is how many key exchanges one address may begin in the long run,
	// and Burst how many at once. The others wait.
	PerSecond float64
	Burst     int
	// Sessions are how many there may be at once, SessionsPerKey how many of
	// them with one key.
	Sessions, SessionsPerKey int
	// Input is how many bytes a terminal may send at once, InputPerSecond how
	// many in the long run. What a command reads is for the command to bound.
	Input          int
	InputPerSecond float64
	// Commands are how many may begin at once with one key, CommandsPerSecond how
	// many in the long run. The others wait.
	Commands          int
	CommandsPerSecond float64
}

func (l Limits) warn() time.Duration { return min(l.Warn, l.Idle/2) }

// DefaultLimits returns limits that suit a team.
func DefaultLimits() Limits {
	return Limits{
		Grace: 20 * time.Second, Idle: 30 * time.Minute, Warn: time.Minute, Stall: time.Minute,
		Reload: time.Second, Drain: 5 * time.Second, Leave: time.Second,
		Handshakes: 64, HandshakesPerAddress: 16, PerSecond: 5, Burst: 100,
		Sessions: 200, SessionsPerKey: 10, Input: 4 << 20, InputPerSecond: 16 << 10,
		Commands: 20, CommandsPerSecond: 2,
	}
}

// place returns the network that an address counts for: an IPv6 host has a whole
// one.
func place(addr net.Addr) netip.Prefix {
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

// seats counts sessions, by key.
type seats struct {
	limits Limits

	mu  sync.Mutex
	all int
	by  map[string]int
	// paces are those of commands, by key: of the few that were ever let in.
	paces map[string]*rate.Limiter
}

func newSeats(l Limits) *seats {
	return &seats{limits: l, by: make(map[string]int), paces: make(map[string]*rate.Limiter)}
}

func (s *seats) pace(key string) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.paces[key]
	if one == nil {
		one = rate.NewLimiter(rate.Limit(s.limits.CommandsPerSecond), s.limits.Commands)
		s.paces[key] = one
	}
	return one
}

// FullError is why there is no room for one more session, in words that the
// client of OpenSSH prints on one line of 80 columns.
type FullError string

// Error says whose sessions are too many, and how many there may be.
func (e FullError) Error() string { return string(e) }

func (s *seats) take(key string) (left func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.all >= s.limits.Sessions:
		return nil, FullError(fmt.Sprintf("the desk is full: %d sessions", s.limits.Sessions))
	case s.by[key] >= s.limits.SessionsPerKey:
		return nil, FullError(fmt.Sprintf("your key has %d sessions already", s.limits.SessionsPerKey))
	}
	s.all++
	s.by[key]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.by[key]--; s.by[key] == 0 {
			delete(s.by, key)
		}
	}), nil
}
