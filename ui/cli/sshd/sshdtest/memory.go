// Package sshdtest has keys, a client and a network in memory for tests of an SSH server. In a
// bubble of testing/synctest, time passes only while nothing is on the network.
package sshdtest

import (
	"bytes"
	"net"
	"net/netip"
	"sync"
)

// Listener accepts connections of Dial.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Listen returns a listener.
func Listen() *Listener { return &Listener{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept waits for a call of Dial.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns an address on loopback.
func (l *Listener) Addr() net.Addr { return address("127.0.0.1:2222") }

// Dial connects to the server from an address such as "192.0.2.1:1".
func (l *Listener) Dial(from string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- &conn{Conn: far, remote: address(from)}:
		return &client{Conn: near}, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func address(text string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(text)) }

// conn is the server's end of a connection.
type conn struct {
	net.Conn
	remote net.Addr
}

func (c *conn) RemoteAddr() net.Addr { return c.remote }

// client is the client's end. Its writes do not wait for a reader, because both sides of SSH
// write before they read.
type client struct {
	net.Conn
	written chan struct{}
}

func (c *client) Write(p []byte) (int, error) {
	p, before, written := bytes.Clone(p), c.written, make(chan struct{})
	c.written = written
	go func() {
		defer close(written)
		if before != nil {
			<-before
		}
		_, _ = c.Conn.Write(p)
	}()
	return len(p), nil
}
