package sshd

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/ui/cli/sshd/sshdtest"
)

// fakeConn is a connection without a network.
type fakeConn struct {
	net.Conn
	address string
}

func (s *fakeConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.address))
}

func (s *fakeConn) Close() error { return nil }

func newTestGate(l Limits) *gate {
	return &gate{limits: l, rates: make(map[netip.Prefix]*rate.Limiter)}
}

func TestGateEvictsOldestLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(Limits{Handshakes: 3, HandshakesPerAddress: 2, Burst: 4})
		enter := func(address, want string) *loginConn {
			t.Helper()
			e, why := g.enter(&fakeConn{address: address})
			must.Need(t, e != nil && why == want, address, why, "want", want)
			return e
		}
		closed := func(want bool, those ...*loginConn) {
			t.Helper()
			for n, e := range those {
				must.Equal(t, e.closed.Load(), want, "connection", n, "closed is")
			}
		}
		other := enter("[2001:db8::1]:1", "")
		first := enter("192.0.2.1:1000", "")
		second := enter("192.0.2.1:1001", "")
		third := enter("192.0.2.1:1002", "too many connections are logging in from this address")
		closed(false, first)
		time.Sleep(evictionDelay)
		synctest.Wait()
		closed(true, first)
		closed(false, other, second, third)
		fourth := enter("192.0.2.2:1", "too many connections are logging in")
		neighbour := enter("[2001:db8::ffff]:1", "too many connections are logging in")
		// The second finishes its login before evictionDelay.
		second.loginDone()
		closed(false, second, other, third, fourth, neighbour)
		time.Sleep(evictionDelay)
		synctest.Wait()
		closed(true, first, other)
		closed(false, second, third, fourth, neighbour)
		for _, e := range []*loginConn{first, other, third, fourth, neighbour, neighbour} {
			e.loginDone()
		}
		must.Hold(t, len(g.waiting) == 0 && g.evicting == 0, len(g.waiting), "waiting", g.evicting, "evicting")
	})
}

func TestGateBoundsEvictedConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(Limits{Handshakes: 1, HandshakesPerAddress: 1, Burst: 4})
		var all []*loginConn
		for range maxEvicting + 11 {
			e, _ := g.enter(&fakeConn{address: "192.0.2.1:1000"})
			all = append(all, e)
		}
		closed := 0
		for _, e := range all {
			if e.closed.Load() {
				closed++
			}
		}
		must.Hold(t, closed == 10 && len(g.waiting) == 1, closed, "closed", len(g.waiting), "waiting")
		for _, e := range all {
			e.loginDone()
		}
	})
}

// The flood fills every limit, from the client's address and from others, and reopens
// connections as soon as they are closed.
func TestLoginSucceedsDuringConnectionFlood(t *testing.T) {
	longtest.Only(t)
	for name, sent := range map[string]string{"idle": "", "a version": "SSH-2.0-x\r\n",
		"half a packet": "SSH-2.0-x\r\n\x00\x00\x04\x14\x04\x14"} {
		t.Run(name, func(t *testing.T) {
			h, address := onTCP(t, nil, echoCommand)
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			var opened atomic.Int64
			defer running.Wait()
			defer stop()
			for n := range 96 {
				dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+n%4))}}
				running.Go(func() {
					for ctx.Err() == nil {
						raw, err := dialer.DialContext(ctx, "tcp", address)
						if err != nil {
							time.Sleep(time.Millisecond)
							continue
						}
						opened.Add(1)
						_ = raw.(*net.TCPConn).SetLinger(0)
						stopped := context.AfterFunc(ctx, func() { _ = raw.Close() })
						_, _ = io.WriteString(raw, sent)
						_, _ = io.Copy(io.Discard, raw)
						_ = raw.Close()
						stopped()
					}
				})
			}
			sshdtest.Eventually(t, "the limits are not reached", func() bool { return opened.Load() > 130 })
			for n := range 18 {
				began := time.Now()
				c, err := h.dial(ssh.PublicKeys(h.key))
				must.Need(t, err == nil, "login", n, err)
				took := time.Since(began)
				must.Hold(t, took <= 10*time.Second, "login", n, "takes", took)
				status, _, _ := h.run(c, "market")
				must.Equal(t, status, 7, "exit status")
				_ = c.Close()
			}
		})
	}
}
