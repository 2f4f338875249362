package sshd

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound what clients may use of the server.
type Limits struct {
	// Grace is how long a connection may take to log in, and then to open a session.
	Grace time.Duration
	// Idle is how long a session lasts without a keypress. Its person is warned
	// Warn before the end, or half of Idle if that is shorter.
	Idle, Warn time.Duration
	// Stall is how long a session lasts that takes no output.
	Stall time.Duration
	// Reload is how often the file of keys is read.
	Reload time.Duration
	// Drain is how long the sessions of a connection may take to end, and Leave how
	// long its client may then take to close it.
	Drain, Leave time.Duration
	// Handshakes are how many connections may be logging in at once, and
	// HandshakesPerAddress how many of them from one address. One more closes the
	// oldest.
	Handshakes, HandshakesPerAddress int
	// PerSecond is how many key exchanges one address may begin in the long run,
	// and Burst how many at once. The others wait.
	PerSecond float64
	Burst     int
	// Sessions are how many there may be at once, SessionsPerKey how many of
	// them with one key.
	Sessions, SessionsPerKey int
	// Input is how many bytes a terminal may send at once, InputPerSecond how
	// many in the long run. The input of a command without one is not limited.
	Input          int
	InputPerSecond float64
	// Commands are how many may begin at once with one key, CommandsPerSecond how
	// many in the long run. The others wait.
	Commands          int
	CommandsPerSecond float64
}

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

// quota counts sessions, in all and by key.
type quota struct {
	limits Limits

	mu   sync.Mutex
	all  int
	keys map[string]*keyQuota
}

type keyQuota struct {
	sessions int
	commands *rate.Limiter
}

// acquire counts one more session until it is released, and returns the pace of commands.
// The error fits on one line of 80 columns in OpenSSH's client.
func (q *quota) acquire(fingerprint string) (release func(), pace *rate.Limiter, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := q.keys[fingerprint]
	if key == nil {
		key = &keyQuota{commands: rate.NewLimiter(rate.Limit(q.limits.CommandsPerSecond), q.limits.Commands)}
		q.keys[fingerprint] = key
	}
	switch {
	case q.all >= q.limits.Sessions:
		return nil, nil, fmt.Errorf("the desk is full: %d sessions", q.limits.Sessions)
	case key.sessions >= q.limits.SessionsPerKey:
		return nil, nil, fmt.Errorf("your key has %d sessions already", q.limits.SessionsPerKey)
	}
	q.all++
	key.sessions++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.all--
		key.sessions--
	}, key.commands, nil
}
