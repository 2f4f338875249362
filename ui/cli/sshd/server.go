// Package sshd is an SSH server for interactive sessions and commands. It admits the
// keys of an authorized_keys file and offers no shell, forwarding, subsystem or
// password login. Start reading at Server.Serve.
//
// It uses golang.org/x/crypto/ssh directly. charm.land/wish v2.0.5 with charm.land/ssh v0.4.3
// was tried, and does not support these limits:
//
//   - Key exchanges per address. A wish server has one host key for all connections, which
//     replaces a host key of ServerConfigCallback, so signing cannot wait for the rate of an
//     address. Limiting connections instead keeps clients out that share an address with a flood.
//   - Refusals. It accepts agent forwarding, any number of environment variables, and malformed
//     ones. A filter in front would parse each request again.
//   - Stalls. The second unread window change blocks all later requests of a session, and a
//     signal never gets its reply.
//
// The rest, an accept loop and a switch over five requests, is shorter than adapters for
// these limits.
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

// Options configures a Server. All fields are required.
type Options struct {
	Keys *KeyFile
	// HostKey is an ssh.AlgorithmSigner, as every parsed key is.
	HostKey ssh.Signer
	// Serve runs one session and returns its exit status. It must return when ctx
	// ends; the cause is one of the errors below. A panic ends only that session.
	Serve func(ctx context.Context, s *Session) (status int)
	// Check returns an error if a person cannot be served. The server logs it when
	// it starts and whenever the file changes.
	Check func(p Person) error
	// Log receives one entry per login, refusal, session and command.
	Log    *slog.Logger
	Limits Limits
	// Now is the wall clock.
	Now func() time.Time
}

// Causes for the end of a session, other than the user quitting.
var (
	// ErrInterrupted ends a command that has a terminal. Its remaining output is
	// discarded.
	ErrInterrupted  = errors.New("Ctrl-C was pressed")
	ErrDisconnected = errors.New("connection lost")
	ErrIdle         = errors.New("idle timeout: no keypress")
	ErrStalled      = errors.New("the terminal did not read its output in time")
	ErrFlooded      = errors.New("too much input")
	ErrRemoved      = errors.New("the key is no longer accepted")
	ErrExpired      = errors.New("the key has expired")
	ErrClosing      = errors.New("the server is shutting down")
)

// Server is an SSH server.
type Server struct {
	o        Options
	gate     *gate
	sessions *quota
	// warnings limits the log entries that clients without a login cause, and unlogged
	// counts the suppressed ones.
	warnings rate.Sometimes
	unlogged atomic.Int64
	// conns are the connections after login, as *conn.
	conns   sync.Map
	running sync.WaitGroup
}

// New returns a server that is not listening yet.
func New(o Options) *Server {
	return &Server{
		o: o, gate: &gate{limits: o.Limits, rates: make(map[netip.Prefix]*rate.Limiter)},
		sessions: &quota{limits: o.Limits, keys: make(map[string]*keyQuota)}, warnings: rate.Sometimes{Interval: time.Second},
	}
}

// Serve accepts connections until ctx ends, then returns when all sessions have ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.reportLines()
	running, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { s.watch(running) })
	unlisten := context.AfterFunc(ctx, func() { _ = l.Close() })
	s.o.Log.Info("listening", "address", l.Addr().String(), "keys", len(s.o.Keys.People()))
	err := s.accept(running, l)
	s.o.Log.Info("shutting down")
	stop()
	watcher.Wait()
	if !unlisten() && ctx.Err() != nil {
		err = nil
	}
	_ = l.Close()
	s.running.Wait()
	return err
}

func (s *Server) accept(ctx context.Context, listener net.Listener) error {
	for {
		raw, err := listener.Accept()
		var temporary interface{ Temporary() bool }
		if errors.As(err, &temporary) && temporary.Temporary() {
			// For example, too many open files.
			s.warn("cannot accept a connection", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		l, reason := s.gate.enter(raw)
		if reason != "" {
			s.warn("connection crowded out", "address", raw.RemoteAddr().String(), "reason", reason)
		}
		if l == nil {
			_ = raw.Close()
			continue
		}
		s.running.Go(func() { s.serveConn(ctx, l) })
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
			s.o.Log.Error("line ignored", "error", problem)
		}
		if changed {
			s.o.Log.Info("keys reloaded", "keys", len(s.o.Keys.People()))
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
			s.o.Log.Warn("line ignored", "person", p.Key, "error", s.o.Keys.At(p, p.expiry()).Error())
		}
		if err := s.o.Check(p); err != nil {
			s.o.Log.Error("line cannot be served", "person", p.Key, "error", s.o.Keys.At(p, err).Error())
		}
	}
}

// warn logs an event caused by a client without a login, at most once a second.
func (s *Server) warn(msg string, args ...any) {
	logged := false
	s.warnings.Do(func() {
		s.o.Log.Warn(msg, append(args, "unlogged_before", s.unlogged.Swap(0))...)
		logged = true
	})
	if !logged {
		s.unlogged.Add(1)
	}
}
