// Package sshd is an SSH server that serves nothing except sessions, with a
// terminal or a command, for the keys in a file. There is no shell, no
// forwarding, no subsystem and no password.
//
// It is built on golang.org/x/crypto/ssh and not on charm.land/wish, which leaves out
// most of what is here: the options of keys, the limits, idle and stalled sessions. What
// it has, the handling of a session's requests, breaks the rules. It grants agent
// forwarding, any number of variables of any name, and a command that cannot be read; it
// stops reading a connection while a window change is not taken. It has one host key for
// all connections, so that the key exchanges of an address have no pace, and no hook at
// the end of a login.
package sshd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
)

// Options configure a server. All are required.
type Options struct {
	Keys *KeyFile
	// HostKey is an ssh.AlgorithmSigner, as every parsed key is.
	HostKey ssh.Signer
	// Serve serves one session until it is over or ctx ends, whose cause is one
	// of the errors below, and returns its exit status. A panic in it ends only
	// that session.
	Serve func(ctx context.Context, s *Session) (status int)
	// Check returns why a person cannot be served. The result is logged at the
	// start and whenever the file changes.
	Check func(p Person) error
	// Log gets a line for each login, refusal, session and command.
	Log    *slog.Logger
	Limits Limits
	// Now is the wall clock.
	Now func() time.Time
}

// Why a session ends that its person did not leave.
var (
	// ErrInterrupted ends a command at a terminal. Its further output is not
	// shown.
	ErrInterrupted = errors.New("Ctrl-C was pressed")
	ErrGone        = errors.New("the connection is gone")
	ErrIdle        = errors.New("no key was pressed for too long")
	ErrStalled     = errors.New("the terminal took no output for too long")
	ErrFlooded     = errors.New("more came in than a person types")
	ErrRemoved     = errors.New("the key is not accepted any more")
	ErrExpired     = errors.New("the key has expired")
	ErrClosing     = errors.New("the desk is being closed")
)

// Server is an SSH server.
type Server struct {
	o        Options
	gate     *gate
	sessions *quota
	// warnings limits what unknown clients add to the log, unlogged counts the rest.
	warnings rate.Sometimes
	unlogged atomic.Int64
	// conns are the connections that have logged in, as *conn.
	conns   sync.Map
	running sync.WaitGroup
}

// New returns a server that does nothing until Serve.
func New(o Options) *Server {
	return &Server{
		o: o, gate: &gate{limits: o.Limits, paces: make(map[netip.Prefix]*rate.Limiter)},
		sessions: &quota{limits: o.Limits, keys: make(map[string]*keyQuota)}, warnings: rate.Sometimes{Interval: time.Second},
	}
}

// Serve accepts connections until ctx ends, and returns when all sessions are over.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.reportLines()
	running, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { s.watch(running) })
	unlisten := context.AfterFunc(ctx, func() { _ = l.Close() })
	s.o.Log.Info("the desk is open", "address", l.Addr().String(), "keys", len(s.o.Keys.People()))
	err := s.accept(running, l)
	s.o.Log.Info("the desk is closing")
	stop()
	watcher.Wait()
	if !unlisten() && ctx.Err() != nil {
		err = nil
	}
	_ = l.Close()
	s.running.Wait()
	return err
}

func (s *Server) accept(ctx context.Context, l net.Listener) error {
	for {
		raw, err := l.Accept()
		var passing interface{ Temporary() bool }
		if errors.As(err, &passing) && passing.Temporary() {
			// Such as too many open files.
			s.warn("a connection failed", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		e, why := s.gate.enter(raw)
		if why != "" {
			s.warn("connection crowded out", "address", raw.RemoteAddr().String(), "reason", why)
		}
		if e == nil {
			_ = raw.Close()
			continue
		}
		s.running.Go(func() { s.serveConn(ctx, e) })
	}
}

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
			s.reportLines()
		}
		s.conns.Range(func(c, _ any) bool {
			c.(*conn).check()
			return true
		})
	}
}

func (s *Server) reportLines() {
	for _, p := range s.o.Keys.People() {
		if p.expired(s.o.Now()) {
			s.o.Log.Warn("a line lets in nobody", "person", p.Key, "error", s.o.Keys.At(p, p.expiry()).Error())
		}
		if err := s.o.Check(p); err != nil {
			s.o.Log.Error("a line cannot be served", "person", p.Key, "error", s.o.Keys.At(p, err).Error())
		}
	}
}

// warn logs what clients without a login cause, once a second at most.
func (s *Server) warn(what string, args ...any) {
	logged := false
	s.warnings.Do(func() {
		s.o.Log.Warn(what, append(args, "unlogged_before", s.unlogged.Swap(0))...)
		logged = true
	})
	if !logged {
		s.unlogged.Add(1)
	}
}
