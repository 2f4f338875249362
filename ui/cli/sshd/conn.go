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

type login struct {
	server *Server
	raw    *entrant
	// offered are the fingerprints of the keys that the client offered, methods the
	// other authentication methods that it tried.
	offered, methods []string
	// expired describes an expired key that the client offered.
	expired string
}

// conn is a connection that has logged in.
type conn struct {
	server *Server
	raw    *entrant
	person Person
	// channels counts those that the client has not closed, refusals the requests
	// that were refused.
	channels, refusals atomic.Int64
	// unused ends the connection while it has no session.
	unused *time.Timer
	// running are the goroutines of sessions.
	running sync.WaitGroup

	mu       sync.Mutex
	sessions map[*session]bool
	// ended is why no more sessions are opened, nil while they are.
	ended error
}

func (s *Server) serveConn(ctx context.Context, raw *entrant) {
	defer raw.Close()
	admitted := context.AfterFunc(ctx, func() { _ = raw.Close() })
	_ = raw.SetDeadline(time.Now().Add(s.o.Limits.Grace))
	l := &login{server: s, raw: raw, methods: []string{}}
	in, channels, requests, err := ssh.NewServerConn(raw, l.config())
	raw.leave()
	admitted()
	if err != nil {
		l.logFailure(err)
		return
	}
	_ = raw.SetDeadline(time.Time{})
	c := newConn(s, raw, in.Permissions.ExtraData[personData{}].(Person))
	s.conns.Store(c, nil)
	defer s.conns.Delete(c)
	defer context.AfterFunc(ctx, func() { c.end(ErrClosing) })()
	began := s.o.Now()
	c.log("login", "user", Printable(in.User()), "client", Printable(string(in.ClientVersion())))
	defer func() { c.log("logout", "took", s.o.Now().Sub(began).String()) }()
	c.running.Go(func() { c.refuseAll(requests) })
	for offered := range channels {
		c.open(offered)
	}
	c.end(ErrGone)
	c.unused.Stop()
	c.running.Wait()
}

func newConn(s *Server, raw *entrant, p Person) *conn {
	c := &conn{server: s, raw: raw, person: p, sessions: make(map[*session]bool)}
	c.unused = time.AfterFunc(s.o.Limits.Grace, func() {
		c.mu.Lock()
		unused := len(c.sessions) == 0
		c.mu.Unlock()
		if unused {
			c.end(ErrIdle)
		}
	})
	return c
}

// personData is the key of the Person in the permissions of a login.
type personData struct{}

func (l *login) config() *ssh.ServerConfig {
	o := l.server.o
	config := &ssh.ServerConfig{
		ServerVersion:           "SSH-2.0-tonne",
		PublicKeyAuthAlgorithms: ssh.SupportedAlgorithms().PublicKeyAuths,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			fingerprint := ssh.FingerprintSHA256(key)
			if !slices.Contains(l.offered, fingerprint) {
				l.offered = append(l.offered, fingerprint)
			}
			person, known := o.Keys.Find(fingerprint, o.Now())
			if known {
				return &ssh.Permissions{ExtraData: map[any]any{personData{}: person}}, nil
			}
			if person.Fingerprint != "" {
				l.expired = person.Key + ", " + person.expiry().Error()
			}
			return nil, errors.New("the key is not known")
		},
		AuthLogCallback: func(_ ssh.ConnMetadata, method string, err error) {
			if err != nil && method != "none" && method != "publickey" && len(l.methods) < 8 {
				l.methods = append(l.methods, Printable(method))
			}
		},
	}
	config.AddHostKey(hostKey{o.HostKey.(ssh.AlgorithmSigner), l.raw})
	return config
}

func (l *login) logFailure(err error) {
	address := l.raw.RemoteAddr().String()
	if len(l.offered) == 0 && len(l.methods) == 0 {
		l.server.warn("nobody logged in", "address", address, "error", Printable(err.Error()))
		return
	}
	l.server.o.Log.Warn("login refused", "address", address, "offered", l.offered, "methods", l.methods, "expired", l.expired)
}

func (c *conn) log(what string, args ...any) {
	c.server.o.Log.Info(what, append([]any{
		"person", c.person.Name, "key", c.person.Key, "fingerprint", c.person.Fingerprint, "address", c.raw.RemoteAddr().String(),
	}, args...)...)
}

// logRefusal logs the first 100 refusals of the connection.
func (c *conn) logRefusal(args ...any) {
	if c.refusals.Add(1) <= 100 {
		c.log("refused", args...)
	}
}

// unremarkable are requests that OpenSSH's client sends to every server.
var unremarkable = []string{"keepalive@openssh.com", "no-more-sessions@openssh.com", "hostkeys-prove-00@openssh.com"}

func (c *conn) refuseAll(requests <-chan *ssh.Request) {
	for r := range requests {
		if !slices.Contains(unremarkable, r.Type) {
			c.logRefusal("request", Printable(r.Type))
		}
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
}

func (c *conn) open(offered ssh.NewChannel) {
	refuse := func(reason ssh.RejectionReason, why string) {
		c.logRefusal("channel", Printable(offered.ChannelType()), "reason", why)
		_ = offered.Reject(reason, why)
	}
	if offered.ChannelType() != "session" {
		refuse(ssh.Prohibited, "nothing is forwarded")
		return
	}
	release, pace, full := c.server.sessions.acquire(c.person.Fingerprint)
	if full != nil {
		release, pace, _ = c.server.rejected.acquire(c.person.Fingerprint)
	}
	if release == nil {
		refuse(ssh.ResourceShortage, full.Error())
		return
	}
	channel, requests, err := offered.Accept()
	if err != nil {
		release()
		return
	}
	s := newSession(c, channel)
	s.commandPace, s.full = pace, full
	s.release = sync.OnceFunc(func() {
		release()
		c.drop(s)
	})
	if !c.add(s) {
		s.finish(ErrClosing)
	}
	c.running.Go(func() {
		s.run(requests)
		c.channels.Add(-1)
	})
}

func (c *conn) add(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.channels.Add(1) > int64(2*c.server.o.Limits.SessionsPerKey) || c.ended != nil {
		return false
	}
	c.sessions[s] = true
	c.unused.Stop()
	return true
}

func (c *conn) drop(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s)
	switch {
	case len(c.sessions) > 0:
	case c.ended != nil:
		// OpenSSH's client exits with 255 if the connection is cut before it has
		// closed its own end.
		time.AfterFunc(c.server.o.Limits.Leave, c.cut)
	default:
		c.unused.Reset(c.server.o.Limits.Grace)
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
