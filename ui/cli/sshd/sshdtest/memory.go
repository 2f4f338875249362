// Package sshdtest has a network in memory for tests of an SSH server. Unlike net.Pipe it has
// buffers, which both sides of SSH need to begin. In a bubble of testing/synctest, time passes
// only while nothing is on the network. Start reading at Listen.
package sshdtest

import (
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
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
	to, back := newBuffer(), newBuffer()
	client := &conn{in: back, out: to, local: address(from), remote: l.Addr()}
	select {
	case l.conns <- &conn{in: to, out: back, local: l.Addr(), remote: address(from)}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func address(text string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(text)) }

type conn struct {
	in, out       *buffer
	local, remote net.Addr
}

func (c *conn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *conn) Write(p []byte) (int, error) { return c.out.write(p) }
func (c *conn) LocalAddr() net.Addr         { return c.local }
func (c *conn) RemoteAddr() net.Addr        { return c.remote }

func (c *conn) Close() error {
	for _, b := range []*buffer{c.in, c.out} {
		b.change(func() { b.closed = true })
	}
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// bufferSize is what one direction of a connection keeps until the other side reads it.
const bufferSize = 64 << 10

type buffer struct {
	mu              sync.Mutex
	changed         *sync.Cond
	data            []byte
	closed          bool
	readBy, writeBy time.Time
}

func newBuffer() *buffer {
	b := new(buffer)
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) change(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
	b.changed.Broadcast()
}

func (b *buffer) setDeadline(which *time.Time, t time.Time) {
	b.change(func() { *which = t })
	if !t.IsZero() {
		time.AfterFunc(time.Until(t), b.changed.Broadcast)
	}
}

func late(t time.Time) bool { return !t.IsZero() && !time.Now().Before(t) }

func (b *buffer) read(p []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 && !b.closed && !late(b.readBy) {
		b.changed.Wait()
	}
	switch {
	case len(b.data) > 0:
		n = copy(p, b.data)
		b.data = b.data[n:]
		b.changed.Broadcast()
		return n, nil
	case b.closed:
		return 0, io.EOF
	}
	return 0, os.ErrDeadlineExceeded
}

func (b *buffer) write(p []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) {
		for len(b.data) == bufferSize && !b.closed && !late(b.writeBy) {
			b.changed.Wait()
		}
		switch {
		case b.closed:
			return n, net.ErrClosed
		case late(b.writeBy):
			return n, os.ErrDeadlineExceeded
		}
		more := min(len(p)-n, bufferSize-len(b.data))
		b.data = append(b.data, p[n:n+more]...)
		n += more
		b.changed.Broadcast()
	}
	return n, nil
}
