package sshd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
)

// Options say what a server serves, and to whom. All but Limits and Now are
// required.
type Options struct {
	Keys *KeyFile
	// HostKey is an ssh.AlgorithmSigner, as every key is that was parsed.
	HostKey ssh.Signer
	// Serve serves one session until it is over or ctx ends, whose cause is one
	// of the errors below, and returns its exit status. A panic in it ends the
	// session alone. One for which there is no room is over when it begins, because
	// of a FullError.
	Serve func(ctx context.Context, s *Session) (status int)
	// Check returns why a person whom the file lets in cannot be served; nil for
	// one who can. It is asked each time that the file has changed, and may be nil.
	Check func(p Person) error
	// Log gets a line for each login, refusal, session and command.
	Log    *slog.Logger
	Limits Limits
	// Now is the wall clock, nil for time.Now.
	Now func() time.Time
}

// Why a session ends that its person did not leave.
var (
	// ErrInterrupted ends a command at a terminal: what it writes from then on is
	// not shown.
	ErrInterrupted = errors.New("Ctrl-C was pressed")
	ErrGone        = errors.New("the connection is gone")
	ErrIdle        = errors.New("no key was pressed for too long")
	ErrStalled     = errors.New("the terminal took no output for too long")
	ErrFlooded     = errors.New("more came in than a person types")
	ErrRemoved     = errors.New("the key is not accepted any more")
	ErrExpired     = errors.New("the key has expired")
	ErrClosing     = errors.New("the desk is being closed")
)

// Server is a closed SSH server.
type Server struct {
	o     Options
	gate  *gate
	seats *seats
	// crowd are those for whom there is no room, while they are told so: as many
	// as there may be sessions.
	crowd *seats
	quiet throttle

	mu    sync.Mutex
	conns map[*conn]bool
	// running are the goroutines of connections.
	running sync.WaitGroup
}

// New returns a server that does nothing until Serve.
func New(o Options) *Server {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{
		o: o, gate: &gate{limits: o.Limits, paces: make(map[netip.Prefix]*rate.Limiter)}, conns: make(map[*conn]bool),
		seats: newSeats(o.Limits), crowd: newSeats(o.Limits), quiet: throttle{log: o.Log, now: o.Now},
	}
}

// Serve lets people in until ctx ends. Then it tells everybody, and returns when
// their sessions are over. The error is why the listener failed.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.reportExpired()
	watching, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { s.watch(watching) })
	unlisten := context.AfterFunc(ctx, func() { _ = l.Close() })
	s.o.Log.Info("the desk is open", "address", l.Addr().String(), "keys", len(s.o.Keys.People()))
	err := s.accept(l)
	s.o.Log.Info("the desk is closing")
	stop()
	watcher.Wait()
	if !unlisten() && ctx.Err() != nil {
		err = nil
	}
	_ = l.Close()
	s.drain()
	return err
}

func (s *Server) accept(l net.Listener) error {
	for {
		raw, err := l.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
			s.welcome(raw)
		case errors.As(err, &passing) && passing.Temporary():
			// Such as too many open files.
			s.quiet.warn("a connection failed", "error", err)
			time.Sleep(50 * time.Millisecond)
		default:
			return err
		}
	}
}

func (s *Server) welcome(raw net.Conn) {
	e, why := s.gate.enter(raw)
	if why != "" {
		s.quiet.warn("connection crowded out", "address", raw.RemoteAddr().String(), "reason", why)
	}
	if e == nil {
		_ = raw.Close()
		return
	}
	s.running.Go(func() {
		defer e.leave()
		newConn(s, e).run(e.leave)
	})
}

func (s *Server) place(key string) (left func(), turns *rate.Limiter, full error) {
	if left, full = s.seats.take(key); full == nil {
		return left, s.seats.pace(key), nil
	}
	left, _ = s.crowd.take(key)
	return left, s.crowd.pace(key), full
}

func (s *Server) add(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *Server) each(do func(c *conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}

func (s *Server) drain() {
	s.each(func(c *conn) { c.end(ErrClosing) })
	s.running.Wait()
}

// watch ends the sessions of keys that are let in no more, or otherwise than
// before.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(s.o.Limits.Reload)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		changed, problems := s.o.Keys.Reload()
		for _, problem := range problems {
			s.o.Log.Error("a line lets in nobody", "error", problem)
		}
		if changed {
			s.o.Log.Info("the keys were read again", "keys", len(s.o.Keys.People()))
			s.reportExpired()
			s.check()
		}
		now := s.o.Now()
		s.each(func(c *conn) {
			key, person, in := c.who()
			p, known := s.o.Keys.find(key, now)
			switch {
			case in && p.expired(now):
				c.end(ErrExpired)
			case in && (!known || p != person):
				c.end(ErrRemoved)
			}
		})
	}
}

func (s *Server) reportExpired() {
	for _, p := range s.o.Keys.People() {
		if p.expired(s.o.Now()) {
			s.o.Log.Warn("a line lets in nobody", "person", p.Key, "error", s.o.Keys.At(p, p.expiry()).Error())
		}
	}
}

func (s *Server) check() {
	if s.o.Check == nil {
		return
	}
	for _, p := range s.o.Keys.People() {
		if err := s.o.Check(p); err != nil {
			s.o.Log.Error("a line cannot be served", "person", p.Key, "error", s.o.Keys.At(p, err).Error())
		}
	}
}

// throttle logs what strangers cause, once a second at most.
type throttle struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	last   time.Time
	missed int
}

func (t *throttle) warn(what string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if now.Sub(t.last).Abs() < time.Second {
		t.missed++
		return
	}
	t.log.Warn(what, append(args, "unlogged_before", t.missed)...)
	t.last, t.missed = now, 0
}
