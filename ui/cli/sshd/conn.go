package sshd

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// conn is a connection. The login sets its person.
type conn struct {
	server *Server
	raw    *loginConn
	person Person
	// offered are the fingerprints of the keys that the client tried, and expired
	// describes the last expired key among them.
	offered  []string
	expired  string
	refusals atomic.Int64
	running  sync.WaitGroup

	mu sync.Mutex
	// sessions are the open sessions, and unused is the time when the last one closed.
	sessions map[*session]bool
	unused   time.Time
	// ended is the reason why the connection opens no more sessions, or nil.
	ended error
}

func (s *Server) serveConn(ctx context.Context, raw *loginConn) {
	defer raw.Close()
	admitted := context.AfterFunc(ctx, func() { _ = raw.Close() })
	_ = raw.SetDeadline(time.Now().Add(s.o.Limits.Grace))
	c := &conn{server: s, raw: raw, sessions: make(map[*session]bool)}
	in, channels, requests, err := ssh.NewServerConn(raw, c.config())
	raw.loginDone()
	admitted()
	if err != nil {
		c.logFailure(err)
		return
	}
	_ = raw.SetDeadline(time.Time{})
	c.person, c.unused = in.Permissions.ExtraData[personData{}].(Person), time.Now()
	s.conns.Store(c, nil)
	defer s.conns.Delete(c)
	defer context.AfterFunc(ctx, func() { c.end(ErrClosing) })()
	began := s.o.Now()
	c.log("login", "user", Printable(in.User()), "client", Printable(string(in.ClientVersion())))
	defer func() {
		ended := []any{"took", s.o.Now().Sub(began).String()}
		if unlogged := c.refusals.Load() - loggedRefusals; unlogged > 0 {
			ended = append(ended, "unlogged_refusals", unlogged)
		}
		c.log("logout", ended...)
	}()
	c.running.Go(func() { c.refuseAll(requests) })
	for offered := range channels {
		c.open(offered)
	}
	c.end(ErrDisconnected)
	c.running.Wait()
}

// personData is the key of the Person in the permissions of a login.
type personData struct{}

func (c *conn) config() *ssh.ServerConfig {
	o := c.server.o
	config := &ssh.ServerConfig{
		ServerVersion:           "SSH-2.0-tonne",
		PublicKeyAuthAlgorithms: ssh.SupportedAlgorithms().PublicKeyAuths,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			fingerprint := ssh.FingerprintSHA256(key)
			if !slices.Contains(c.offered, fingerprint) {
				c.offered = append(c.offered, fingerprint)
			}
			person, known := o.Keys.Find(fingerprint, o.Now())
			if known {
				return &ssh.Permissions{ExtraData: map[any]any{personData{}: person}}, nil
			}
			if person.Fingerprint != "" {
				c.expired = person.Key + ", " + person.expiry().Error()
			}
			return nil, errors.New("unknown key")
		},
	}
	config.AddHostKey(hostKey{o.HostKey.(ssh.AlgorithmSigner), c.raw})
	return config
}

func (c *conn) logFailure(err error) {
	address := c.raw.RemoteAddr().String()
	if len(c.offered) == 0 {
		c.server.warn("connection without a login", "address", address, "error", Printable(err.Error()))
		return
	}
	c.server.o.Log.Warn("login refused", "address", address, "offered", c.offered, "expired", c.expired)
}

func (c *conn) log(msg string, args ...any) {
	c.server.o.Log.Info(msg, append([]any{
		"person", c.person.Name, "key", c.person.Key, "fingerprint", c.person.Fingerprint, "address",
		c.raw.RemoteAddr().String(),
	}, args...)...)
}

// loggedRefusals limits the refusals of a connection in the log. The others are counted.
const loggedRefusals = 100

func (c *conn) logRefusal(args ...any) {
	if c.refusals.Add(1) <= loggedRefusals {
		c.log("refused", args...)
	}
}

// routine are requests that OpenSSH's client sends to every server.
var routine = []string{"keepalive@openssh.com", "no-more-sessions@openssh.com", "hostkeys-prove-00@openssh.com"}

func (c *conn) refuseAll(requests <-chan *ssh.Request) {
	for r := range requests {
		if !slices.Contains(routine, r.Type) {
			c.logRefusal("request", Printable(r.Type))
		}
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
}

func (c *conn) open(offered ssh.NewChannel) {
	refuse := func(code ssh.RejectionReason, reason string) {
		c.logRefusal("channel", Printable(offered.ChannelType()), "reason", reason)
		_ = offered.Reject(code, reason)
	}
	if offered.ChannelType() != "session" {
		refuse(ssh.Prohibited, "forwarding is disabled")
		return
	}
	release, commands, err := c.server.sessions.acquire(c.person.Fingerprint)
	if err != nil {
		refuse(ssh.ResourceShortage, err.Error())
		return
	}
	channel, requests, err := offered.Accept()
	if err != nil {
		release()
		return
	}
	s := newSession(c, channel, commands)
	c.running.Go(func() {
		// The session counts until the client has closed the channel.
		defer release()
		s.run(requests)
	})
}

func (c *conn) check() {
	now := c.server.o.Now()
	p, known := c.server.o.Keys.Find(c.person.Fingerprint, now)
	p.Line = c.person.Line
	switch {
	case p.expired(now):
		c.end(ErrExpired)
	case !known || p != c.person:
		c.end(ErrRemoved)
	}
	c.mu.Lock()
	unused := len(c.sessions) == 0 && time.Since(c.unused) > c.server.o.Limits.Grace
	for s := range c.sessions {
		s.check()
	}
	c.mu.Unlock()
	if unused {
		c.end(ErrIdle)
	}
}

func (c *conn) add(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.sessions[s] = true
	}
	return c.ended == nil
}

func (c *conn) drop(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s)
	if c.unused = time.Now(); c.ended != nil && len(c.sessions) == 0 {
		// OpenSSH's client exits with 255 if the connection is closed first.
		time.AfterFunc(c.server.o.Limits.Leave, c.cut)
	}
}

func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	c.ended = err
	for s := range c.sessions {
		s.cancel(err)
	}
	if len(c.sessions) == 0 {
		c.cut()
		return
	}
	time.AfterFunc(c.server.o.Limits.Drain, c.cut)
}

func (c *conn) cut() { _ = c.raw.Close() }
