package sshd

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound the resources that clients may use.
type Limits struct {
	// Grace is the time to log in, and then the time to open a session.
	Grace time.Duration
	// Idle is the time after the last keypress when a session ends. The person is
	// warned at Warn before the end, or at half of Idle if that is later.
	Idle, Warn time.Duration
	// Stall is the time that a client may go without reading its output.
	Stall time.Duration
	// Reload is the interval between reads of the key file.
	Reload time.Duration
	// Drain is the time for the sessions of a connection to end, and Leave the time for
	// its client to close it afterwards.
	Drain, Leave time.Duration
	// Handshakes is the number of connections that may log in at the same time, and
	// HandshakesPerAddress the number per address. One more evicts the oldest.
	Handshakes, HandshakesPerAddress int
	// PerSecond and Burst are the rate of key exchanges per address. Others wait.
	PerSecond float64
	Burst     int
	// Sessions is the number of open sessions, and SessionsPerKey the number per key.
	Sessions, SessionsPerKey int
	// Input and InputPerSecond are the burst and the rate of a terminal's input, in
	// bytes. Input without a terminal is not limited.
	Input          int
	InputPerSecond float64
	// Commands and CommandsPerSecond are the burst and the rate of commands per key.
	// Others wait.
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

// quota counts sessions, in total and by key.
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

// acquire counts a session until release is called, and returns the rate limit of the
// key's commands. The error fits on one line of 80 columns in OpenSSH's client.
func (q *quota) acquire(fingerprint string) (release func(), commands *rate.Limiter, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := q.keys[fingerprint]
	if key == nil {
		key = &keyQuota{commands: rate.NewLimiter(rate.Limit(q.limits.CommandsPerSecond), q.limits.Commands)}
		q.keys[fingerprint] = key
	}
	switch {
	case q.all >= q.limits.Sessions:
		return nil, nil, fmt.Errorf("the server is full: %d sessions", q.limits.Sessions)
	case key.sessions >= q.limits.SessionsPerKey:
		return nil, nil, fmt.Errorf("your key already has %d sessions", q.limits.SessionsPerKey)
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
