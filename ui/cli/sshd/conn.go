package sshd

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// conn is one connection.
type conn struct {
	server *Server
	raw    *patientConn
	// offered are the fingerprints of the keys that somebody wanted to log in
	// with, methods the other ways that were tried.
	offered, methods []string
	// expired is whose key was good once and was offered, in words; empty for none.
	expired string

	mu sync.Mutex
	// key and person are known once somebody has logged in.
	key    string
	person Person
	// sessions are those that are not over, channels counts those that the other
	// end has not closed either.
	sessions map[*session]bool
	channels int
	// refusals counts what was logged of them.
	refusals int
	// unused ends the connection when it is for nothing.
	unused *time.Timer
	// ended is why there can be no more sessions, nil while there can.
	ended error
	// running are the goroutines of sessions.
	running sync.WaitGroup
}

// patientConn is a connection whose writes fail when the other end takes nothing
// for too long.
type patientConn struct {
	*entrant
	// limit is in nanoseconds; 0 while somebody logs in, which has a limit as a
	// whole.
	limit atomic.Int64
}

func (c *patientConn) Write(b []byte) (int, error) {
	if limit := c.limit.Load(); limit > 0 {
		if err := c.SetWriteDeadline(time.Now().Add(time.Duration(limit))); err != nil {
			return 0, err
		}
	}
	return c.entrant.Write(b)
}

func newConn(s *Server, raw *entrant) *conn {
	return &conn{server: s, raw: &patientConn{entrant: raw}, sessions: make(map[*session]bool)}
}

// run logs somebody in and serves them until they leave. loggedIn is called when
// the first is over.
func (c *conn) run(loggedIn func()) {
	c.server.add(c)
	defer c.server.remove(c)
	defer c.raw.Close()
	limits := c.server.o.Limits
	_ = c.raw.SetDeadline(time.Now().Add(limits.Grace))
	in, channels, requests, err := ssh.NewServerConn(c.raw, c.config())
	loggedIn()
	if err != nil {
		c.refused(err)
		return
	}
	_ = c.raw.SetDeadline(time.Time{})
	c.raw.limit.Store(int64(limits.Stall))
	c.logIn(in.Permissions.ExtraData[keyData{}].(string), in.Permissions.ExtraData[personData{}].(Person))
	began := c.server.o.Now()
	c.log("login", "user", Printable(in.User()), "client", Printable(string(in.ClientVersion())))
	defer func() { c.log("logout", "took", c.server.o.Now().Sub(began).String()) }()
	c.running.Go(func() { c.refuseAll(requests) })
	for asked := range channels {
		c.open(asked)
	}
	c.end(ErrGone)
	c.unused.Stop()
	c.running.Wait()
}

func (c *conn) logIn(key string, person Person) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key, c.person = key, person
	c.unused = time.AfterFunc(c.server.o.Limits.Grace, c.leaveIfUnused)
}

func (c *conn) who() (key string, p Person, in bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.key, c.person, c.key != ""
}

// The keys of what a login is about.
type (
	keyData    struct{}
	personData struct{}
)

var errUnknownKey = errors.New("the key is not known")

func (c *conn) config() *ssh.ServerConfig {
	o := c.server.o
	config := &ssh.ServerConfig{
		ServerVersion:           "SSH-2.0-tonne",
		PublicKeyAuthAlgorithms: ssh.SupportedAlgorithms().PublicKeyAuths,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if fingerprint := ssh.FingerprintSHA256(key); !slices.Contains(c.offered, fingerprint) {
				c.offered = append(c.offered, fingerprint)
			}
			person, known := o.Keys.Find(key, o.Now())
			if !known {
				if person.Fingerprint != "" {
					c.expired = person.Key + ", " + person.expiry().Error()
				}
				return nil, errUnknownKey
			}
			return &ssh.Permissions{ExtraData: map[any]any{keyData{}: string(key.Marshal()), personData{}: person}}, nil
		},
		AuthLogCallback: func(_ ssh.ConnMetadata, method string, err error) {
			if err != nil && method != "none" && method != "publickey" && len(c.methods) < 8 {
				c.methods = append(c.methods, Printable(method))
			}
		},
	}
	config.AddHostKey(hostKey{o.HostKey.(ssh.AlgorithmSigner), c.raw.entrant})
	return config
}

func (c *conn) refused(err error) {
	address := c.raw.RemoteAddr().String()
	if len(c.offered) == 0 && len(c.methods) == 0 {
		c.server.quiet.warn("nobody logged in", "address", address, "error", Printable(err.Error()))
		return
	}
	c.server.o.Log.Warn("login refused", "address", address, "offered", c.offered, "methods", append([]string{}, c.methods...), "expired", c.expired)
}

func (c *conn) log(what string, args ...any) {
	c.server.o.Log.Info(what, append([]any{
		"person", c.person.Name, "key", c.person.Key, "fingerprint", c.person.Fingerprint, "address", c.raw.RemoteAddr().String(),
	}, args...)...)
}

// mostRefusals is how many refusals of one connection are logged.
const mostRefusals = 100

func (c *conn) logRefusal(args ...any) {
	c.mu.Lock()
	c.refusals++
	many := c.refusals > mostRefusals
	c.mu.Unlock()
	if !many {
		c.log("refused", args...)
	}
}

// unremarkable is what OpenSSH's client asks of each server.
var unremarkable = map[string]bool{"keepalive@openssh.com": true, "no-more-sessions@openssh.com": true, "hostkeys-prove-00@openssh.com": true}

func (c *conn) refuseAll(requests <-chan *ssh.Request) {
	for r := range requests {
		if !unremarkable[r.Type] {
			c.logRefusal("request", Printable(r.Type))
		}
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
}

func (c *conn) open(asked ssh.NewChannel) {
	refuse := func(reason ssh.RejectionReason, why string) {
		c.logRefusal("channel", Printable(asked.ChannelType()), "reason", why)
		_ = asked.Reject(reason, why)
	}
	if asked.ChannelType() != "session" {
		refuse(ssh.Prohibited, "nothing is forwarded")
		return
	}
	left, turns, full := c.server.place(c.key)
	if left == nil {
		refuse(ssh.ResourceShortage, full.Error())
		return
	}
	channel, requests, err := asked.Accept()
	if err != nil {
		left()
		return
	}
	s := newSession(c, channel)
	s.turns, s.full = turns, full
	s.over = sync.OnceFunc(func() {
		left()
		c.drop(s)
	})
	if !c.add(s) {
		s.finish(ErrClosing)
	}
	c.running.Go(func() {
		s.run(requests)
		c.closed()
	})
}

func (c *conn) add(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.channels++
	if c.ended != nil || c.channels > 2*c.server.o.Limits.SessionsPerKey {
		return false
	}
	c.sessions[s] = true
	c.unused.Stop()
	return true
}

// drop takes a session away that is over. The connection ends with the last one
// if it has to, or if nothing is asked for any more.
func (c *conn) drop(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s)
	switch {
	case len(c.sessions) > 0:
	case c.ended != nil:
		// A client that cannot say goodbye any more takes that for a failure, and
		// ends with a status of its own.
		time.AfterFunc(c.server.o.Limits.Leave, c.cut)
	default:
		c.unused.Reset(c.server.o.Limits.Grace)
	}
}

func (c *conn) closed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.channels--
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

func (c *conn) leaveIfUnused() {
	c.mu.Lock()
	unused := len(c.sessions) == 0
	c.mu.Unlock()
	if unused {
		c.end(ErrIdle)
	}
}

func (c *conn) cut() { _ = c.raw.Close() }
