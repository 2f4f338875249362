package marketplacetest

import "net"

// Pipes is a listener for connections in memory, so that a test can control the time.
type Pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

// NewPipes returns a listener without connections.
func NewPipes() *Pipes { return &Pipes{make(chan net.Conn), make(chan struct{})} }

// Accept waits for a call of Dial.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (p *Pipes) Close() error {
	close(p.closed)
	return nil
}

// Addr returns an address on loopback.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// Dial connects to the listener.
func (p *Pipes) Dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}
